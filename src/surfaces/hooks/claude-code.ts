/**
 * Claude Code (2.1). A hook that fails, or ends with any code but 2, lets the tool through, unless its entry has
 * `onFailure: "block"`. It ends a turn itself after a few refused ends.
 */
import { type Dialect, type HookCall, type Input, inputIn, json, SILENT, textIn } from "./dialect.ts";
import { actionOf, serverTool } from "./tool-action.ts";

const EVENTS: Readonly<Record<string, HookCall["event"]>> = {
  PreToolUse: "before-tool",
  PostToolUse: "after-tool",
  PostToolUseFailure: "after-tool",
  Stop: "stop",
  SubagentStop: "stop",
  SessionStart: "session",
};

/** The form that several clients have taken over. */
export function readLikeClaude(input: Input, named: string | undefined): HookCall {
  const name = textIn(input, "hook_event_name", "hookEventName") || named || "";
  const event = Object.hasOwn(EVENTS, name) ? (EVENTS[name] ?? "other") : "other";
  const cwd = textIn(input, "cwd") || null;
  const called = textIn(input, "tool_name", "toolName");
  const server = serverTool(called);
  const tool = { tool: called, ...server, input: inputIn(input, "tool_input", "toolInput"), cwd: cwd ?? "." };
  return {
    event,
    session: textIn(input, "session_id", "sessionId"),
    cwd,
    folders: [],
    actions: event === "before-tool" || event === "after-tool" ? actionOf(tool) : [],
    isSubagent: textIn(input, "agent_id") !== "" || name === "SubagentStop",
    // It says that it was continued, and not how often: the session's own count decides.
    continued: 0,
  };
}

export function denyLikeClaude(reason: string) {
  return json({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  });
}

export const claudeCode: Dialect = {
  read: readLikeClaude,
  allow: () => SILENT,
  deny: denyLikeClaude,
  continueWith: (reason) => json({ decision: "block", reason }),
};
