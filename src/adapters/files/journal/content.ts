/** A file's content as a record holds it, and its bytes. */
import { tryTextOf } from "../look.ts";
import type { Content } from "./steps.ts";

export function contentOf(bytes: Uint8Array): Content {
  const text = tryTextOf(bytes);
  return text === null ? { base64: Buffer.from(bytes).toString("base64") } : { text };
}

export function bytesOf({ base64 = "", text }: Content): Uint8Array {
  return text === undefined ? Buffer.from(base64, "base64") : Buffer.from(text, "utf8");
}
