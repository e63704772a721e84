import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { hashBy } from "../../core/hash.ts";

/** Loading `node:crypto` costs as much as hashing this many bytes without it. */
const WORTH_LOADING = 128 * 1024;
let hashed = 0;
let native: typeof import("node:crypto") | undefined;

/** HMAC-SHA256 in hexadecimal, of a short text. */
export function macOf(key: Uint8Array, text: string): string {
  if (native !== undefined) return native.createHmac("sha256", key).update(text).digest("hex");
  return bytesToHex(hmac(sha256, key, Buffer.from(text)));
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
