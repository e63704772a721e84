/**
 * Claude Code (2.1). If a hook fails, or exits with any code but 2, the tool runs, unless the hook's entry
 * has `onFailure: "block"`. After a few refused stops, Claude Code ends the turn itself.
 */
import {
  type Dialect,
  eventNamed,
  type HookCall,
  type Input,
  inputIn,
  json,
  SILENT,
  textIn,
} from "./dialect.ts";
import { hookCall, serverTool } from "./tool-action.ts";

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
  const called = textIn(input, "tool_name", "toolName");
  return hookCall({
    event: eventNamed(EVENTS, name),
    session: textIn(input, "session_id", "sessionId"),
    cwd: textIn(input, "cwd"),
    tool: { tool: called, ...serverTool(called), input: inputIn(input, "tool_input", "toolInput") },
    isSubagent: textIn(input, "agent_id") !== "" || name === "SubagentStop",
    // The client reports only that it was continued, not how often, so the session's own count decides.
  });
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
  replaceCommand: (input, command) => json({ hookSpecificOutput: updated(input, command) }),
  read: readLikeClaude,
  allow: () => SILENT,
  deny: denyLikeClaude,
  continueWith: (reason) => json({ decision: "block", reason }),
};
