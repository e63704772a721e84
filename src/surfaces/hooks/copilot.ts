/**
 * Copilot CLI and Copilot's cloud agent. Their calls do not name the event, so their content identifies it,
 * unless the hook's command names it. The tool's input is JSON in a string. VS Code reads the same files and
 * makes the same call in a format of its own, so an answer has both formats. If a hook takes too long, the
 * tool runs.
 */
import { type Dialect, type HookCall, type Input, inputIn, json, SILENT, textIn } from "./dialect.ts";
import { hookCall, pawlTool } from "./tool-action.ts";
import { readLikeVsCode, stopLikeVsCode } from "./vscode.ts";

const EVENTS: Readonly<Record<string, HookCall["event"]>> = {
  preToolUse: "before-tool",
  postToolUse: "after-tool",
  agentStop: "stop",
  subagentStop: "stop",
  sessionStart: "session",
};

function eventIn(input: Input, named: string | undefined): HookCall["event"] {
  if (named !== undefined && Object.hasOwn(EVENTS, named)) return EVENTS[named] ?? "other";
  if (textIn(input, "toolName") !== "")
    return "toolResult" in input || "error" in input ? "after-tool" : "before-tool";
  return textIn(input, "stopReason") !== "" ? "stop" : "other";
}

function read(input: Input, named: string | undefined): HookCall {
  if (textIn(input, "hook_event_name", "hookEventName") !== "") return readLikeVsCode(input, undefined);
  const tool = textIn(input, "toolName");
  return hookCall({
    event: eventIn(input, named),
    session: textIn(input, "sessionId", "session_id"),
    cwd: textIn(input, "cwd"),
    tool: { tool, ...pawlTool(tool), input: inputIn(input, "toolArgs") },
    isSubagent: named === "subagentStop" || textIn(input, "agentName") !== "",
  });
}

export const copilot: Dialect = {
  read,
  allow: () => SILENT,
  deny(reason) {
    const decision = { permissionDecision: "deny", permissionDecisionReason: reason };
    return json({ ...decision, hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } });
  },
  replaceCommand: (input, command) =>
    json({ permissionDecision: "allow", modifiedArgs: { ...input, command } }),
  continueWith: (reason) => json({ decision: "block", reason, hookSpecificOutput: stopLikeVsCode(reason) }),
};
