/** Signatures of a hardware key, as an authenticator makes them (PROTOCOL.u2f), are taken by ssh-keygen like any other. */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { isTouched } from "../../core/ssh-signature.ts";
import { openSignatures } from "./signatures.ts";

const TYPE = "sk-ssh-ed25519@openssh.com";
const APPLICATION = "ssh:";
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const string = (value: string | Buffer) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
};
const sha = (name: "sha256" | "sha512", value: string | Buffer) => createHash(name).update(value).digest();

/** An authenticator in software: its key and what it signs are those of a real one. */
function authenticator() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const blob = Buffer.concat([string(TYPE), string(raw), string(APPLICATION)]);
  const signed = (text: string, flags: number, namespace = "pawl-gate-v1") => {
    const parts = [string(namespace), string(""), string("sha512")];
    const message = Buffer.concat([Buffer.from("SSHSIG"), ...parts, string(sha("sha512", text))]);
    const tail = Buffer.concat([Buffer.from([flags]), number(7)]);
    const own = sign(
      null,
      Buffer.concat([sha("sha256", APPLICATION), tail, sha("sha256", message)]),
      privateKey,
    );
    const signature = Buffer.concat([string(TYPE), string(own), tail]);
    const whole = Buffer.concat([
      Buffer.from("SSHSIG"),
      number(1),
      string(blob),
      ...parts,
      string(signature),
    ]);
    const lines = whole.toString("base64").match(/.{1,70}/g) ?? [];
    return `-----BEGIN SSH SIGNATURE-----\n${lines.join("\n")}\n-----END SSH SIGNATURE-----\n`;
  };
  return { line: `${TYPE} ${blob.toString("base64")}`, signed };
}

const signatures = openSignatures({ PATH: process.env.PATH }, "/none");
const text = '{"v": 1}\n';
const time = "2026-01-01T00:00:00.000Z";

describe("A hardware key", () => {
  it("signs like any other, and a flag that is set afterwards breaks its signature", async () => {
    promise("gates.touch");
    const { line, signed } = authenticator();
    const allowed = `ada namespaces="pawl-gate-v1" ${line}\n`;
    const order = { text, principal: "ada", allowed, time };
    const [touched, untouched] = [signed(text, 0x01), signed(text, 0x00)];
    expect(await signatures.verify({ ...order, signature: touched })).toBeNull();
    expect(isTouched(touched)).toBe(true);
    expect(isTouched(untouched)).toBe(false);
    const blob = Buffer.from(untouched.replace(/-----.*-----|\n/g, ""), "base64");
    blob[blob.length - 5] = 0x01;
    const forged = `-----BEGIN SSH SIGNATURE-----\n${blob.toString("base64")}\n-----END SSH SIGNATURE-----\n`;
    expect(isTouched(forged)).toBe(true);
    expect(await signatures.verify({ ...order, signature: forged })).not.toBeNull();
  });

  it("counts only for its name, its namespace and its time", async () => {
    promise("gates.touch");
    const { line, signed } = authenticator();
    const signature = signed(text, 0x01);
    const at = (allowed: string, principal = "ada") =>
      signatures.verify({ text, signature, principal, allowed, time });
    expect(await at(`ada ${line}\n`)).toBeNull();
    expect(await at(`eve ${line}\n`)).not.toBeNull();
    expect(await at(`ada ${line}\n`, "-oProxyCommand=evil")).toContain("dash");
    expect(await at(`ada namespaces="file" ${line}\n`)).not.toBeNull();
    expect(await at(`ada valid-before="20250101" ${line}\n`)).toContain("expired");
    expect(await at(`ada valid-before="20270101" ${line}\n`)).toBeNull();
    expect(await at("")).not.toBeNull();
    const other = signed(text, 0x01, "file");
    const order = { text, principal: "ada", allowed: `ada ${line}\n`, time };
    expect(await signatures.verify({ ...order, signature: other })).not.toBeNull();
    expect(await signatures.verify({ ...order, signature: "what" })).not.toBeNull();
  });
});
