/** The MCP answers of tools: one envelope for every reply, refusal and error. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ErrorCode } from "../../core/error.ts";
import type { Reply } from "../../runtime/module.ts";
import { envelopeOf } from "../envelope.ts";
import { clientOf } from "./client.ts";
import type { Connection } from "./connection.ts";
import { type Part, partShown } from "./shown.ts";

/**
 * The structured content of every answer, refusals included, so that clients that validate it never hide a
 * message.
 */
export const OUTPUT = z.looseObject({ status: z.string(), message: z.string() });

/** The part of an answer that should contain a reply's text, for the client of this call. */
export function partFor(connection: Connection, context: ServerContext): Part {
  const { name, version } = clientOf(connection, context) ?? {};
  return partShown(name, version);
}

/**
 * The answer for a reply: the part that the client shows its model has the whole text, the other one line.
 */
export function toResult(reply: Reply, part: Part): CallToolResult {
  const { refused, text } = reply;
  const whole = envelopeOf(reply);
  const line = firstLine(String(whole.message));
  const isSaid = (value: unknown) => value === text;
  const facts = Object.fromEntries(Object.entries(whole).filter(([, value]) => !isSaid(value)));
  return {
    content: [{ type: "text", text: part === "data" ? line : text }],
    structuredContent: part === "text" ? { ...facts, message: line } : whole,
    ...(refused ? { isError: true } : {}),
  };
}

/** The two lines of an error, as text and as structured content. */
export function refusal(code: ErrorCode, message: string, fix: string): CallToolResult {
  return {
    content: [{ type: "text", text: `${message}\n${fix}` }],
    structuredContent: { status: "error", message, data: { code, fix } },
    isError: true,
  };
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}
