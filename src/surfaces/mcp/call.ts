import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type Implementation,
  type InputRequiredResult,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type ErrorCode, toPawlError } from "../../base/error.ts";
import type { Caller } from "../../base/event.ts";
import { advance, type Runtime } from "../../runtime/advance.ts";
import type { Reply, Tool } from "../../workflows/module.ts";
import { ask, type Question, takeAnswer } from "./ask.ts";
import type { Work } from "./work.ts";

export interface Serving {
  readonly runtime: Runtime;
  readonly server: McpServer;
  readonly codec: RequestStateCodec<Question>;
  readonly work: Work;
}

type Answer = CallToolResult | InputRequiredResult;
type Handler = (input: unknown, context: ServerContext) => Promise<Answer>;

/** Answers calls of a tool. What is thrown becomes an answer that says so; it never breaks the connection. */
export function toolHandler(serving: Serving, tool: Tool): Handler {
  return (input, context) =>
    serving.work.run(async () => {
      const answer = await answerOf(serving, tool, input, context);
      await tell(tool, answer, context);
      return answer;
    });
}

async function answerOf(
  serving: Serving,
  tool: Tool,
  given: unknown,
  context: ServerContext,
): Promise<Answer> {
  try {
    const checked = tool.input.safeParse(given ?? {});
    if (!checked.success) return misfit(tool, checked.error.issues);
    const input = checked.data;
    const question = context.mcpReq.requestState<Question>();
    if (question) return await takeAnswer(serving, tool, input, question, context);
    const prepared = await advance(serving.runtime, tool.advance, input, callerOf(serving, context, "mcp"));
    return prepared.ask ? await ask(serving, tool, input, prepared.ask, context) : toResult(prepared.reply);
  } catch (thrown) {
    const { code, message, fix } = toPawlError(thrown);
    return refusal(code, message, fix);
  }
}

export function toResult({ text, data, refused }: Reply): CallToolResult {
  return {
    content: [{ type: "text", text }],
    structuredContent: data,
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

function misfit(
  tool: Tool,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
): CallToolResult {
  const isMissing = ({ message }: (typeof issues)[number]) => message.endsWith("received undefined");
  const faults = issues.map((issue) => {
    const place = issue.path.map(String).join(".") || "the arguments";
    if (!isMissing(issue)) return `${place}: ${issue.message}`;
    return `${place} is missing: expected ${/expected (.+), received/.exec(issue.message)?.[1] ?? "it"}`;
  });
  const takes = Object.keys(tool.input.shape).join(", ") || "no arguments";
  const purpose = issues.some(isMissing) ? ` ${tool.description}` : "";
  return refusal(
    "usage",
    `The arguments of ${tool.name} do not fit. ${faults.join("; ")}.`,
    `Call ${tool.name} again; it takes ${takes}.${purpose}`,
  );
}

/** Who calls, as far as the client says. */
export function callerOf(
  { server }: Serving,
  context: ServerContext,
  channel: "mcp" | "elicitation",
): Caller {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const client = (envelope?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion()) as
    | Implementation
    | undefined;
  return client ? { channel, who: `${client.name} ${client.version}` } : { channel };
}

/** One log message a call, for clients that show them. */
async function tell(tool: Tool, answer: Answer, context: ServerContext): Promise<void> {
  if (!("content" in answer)) return;
  const { isError, structuredContent } = answer as CallToolResult;
  const message = (structuredContent as { message?: unknown } | undefined)?.message;
  try {
    await context.mcpReq.log(isError ? "warning" : "info", { tool: tool.name, message }, "pawl");
  } catch {
    // A client that does not listen must not turn an answer into a failure.
  }
}
