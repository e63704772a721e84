/**
 * Cursor. With `failClosed` an empty answer blocks, so every answer is printed. A stop cannot be refused; a
 * follow-up message begins the next turn, and Cursor counts these.
 */
import {
  type Dialect,
  eventNamed,
  type HookCall,
  type Input,
  inputIn,
  json,
  textIn,
  textsIn,
} from "./dialect.ts";
import { hookCall, type ToolCall } from "./tool-action.ts";

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
  const folders = textsIn(input, "workspace_roots");
  const count = input.loop_count;
  return hookCall({
    event: eventNamed(EVENTS, name),
    session: textIn(input, "conversation_id", "session_id"),
    cwd: textIn(input, "cwd") || folders[0],
    folders,
    tool: toolIn(name, input),
    isSubagent: name === "subagentStop" || textIn(input, "subagent_id", "parent_conversation_id") !== "",
    continued: typeof count === "number" ? count : 0,
  });
}

function toolIn(event: string, input: Input): Omit<ToolCall, "cwd"> {
  const tool = textIn(input, "tool_name");
  if (/ShellExecution$/.test(event)) return { tool: "Shell", input };
  if (/FileEdit$/.test(event)) return { tool: "Edit", input: { file_path: textIn(input, "file_path") } };
  // `MCP:tool`, or `MCP:server:tool`.
  const [, named, called] = /^MCP:(?:([^:]+):)?(.+)$/s.exec(tool) ?? [];
  const isServers = event === "beforeMCPExecution" || event === "afterMCPExecution" || called !== undefined;
  // Cursor does not name the server here. Assume Pawl's, because the guard handles only the tools of Pawl's
  // server specially.
  const server = isServers ? named || textIn(input, "server", "server_name") || "pawl" : null;
  return { tool: called ?? tool, server, input: inputIn(input, "tool_input") };
}

export const cursor: Dialect = {
  read,
  allow: ({ event }) => json(event === "before-tool" ? { permission: "allow" } : {}),
  deny: (reason) => json({ permission: "deny", user_message: reason, agent_message: reason }),
  continueWith: (reason) => json({ followup_message: reason }),
};
