/**
 * Gemini CLI (0.61). Exit code 1 lets the tool through; anything but JSON on standard output is shown to the
 * person.
 */
import { isObject } from "../../core/json.ts";
import { type Dialect, type HookCall, type Input, inputIn, json, SILENT, textIn } from "./dialect.ts";
import { actionOf, pawlTool } from "./tool-action.ts";

const EVENTS: Readonly<Record<string, HookCall["event"]>> = {
  BeforeTool: "before-tool",
  AfterTool: "after-tool",
  AfterAgent: "stop",
  SessionStart: "session",
};

function read(input: Input, named: string | undefined): HookCall {
  const name = textIn(input, "hook_event_name") || named || "";
  const event = Object.hasOwn(EVENTS, name) ? (EVENTS[name] ?? "other") : "other";
  const cwd = textIn(input, "cwd") || null;
  const called = textIn(input, "tool_name");
  const { mcp_context: context } = input;
  const server = isObject(context)
    ? { server: textIn(context, "server_name") || "unknown", tool: textIn(context, "tool_name") || called }
    : pawlTool(called, "mcp_");
  const given = inputIn(input, "tool_input");
  const tool = { tool: called, ...server, input: given, cwd: cwd ?? "." };
  return {
    event,
    session: textIn(input, "session_id"),
    cwd,
    folders: [],
    actions: event === "before-tool" || event === "after-tool" ? actionOf(tool) : [],
    input: given,
    isSubagent: false,
    continued: 0,
  };
}

export const gemini: Dialect = {
  read,
  allow: () => SILENT,
  deny: (reason) => json({ decision: "deny", reason }),
  behind: (_input, command) =>
    json({
      decision: "allow",
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command } },
    }),
  continueWith: (reason) => json({ decision: "deny", reason }),
};
