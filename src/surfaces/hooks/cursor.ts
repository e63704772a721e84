/**
 * Cursor. With `failClosed` an empty answer blocks, so every answer is printed. A stop cannot be refused; a
 * follow-up message begins the next turn, and Cursor counts these.
 */
import { type Dialect, type HookCall, type Input, inputIn, json, textIn, textsIn } from "./dialect.ts";
import { actionOf } from "./tool-action.ts";

const EVENTS: Readonly<Record<string, HookCall["event"]>> = {
  preToolUse: "before-tool",
  beforeShellExecution: "before-tool",
  beforeMCPExecution: "before-tool",
  beforeTabFileEdit: "before-tool",
  postToolUse: "after-tool",
  afterFileEdit: "after-tool",
  afterShellExecution: "after-tool",
  afterMCPExecution: "after-tool",
  stop: "stop",
  subagentStop: "stop",
  sessionStart: "session",
};

function read(input: Input, named: string | undefined): HookCall {
  const name = textIn(input, "hook_event_name") || named || "";
  const event = Object.hasOwn(EVENTS, name) ? (EVENTS[name] ?? "other") : "other";
  const folders = textsIn(input, "workspace_roots");
  const cwd = textIn(input, "cwd") || folders[0] || null;
  const count = input.loop_count;
  return {
    event,
    session: textIn(input, "conversation_id", "session_id"),
    cwd,
    folders,
    actions: event === "before-tool" || event === "after-tool" ? actionsOf(name, input, cwd ?? ".") : [],
    input: {},
    isSubagent: name === "subagentStop" || textIn(input, "subagent_id", "parent_conversation_id") !== "",
    continued: typeof count === "number" ? count : 0,
  };
}

function actionsOf(event: string, input: Input, cwd: string) {
  const tool = textIn(input, "tool_name");
  if (/ShellExecution$/.test(event)) return actionOf({ tool: "Shell", input, cwd });
  if (/FileEdit$/.test(event))
    return actionOf({ tool: "Edit", input: { file_path: textIn(input, "file_path") }, cwd });
  // `MCP:tool`, or `MCP:server:tool`.
  const [, named, called] = /^MCP:(?:([^:]+):)?(.+)$/s.exec(tool) ?? [];
  const isServers = event === "beforeMCPExecution" || event === "afterMCPExecution" || called !== undefined;
  // Cursor does not name the server here. Assume Pawl's, because the guard handles only the tools of Pawl's
  // server specially.
  const server = isServers ? named || textIn(input, "server", "server_name") || "pawl" : null;
  return actionOf({ tool: called ?? tool, server, input: inputIn(input, "tool_input"), cwd });
}

export const cursor: Dialect = {
  read,
  allow: ({ event }) => json(event === "before-tool" ? { permission: "allow" } : {}),
  deny: (reason) => json({ permission: "deny", user_message: reason, agent_message: reason }),
  continueWith: (reason) => json({ followup_message: reason }),
};
