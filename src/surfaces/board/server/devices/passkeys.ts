/**
 * Passkeys (WebAuthn). A challenge counts once, for two minutes, for one purpose: a registration, an entrance,
 * or one device's approval of one hash. The person must be verified each time.
 */
import { createHash } from "node:crypto";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { attempt } from "../../../../core/attempt.ts";
import { BoundedMap } from "../../../../core/bounded-map.ts";
import { canonical } from "../../../../core/json.ts";
import type { Device, Passkey } from "../../../../core/ports/devices.ts";
import { secret } from "../sessions.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a challenge is for: a registration, an entrance, or the approval of a hash by a device. */
export interface Purpose {
  readonly for: "registration" | "entrance" | "approval";
  readonly device?: string;
  readonly hash?: string;
}

const CHALLENGE_LASTS = 2 * 60_000;
const MAX_OPEN = 200;
const NAME = "Pawl";
/** Ed25519, and ES256 and RS256, which phones and security keys have. */
const ALGORITHMS = [-8, -7, -257];

export type Passkeys = ReturnType<typeof openPasskeys>;

export function openPasskeys(origin: () => string, now: () => number) {
  const challenges = openChallenges(origin, now);
  /** By credential: how often it has signed, as far as this board has seen. */
  const counts = new Map<string, number>();
  const domain = () => new URL(origin()).hostname;
  const expected = (challenge: string) => ({
    expectedChallenge: challenge,
    expectedOrigin: origin(),
    expectedRPID: domain(),
    requireUserVerification: true,
  });
  return {
    /** The options with which a browser makes a passkey. */
    async registration(name: string, others: readonly Device[]): Promise<Json> {
      const { generateRegistrationOptions } = await import("./webauthn.ts");
      return generateRegistrationOptions({
        ...{ rpName: NAME, rpID: domain(), userName: name, userDisplayName: name },
        challenge: challenges.make({ for: "registration" }),
        attestationType: "none",
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        excludeCredentials: others.flatMap(({ passkey }) => (passkey ? [descriptorOf(passkey)] : [])),
        supportedAlgorithmIDs: ALGORITHMS,
      }).then(asJson);
    },
    /** Null: it does not answer an open challenge. */
    async register(answer: Json): Promise<Passkey | null> {
      const challenge = challenges.take({ for: "registration" }, answer);
      if (challenge === null) return null;
      const { verifyRegistrationResponse } = await import("./webauthn.ts");
      const response = answer as unknown as RegistrationResponseJSON;
      const verified = await verifyRegistrationResponse({
        ...{ ...expected(challenge), response, supportedAlgorithmIDs: ALGORITHMS },
      }).catch(() => null);
      if (!verified?.verified || !verified.registrationInfo) return null;
      const { counter, id, publicKey, transports = [] } = verified.registrationInfo.credential;
      const key = Buffer.from(publicKey).toString("base64url");
      return { id, publicKey: key, counter, transports, domain: domain() };
    },
    /** The challenge with which a device signs in, or approves the hash. */
    async challenge(purpose: Purpose, device?: Device): Promise<Json> {
      const { generateAuthenticationOptions } = await import("./webauthn.ts");
      const allowed = device?.passkey ? { allowCredentials: [descriptorOf(device.passkey)] } : {};
      return generateAuthenticationOptions({
        ...{ rpID: domain(), challenge: challenges.make(purpose), userVerification: "required" },
        ...allowed,
      }).then(asJson);
    },
    /** The device whose passkey has answered a challenge of this purpose; null: none has. */
    async answered(purpose: Purpose, answer: Json, devices: readonly Device[]): Promise<Device | null> {
      const challenge = challenges.take(purpose, answer);
      const device = devices.find(({ passkey }) => passkey !== null && passkey.id === answer.id);
      if (challenge === null || !device?.passkey || device.passkey.domain !== domain()) return null;
      const { verifyAuthenticationResponse } = await import("./webauthn.ts");
      const { id, publicKey, transports } = device.passkey;
      const counter = Math.max(device.passkey.counter, counts.get(id) ?? 0);
      const key = Uint8Array.from(Buffer.from(publicKey, "base64url"));
      const verified = await verifyAuthenticationResponse({
        ...expected(challenge),
        response: answer as unknown as AuthenticationResponseJSON,
        credential: { id, publicKey: key, counter, transports: [...transports] },
      }).catch(() => null);
      if (!verified?.verified) return null;
      counts.set(id, verified.authenticationInfo.newCounter);
      return device;
    },
  };
}

function openChallenges(origin: () => string, now: () => number) {
  const open = new BoundedMap<string, { readonly purpose: string; readonly until: number }>(MAX_OPEN);
  return {
    make(purpose: Purpose): Uint8Array<ArrayBuffer> {
      const nonce = secret();
      const bytes = createHash("sha256")
        .update(canonical({ ...purpose, nonce, origin: origin() }))
        .digest();
      open.set(bytes.toString("base64url"), {
        purpose: canonical(purpose),
        until: now() + CHALLENGE_LASTS,
      });
      return Uint8Array.from(bytes);
    },
    /** Takes the challenge that it answers out of the open ones; null: none is open for this purpose. */
    take(purpose: Purpose, answer: Json): string | null {
      const challenge = challengeIn(answer);
      const verified = challenge === null ? undefined : open.get(challenge);
      if (challenge === null || verified === undefined) return null;
      open.delete(challenge);
      return verified.purpose === canonical(purpose) && now() <= verified.until ? challenge : null;
    },
  };
}

function descriptorOf({ id, transports }: Passkey) {
  return { id, transports: [...transports] };
}

function asJson(options: object): Json {
  return { ...options };
}

function challengeIn({ response }: Json): string | null {
  const encoded = (response as { readonly clientDataJSON?: unknown } | undefined)?.clientDataJSON;
  if (typeof encoded !== "string") return null;
  const read = () => JSON.parse(Buffer.from(encoded, "base64url").toString("utf8")).challenge as unknown;
  const challenge = attempt(read, null);
  return typeof challenge === "string" ? challenge : null;
}
