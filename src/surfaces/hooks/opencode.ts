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
import { hookCall, pawlTool } from "./tool-action.ts";

const EVENTS: readonly string[] = ["before-tool", "after-tool", "shell"] satisfies HookCall["event"][];

function read(input: Input): HookCall {
  const name = textIn(input, "event");
  const event = EVENTS.includes(name) ? (name as HookCall["event"]) : "other";
  const tool = textIn(input, "tool");
  return hookCall({
    event,
    session: textIn(input, "sessionID"),
    cwd: textIn(input, "cwd"),
    folders: textsIn(input, "folders"),
    tool: { tool, ...pawlTool(tool), input: inputIn(input, "args") },
  });
}

export const opencode: Dialect = {
  read,
  allow: () => SILENT,
  deny: (reason) => json({ decision: "deny", reason }),
  replaceCommand: (_input, command) => json({ wall: command }),
  continueWith: () => null,
};
