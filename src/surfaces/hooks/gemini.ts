/**
 * Gemini CLI (0.61). Exit code 1 lets the tool through; anything but JSON on standard output is shown to the
 * person.
 */
import { isObject } from "../../core/json.ts";
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
import { hookCall, pawlTool } from "./tool-action.ts";

const EVENTS: Readonly<Record<string, HookCall["event"]>> = {
  BeforeTool: "before-tool",
  AfterTool: "after-tool",
  AfterAgent: "stop",
  SessionStart: "session",
};

function read(input: Input, named: string | undefined): HookCall {
  const name = textIn(input, "hook_event_name") || named || "";
  const called = textIn(input, "tool_name");
  const { mcp_context: context } = input;
  const server = isObject(context)
    ? { server: textIn(context, "server_name") || "unknown", tool: textIn(context, "tool_name") || called }
    : pawlTool(called, "mcp_");
  return hookCall({
    event: eventNamed(EVENTS, name),
    session: textIn(input, "session_id"),
    cwd: textIn(input, "cwd"),
    tool: { tool: called, ...server, input: inputIn(input, "tool_input") },
  });
}

export const gemini: Dialect = {
  read,
  allow: () => SILENT,
  deny: (reason) => json({ decision: "deny", reason }),
  replaceCommand: (_input, command) =>
    json({
      decision: "allow",
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command } },
    }),
  continueWith: (reason) => json({ decision: "deny", reason }),
};
