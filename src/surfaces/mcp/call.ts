import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { toPawlError } from "../../base/error.ts";
import { advance } from "../../runtime/advance.ts";
import type { Tool } from "../../workflows/module.ts";
import { callerOf, type Question, refusal, type Serving, toResult } from "./answer.ts";
import { checkArguments } from "./arguments.ts";
import { ask, takeAnswer } from "./ask.ts";

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
    const input = checkArguments(tool, given);
    const question = context.mcpReq.requestState<Question>();
    if (question) return await takeAnswer(serving, tool, input, question, context);
    const prepared = await advance(serving.runtime, tool.advance, input, callerOf(serving, context, "mcp"));
    return prepared.ask ? await ask(serving, tool, input, prepared.ask, context) : toResult(prepared.reply);
  } catch (thrown) {
    const { code, message, fix } = toPawlError(thrown);
    return refusal(code, message, fix);
  }
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
