/**
 * The one module outside the adapters that imports something of Node: a digest depends on its input alone, so
 * it is as pure as an addition. See docs/decisions/README.md, 25.
 */
import { createHash } from "node:crypto";

/** The SHA-256 of a text in UTF-8, or of bytes, in hexadecimal. */
export function hashOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
