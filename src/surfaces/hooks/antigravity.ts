/**
 * Antigravity. Its calls do not name the event, so their content identifies it, unless the hook's command
 * names it. An answer without a decision blocks, so every answer is printed. It ignores a refusal of
 * `invoke_subagent`; the subagent's actions are then judged call by call.
 */
import { isObject } from "../../core/json.ts";
import { type Dialect, type HookCall, type Input, inputIn, json, textIn, textsIn } from "./dialect.ts";
import { hookCall, pawlTool, serverTool } from "./tool-action.ts";

const EVENTS: Readonly<Record<string, HookCall["event"]>> = {
  PreToolUse: "before-tool",
  PostToolUse: "after-tool",
  Stop: "stop",
};

function eventIn(input: Input, named: string | undefined): HookCall["event"] {
  const name = textIn(input, "hook_event_name", "hookEventName") || named || "";
  if (Object.hasOwn(EVENTS, name)) return EVENTS[name] ?? "other";
  if (isObject(input.toolCall)) return "before-tool";
  return "terminationReason" in input || "fullyIdle" in input ? "stop" : "other";
}

function read(input: Input, named: string | undefined): HookCall {
  const folders = textsIn(input, "workspacePaths");
  const called = inputIn(input, "toolCall");
  const args = inputIn(called, "args", "arguments");
  const name = textIn(called, "name");
  // Antigravity calls the tools of MCP servers through one tool of its own, too.
  const isCall = name === "call_mcp_tool";
  const inner = isCall
    ? { server: textIn(args, "ServerName", "server"), tool: textIn(args, "ToolName", "tool") }
    : (serverTool(name) ?? pawlTool(name, "mcp_") ?? pawlTool(name));
  return hookCall({
    ...{ event: eventIn(input, named), session: textIn(input, "conversationId"), folders },
    cwd: textIn(args, "Cwd") || folders[0],
    tool: { tool: name, ...inner, input: isCall ? inputIn(args, "Arguments", "arguments") : args },
    isSubagent: textIn(input, "parentConversationId") !== "",
  });
}

export const antigravity: Dialect = {
  read,
  allow: ({ event }) => json(event === "before-tool" || event === "stop" ? { decision: "allow" } : {}),
  deny: (reason) => json({ decision: "deny", reason }),
  continueWith: (reason) => json({ decision: "continue", reason }),
};
