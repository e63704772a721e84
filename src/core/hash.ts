import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const ENCODER = new TextEncoder();

/**
 * The sha-256 of a text, in hexadecimal. Not the platform's own function: that one takes milliseconds to load, and
 * sends each of the many short texts of a run's history to another thread.
 */
export function digestOf(text: string): string {
  return bytesToHex(sha256(ENCODER.encode(text)));
}

/** The same, for callers that wait. */
export async function hashOf(text: string): Promise<string> {
  return digestOf(text);
}
