/** What a tool answers over MCP, and whom: the one envelope that every reply, refusal and error of every tool has. */
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type Implementation,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ErrorCode } from "../../base/error.ts";
import type { Caller } from "../../base/event.ts";
import type { Runtime } from "../../runtime/advance.ts";
import type { Reply } from "../../workflows/module.ts";
import type { Work } from "./work.ts";

export interface Serving {
  readonly runtime: Runtime;
  readonly server: McpServer;
  readonly codec: RequestStateCodec<Question>;
  readonly work: Work;
}

/** What the signed state says of an open question. */
export interface Question {
  readonly tool: string;
  readonly input: string;
  readonly message: string;
}

/** The structured content of every answer, refusals too, so that clients that check it never hide a message. */
export const OUTPUT = z.looseObject({ status: z.string(), message: z.string() });

export function toResult({ text, data, refused }: Reply): CallToolResult {
  const envelope = { status: refused ? "error" : "success", message: firstLine(text) };
  return {
    content: [{ type: "text", text }],
    structuredContent: { ...envelope, ...data },
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

/** Who calls, as far as the client says. */
export function callerOf(serving: Serving, context: ServerContext, channel: "mcp" | "elicitation"): Caller {
  const client = clientOf(serving, context);
  return client ? { channel, who: `${client.name} ${client.version}` } : { channel };
}

function clientOf({ server }: Serving, context: ServerContext): Implementation | undefined {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return (envelope?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion()) as Implementation | undefined;
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}
