import {
  type CallToolResult,
  type InputRequiredResult,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { toPawlError } from "../../core/error.ts";
import { masked } from "../../core/text/masked.ts";
import type { Tool } from "../../runtime/module.ts";
import { type Runtime, runTransaction } from "../../runtime/transaction/run-transaction.ts";
import { checkArguments } from "../arguments.ts";
import { partFor, refusal, toResult } from "./answer.ts";
import { RUN_KEY } from "./app/app.ts";
import { ask, takeAnswer, withAddress } from "./ask.ts";
import { type Connection, callerOf, type Question, showsApp, tracedBy, waitingOf } from "./connection.ts";

type Answer = CallToolResult | InputRequiredResult;
type Handler = (input: unknown, context: ServerContext) => Promise<Answer>;

/** Answers calls of a tool. An error becomes an answer; it never breaks the connection. */
export function toolHandler(connection: Connection, tool: Tool): Handler {
  return (input, context) =>
    connection.work.run(async () => {
      const { runtime } = connection;
      const answer = masked(
        withPending(await answerOf(connection, tool, input, context), runtime),
        runtime.mask,
      );
      await logCall(connection, tool, answer, context);
      return answer;
    });
}

async function answerOf(
  connection: Connection,
  tool: Tool,
  given: unknown,
  context: ServerContext,
): Promise<Answer> {
  try {
    const input = checkArguments(tool, given);
    const answer = await moved(connection, tool, input, context);
    const run = tool.waitsAtGate && showsApp(connection, context) ? tool.transaction.run(input) : null;
    if (run !== null) return { ...answer, _meta: { ...answer._meta, [RUN_KEY]: run } };
    return "content" in answer
      ? await withAddress(connection, tool, input, answer as CallToolResult, context)
      : answer;
  } catch (thrown) {
    const { code, message, fix } = toPawlError(thrown);
    return refusal(code, message, fix);
  }
}

async function moved(
  connection: Connection,
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  context: ServerContext,
): Promise<Answer> {
  const question = context.mcpReq.requestState<Question>();
  if (question) return takeAnswer(connection, tool, input, question, context);
  const runtime = { ...tracedBy(connection.runtime, context), waiting: waitingOf(context) };
  const prepared = await runTransaction(
    runtime,
    tool.transaction,
    input,
    callerOf(connection, context, "mcp"),
  );
  return prepared.ask
    ? ask(connection, tool, input, prepared.ask, context)
    : toResult(prepared.reply, partFor(connection, context));
}

/** Adds a note about commits that wait in the journal because the disk refuses to write the files. */
function withPending(answer: Answer, { store }: Runtime): Answer {
  const pending = store.pending();
  const { content, isError, structuredContent } = answer as CallToolResult;
  if (pending === null || !content || isError) return answer;
  const warning = `${pending.message} ${pending.fix}`;
  return {
    ...answer,
    content: [...content, { type: "text", text: `Warning: ${warning}` }],
    structuredContent: { ...(structuredContent as object), warning },
  };
}

const LEVELS: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Whether a client of the 2025 protocol wants messages of the level. */
export function isLogged({ logLevel }: Pick<Connection, "logLevel">, level: LoggingLevel): boolean {
  return logLevel !== null && LEVELS.indexOf(level) >= LEVELS.indexOf(logLevel);
}

/**
 * One log message per call, for clients that request it: with logging/setLevel (2025 protocol) or with each
 * call (2026).
 */
async function logCall(
  connection: Connection,
  tool: Tool,
  answer: Answer,
  context: ServerContext,
): Promise<void> {
  if (!("content" in answer)) return;
  const { isError, structuredContent } = answer as CallToolResult;
  const message = (structuredContent as { message?: unknown } | undefined)?.message;
  const level = isError ? "warning" : "info";
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  if (!isLogged(connection, level) && envelope?.[LOG_LEVEL_META_KEY] === undefined) return;
  try {
    await context.mcpReq.log(level, { tool: tool.name, message }, "pawl");
  } catch {
    // A client that has gone must not turn an answer into a failure.
  }
}
