import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** Loading `node:crypto` costs as much as hashing this many bytes without it. */
const SMALL = 128 * 1024;
let native: typeof import("node:crypto") | undefined;

/** sha-256 in hexadecimal. Node's own is loaded where there is much to hash: a short command does without it. */
export function hashOf(data: string | Uint8Array): string {
  if (native === undefined && data.length <= SMALL) {
    return bytesToHex(sha256(typeof data === "string" ? Buffer.from(data) : data));
  }
  native ??= process.getBuiltinModule("node:crypto");
  return native.hash("sha256", data, "hex");
}
