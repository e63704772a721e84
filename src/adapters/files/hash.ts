import type { KeyObject } from "node:crypto";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { hashBy } from "../../core/hash.ts";

/** Loading `node:crypto` costs as much as hashing this many bytes without it. */
const WORTH_LOADING = 128 * 1024;
let hashed = 0;
let native: typeof import("node:crypto") | undefined;

/** Keys as Node keeps them: making one of bytes takes ten times longer than a MAC with it. */
const prepared = new WeakMap<Uint8Array, KeyObject>();

/** HMAC-SHA256 in hexadecimal, of a short text. The bytes of a key that was used once must stay as they are. */
export function macOf(key: Uint8Array, text: string): string {
  if (native === undefined) return bytesToHex(hmac(sha256, key, Buffer.from(text)));
  return native.createHmac("sha256", preparedOf(native, key)).update(text).digest("hex");
}

function preparedOf(crypto: typeof import("node:crypto"), key: Uint8Array): KeyObject {
  const known = prepared.get(key) ?? crypto.createSecretKey(key);
  prepared.set(key, known);
  return known;
}

/** sha-256 in hexadecimal. Node's own is loaded after much has been hashed; a short command does without it. */
export function hashOf(data: string | Uint8Array): string {
  hashed += data.length;
  if (native === undefined && hashed <= WORTH_LOADING)
    return bytesToHex(sha256(typeof data === "string" ? Buffer.from(data) : data));
  native ??= loadNative();
  return native.hash("sha256", data, "hex");
}

/** For a process that has `node:crypto` anyway, or lasts: each hash from now on is Node's own. */
export function hashNatively(): void {
  native ??= loadNative();
}

/** From then on the core has it too. */
function loadNative(): typeof import("node:crypto") {
  const crypto = process.getBuiltinModule("node:crypto");
  hashBy((text) => crypto.hash("sha256", text, "hex"));
  return crypto;
}
