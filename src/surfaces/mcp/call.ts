import {
  type CallToolResult,
  type InputRequiredResult,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { toPawlError } from "../../core/error.ts";
import { masked } from "../../core/masked.ts";
import type { Waiting } from "../../core/ports/checks.ts";
import type { Tool } from "../../runtime/module.ts";
import { advance, type Runtime } from "../../runtime/run-transaction.ts";
import { callerOf, readerOf, refusal, toResult } from "./answer.ts";
import { RUN_KEY } from "./app/app.ts";
import { showsApp } from "./app/client.ts";
import { checkArguments } from "./arguments.ts";
import { ask, takeAnswer } from "./ask.ts";
import type { Question, Serving } from "./serving.ts";

type Answer = CallToolResult | InputRequiredResult;
type Handler = (input: unknown, context: ServerContext) => Promise<Answer>;

/** Answers calls of a tool. An error becomes an answer; it never breaks the connection. */
export function toolHandler(serving: Serving, tool: Tool): Handler {
  return (input, context) =>
    serving.work.run(async () => {
      const { runtime } = serving;
      const answer = masked(
        withPending(await answerOf(serving, tool, input, context), runtime),
        runtime.mask,
      );
      await logCall(serving, tool, answer, context);
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
    const input = checkArguments(tool, given);
    const answer = await moved(serving, tool, input, context);
    const run = tool.waitsAtGate && showsApp(serving, context) ? tool.transaction.run(input) : null;
    return run === null ? answer : { ...answer, _meta: { ...answer._meta, [RUN_KEY]: run } };
  } catch (thrown) {
    const { code, message, fix } = toPawlError(thrown);
    return refusal(code, message, fix);
  }
}

async function moved(
  serving: Serving,
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  context: ServerContext,
): Promise<Answer> {
  const question = context.mcpReq.requestState<Question>();
  if (question) return takeAnswer(serving, tool, input, question, context);
  const runtime = { ...serving.runtime, waiting: waitingOf(context) };
  const prepared = await advance(runtime, tool.transaction, input, callerOf(serving, context, "mcp"));
  return prepared.ask
    ? ask(serving, tool, input, prepared.ask, context)
    : toResult(prepared.reply, readerOf(serving, context));
}

/** The answer, and what waits in the journal because the disk refuses to take it into the files. */
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

/** A closed connection is not a cancellation: the call still runs to its end. */
function cancellationOf(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    const isGone = signal.reason instanceof SdkError && signal.reason.code === SdkErrorCode.ConnectionClosed;
    if (!isGone) controller.abort(signal.reason);
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return controller.signal;
}

/** While the client waits, it can cancel the call, and gets progress notifications if it asked for them. */
function waitingOf({ mcpReq }: ServerContext): Waiting {
  const stop = cancellationOf(mcpReq.signal);
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stop };
  let progress = 0;
  const onWait = (message: string) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // A client that no longer listens must not turn a wait into a failure.
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  return { stop, onWait };
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

/** One log message per call, for clients that ask: by logging/setLevel (2025 protocol) or with each call (2026). */
async function logCall(serving: Serving, tool: Tool, answer: Answer, context: ServerContext): Promise<void> {
  if (!("content" in answer)) return;
  const { isError, structuredContent } = answer as CallToolResult;
  const message = (structuredContent as { message?: unknown } | undefined)?.message;
  const level = isError ? "warning" : "info";
  const { logLevel } = serving;
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const isWanted = logLevel !== null && LEVELS.indexOf(level) >= LEVELS.indexOf(logLevel);
  if (!isWanted && envelope?.[LOG_LEVEL_META_KEY] === undefined) return;
  try {
    await context.mcpReq.log(level, { tool: tool.name, message }, "pawl");
  } catch {
    // A client that does not listen must not turn an answer into a failure.
  }
}
