/** What a tool answers over MCP: the one envelope of every reply, refusal and error of every tool. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ErrorCode } from "../../core/error.ts";
import type { Reply } from "../../runtime/module.ts";
import { envelopeOf } from "../envelope.ts";
import { clientOf } from "./client.ts";
import type { Connection } from "./connection.ts";
import { type Part, partShown } from "./shown.ts";

/** The structured content of every answer, refusals too, so that clients that check it never hide a message. */
export const OUTPUT = z.looseObject({ status: z.string(), message: z.string() });

/** The part of an answer that is to have a reply's words, for the client of this call. */
export function partFor(connection: Connection, context: ServerContext): Part {
  const { name, version } = clientOf(connection, context) ?? {};
  return partShown(name, version);
}

/** The answer to a reply: the part that the client shows its model has all its words, the other one line. */
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
