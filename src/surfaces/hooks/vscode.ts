/**
 * VS Code's own agent. The format of a refusal is Claude Code's; a refused stop is inside
 * `hookSpecificOutput`. It ignores matchers, so the hook is called for every tool. Inputs are in camel case.
 */
import { denyLikeClaude, readLikeClaude } from "./claude-code.ts";
import { type Dialect, type HookCall, type Input, inputIn, json, SILENT, textIn } from "./dialect.ts";
import { actionOf, pawlTool } from "./tool-action.ts";

export function readLikeVsCode(input: Input, named: string | undefined): HookCall {
  const call = readLikeClaude(input, named);
  const server = pawlTool(textIn(input, "tool_name", "toolName"), "mcp_");
  if (server === null || call.event === "stop") return call;
  const tool = { ...server, input: inputIn(input, "tool_input", "toolInput"), cwd: call.cwd ?? "." };
  return { ...call, actions: actionOf(tool) };
}

export const stopLikeVsCode = (reason: string) => ({ hookEventName: "Stop", decision: "block", reason });

export const vscode: Dialect = {
  read: readLikeVsCode,
  allow: () => SILENT,
  deny: denyLikeClaude,
  continueWith: (reason) => json({ hookSpecificOutput: stopLikeVsCode(reason) }),
};
