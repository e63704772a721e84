/**
 * OpenCode, through the plugin that `pawl init --guard` writes: Pawl defines the format of both sides. A stop
 * cannot be refused.
 */
import {
  type Dialect,
  type HookCall,
  type Input,
  inputIn,
  json,
  SILENT,
  textIn,
  textsIn,
} from "./dialect.ts";
import { actionOf, pawlTool } from "./tool-action.ts";

const EVENTS: readonly string[] = ["before-tool", "after-tool", "shell"] satisfies HookCall["event"][];

function read(input: Input): HookCall {
  const name = textIn(input, "event");
  const event = EVENTS.includes(name) ? (name as HookCall["event"]) : "other";
  const cwd = textIn(input, "cwd") || null;
  const tool = textIn(input, "tool");
  const given = inputIn(input, "args");
  const call = { tool, ...pawlTool(tool), input: given, cwd: cwd ?? "." };
  return {
    event,
    session: textIn(input, "sessionID"),
    cwd,
    folders: textsIn(input, "folders"),
    actions: event === "other" ? [] : actionOf(call),
    input: given,
    isSubagent: false,
    continued: 0,
  };
}

export const opencode: Dialect = {
  read,
  allow: () => SILENT,
  deny: (reason) => json({ decision: "deny", reason }),
  behind: (_input, command) => json({ wall: command }),
  continueWith: () => null,
};
