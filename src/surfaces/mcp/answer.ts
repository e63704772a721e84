/** What a tool answers over MCP: the one envelope of every reply, refusal and error of every tool. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ErrorCode } from "../../core/error.ts";
import type { Reply } from "../../runtime/module.ts";
import { envelopeOf } from "../envelope.ts";
import { clientOf } from "./client.ts";
import type { Serving } from "./serving.ts";

/** The structured content of every answer, refusals too, so that clients that check it never hide a message. */
export const OUTPUT = z.looseObject({ status: z.string(), message: z.string() });

/**
 * Clients that hand their model the structured content alone; the others hand it the text, and some of them both. A
 * reply's words are in the part that is read, once: said in both, they would cost the model twice.
 */
const DATA_READERS = /^(?:claude[- ]code|codex|visual studio code|vscode|(?:github-)?copilot)/i;

/** Which part of an answer the client's model is shown. */
export type Reader = "text" | "data";

export function readerOf(serving: Serving, context: ServerContext): Reader {
  return DATA_READERS.test(clientOf(serving, context)?.name ?? "") ? "data" : "text";
}

/** The answer to a reply: the part that the client's model reads has all its words, the other one line. */
export function toResult(reply: Reply, reader: Reader): CallToolResult {
  const { refused, text } = reply;
  const whole = envelopeOf(reply);
  const line = firstLine(String(whole.message));
  const isSaid = (value: unknown) => value === text;
  const facts = Object.fromEntries(Object.entries(whole).filter(([, value]) => !isSaid(value)));
  return {
    content: [{ type: "text", text: reader === "text" ? text : line }],
    structuredContent: reader === "text" ? { ...facts, message: line } : whole,
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
