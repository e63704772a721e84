/** A file's content as a record holds it, and its bytes. */
import { tryTextOf } from "./look.ts";
import type { Content } from "./steps.ts";

export function contentOf(bytes: Uint8Array): Content {
  const text = tryTextOf(bytes);
  return text === null ? { base64: Buffer.from(bytes).toString("base64") } : { text };
}

/** The bytes from which steps were made: encoding a long text again takes longer than writing it. */
const known = new WeakMap<Content, Uint8Array>();

export function withBytes<C extends Content>(content: C, bytes: Uint8Array): C {
  known.set(content, bytes);
  return content;
}

export function bytesOf(content: Content): Uint8Array {
  const bytes = known.get(content);
  if (bytes !== undefined) return bytes;
  return content.text === undefined
    ? Buffer.from(content.base64 ?? "", "base64")
    : Buffer.from(content.text, "utf8");
}
