/**
 * What was made of long contents. The same file is read, hashed and decoded several times for one commit, and to see that
 * its bytes are the same takes a tenth of what it takes to do that again.
 */
import { hashOf } from "./hash.ts";

interface Known {
  readonly bytes: Uint8Array;
  hash?: string;
  /** Null: it is no text. */
  text?: string | null;
}

const SHORTEST = 32 * 1024;
const LONGEST = 2 * 1024 * 1024;
const MOST = 4;
/** The last ones, the very last first. */
const last: Known[] = [];

/** sha-256 in hexadecimal. Bytes must stay as they are. */
export function hashOfBytes(bytes: Uint8Array): string {
  const known = knownOf(bytes);
  if (known === null) return hashOf(bytes);
  known.hash ??= hashOf(bytes);
  return known.hash;
}

/** What `decode` makes of the bytes; null: they are no text. */
export function textOfBytes(bytes: Uint8Array, decode: (bytes: Uint8Array) => string | null): string | null {
  const known = knownOf(bytes);
  if (known === null) return decode(bytes);
  if (known.text === undefined) known.text = decode(bytes);
  return known.text;
}

/** The bytes were made of this text. */
export function noteText(bytes: Uint8Array, text: string): void {
  const known = knownOf(bytes);
  // Half a letter becomes another one in the bytes.
  if (known !== null && text.isWellFormed()) known.text = text;
}

/**
 * The bytes of a file of that size, as they are known, if it has the very same: then no room is made for them again.
 * `read`: reads so many bytes from an offset on, fewer at the end. Null: it has others.
 */
export function readKnown(
  size: number,
  read: (offset: number, length: number) => Uint8Array,
): Uint8Array | null {
  return last.find(({ bytes }) => bytes.length === size && hasSame(bytes, read))?.bytes ?? null;
}

const CHUNK = 64 * 1024;

function hasSame(bytes: Uint8Array, read: (offset: number, length: number) => Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += CHUNK) {
    const part = bytes.subarray(at, at + CHUNK);
    if (Buffer.compare(read(at, part.length), part) !== 0) return false;
  }
  // It may have grown meanwhile.
  return read(bytes.length, 1).length === 0;
}

function knownOf(bytes: Uint8Array): Known | null {
  if (bytes.length < SHORTEST || bytes.length > LONGEST) return null;
  const at = last.findIndex((one) => isSame(one.bytes, bytes));
  const known = last[at] ?? { bytes };
  if (at === 0) return known;
  if (at > 0) last.splice(at, 1);
  last.unshift(known);
  if (last.length > MOST) last.pop();
  return known;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && (one === other || Buffer.compare(one, other) === 0);
}
