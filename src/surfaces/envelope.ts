/** A reply as data, in the same form for the command line and MCP. */
import type { Reply } from "../runtime/module.ts";

export function envelopeOf({ text, data, refused }: Reply): Readonly<Record<string, unknown>> {
  const { message = text, ...rest } = data;
  return { status: refused ? "error" : "success", message, ...rest };
}
