/**
 * Claude Code (2.1). If a hook fails, or exits with any code but 2, the tool runs, unless the hook's entry
 * has `onFailure: "block"`. After a few refused stops, Claude Code ends the turn itself.
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

/** Reads the format, which several other clients have adopted. */
export function readLikeClaude(input: Input, named: string | undefined): HookCall {
  const name = textIn(input, "hook_event_name", "hookEventName") || named || "";
  const event = Object.hasOwn(EVENTS, name) ? (EVENTS[name] ?? "other") : "other";
  const cwd = textIn(input, "cwd") || null;
  const called = textIn(input, "tool_name", "toolName");
  const server = serverTool(called);
  const given = inputIn(input, "tool_input", "toolInput");
  const tool = { tool: called, ...server, input: given, cwd: cwd ?? "." };
  return {
    event,
    session: textIn(input, "session_id", "sessionId"),
    cwd,
    folders: [],
    actions: event === "before-tool" || event === "after-tool" ? actionOf(tool) : [],
    input: given,
    isSubagent: textIn(input, "agent_id") !== "" || name === "SubagentStop",
    // The client reports only that it was continued, not how often, so the session's own count decides.
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

/**
 * Replaces the command without a decision, so that Claude Code's own rules and the person still decide
 * whether it runs.
 */
const updated = (input: Input, command: string) => ({
  hookEventName: "PreToolUse",
  updatedInput: { ...input, command },
});

export const claudeCode: Dialect = {
  behind: (input, command) => json({ hookSpecificOutput: updated(input, command) }),
  read: readLikeClaude,
  allow: () => SILENT,
  deny: denyLikeClaude,
  continueWith: (reason) => json({ decision: "block", reason }),
};
