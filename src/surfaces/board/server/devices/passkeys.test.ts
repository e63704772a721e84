import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { expect, it } from "vitest";
import { promise } from "../../../../../test/rig/promise.ts";
import type { Device } from "../../../../core/ports/devices.ts";
import { openPasskeys, type Purpose } from "./passkeys.ts";

const ORIGIN = "https://laptop.test";
const TWO_MINUTES = 120_000;
const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();

/** A device, and its authenticator: a key that answers a challenge as a verified person. */
function phone() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const point = [x, y].map((part) => Buffer.from(part, "base64url"));
  // COSE: kty EC2, alg ES256, crv P-256, x, y.
  const cose = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    point[0] as Buffer,
    Buffer.from("225820", "hex"),
    point[1] as Buffer,
  ]);
  const id = "cGFzc2tleS1vZi1hLXBob25l";
  const device: Device = {
    ...{ id: "0123abcd", name: "Phone", added: "2026-01-01T00:00:00.000Z", cookie: null },
    passkey: {
      ...{ id, publicKey: cose.toString("base64url"), counter: 0, transports: [] },
      domain: new URL(ORIGIN).hostname,
    },
  };
  let count = 0;
  const answerTo = (challenge: unknown) => {
    const client = JSON.stringify({ type: "webauthn.get", challenge, origin: ORIGIN });
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++count);
    const present = Buffer.from([0b101]);
    const data = Buffer.concat([sha256(new URL(ORIGIN).hostname), present, counter]);
    const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey);
    return {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: {
        clientDataJSON: Buffer.from(client).toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
      },
    };
  };
  return { device, answerTo };
}

const APPROVAL: Purpose = { for: "approval", device: "0123abcd", hash: "a" };

it("counts an answer to a challenge for two minutes, once, and for its purpose alone", async () => {
  promise("board.device-approval");
  let time = 0;
  const passkeys = openPasskeys(
    () => ORIGIN,
    () => time,
  );
  const { answerTo, device } = phone();
  const asked = async () => answerTo((await passkeys.challenge(APPROVAL, device)).challenge);
  const counts = (answer: object, purpose = APPROVAL) =>
    passkeys.answered(purpose, { ...answer }, [device]).then((found) => found !== null);
  const first = await asked();
  time += TWO_MINUTES;
  expect([await counts(first), await counts(first)]).toEqual([true, false]);
  const late = await asked();
  time += TWO_MINUTES + 1;
  expect(await counts(late)).toBe(false);
  const others: readonly Purpose[] = [{ for: "entrance" }, { ...APPROVAL, hash: "b" }];
  for (const other of others) expect(await counts(await asked(), other)).toBe(false);
});
