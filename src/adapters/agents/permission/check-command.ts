/**
 * A separate program: Claude Code's hook before each shell command of an agent that may only edit. It reads
 * the call on stdin; its arguments are the agent's folder and the listed commands. It allows listed commands.
 * It refuses a command that begins as a listed one and does more, whatever other rules allow. Otherwise it
 * prints nothing: without a person, Claude Code refuses what no rule allows, as it does if this program
 * cannot start.
 */
import { text } from "node:stream/consumers";
import { leaves } from "../dialects/acp-policy.ts";
import { parseLine, textAt } from "../dialects/dialect.ts";
import { judgeCommand } from "../dialects/listed-commands.ts";

const [folder = process.cwd(), ...allow] = process.argv.slice(2);
const call = parseLine(await text(process.stdin));
const command = textAt(call, "tool_input", "command").trim();
const from = textAt(call, "cwd") || folder;
const verdict =
  textAt(call, "tool_name") === "Bash" && command !== ""
    ? judgeCommand(command, allow, (path) => leaves(folder, path, from))
    : "other";
if (verdict !== "other") {
  const isListed = verdict === "listed";
  const reason = isListed
    ? "Pawl lists it."
    : "Pawl allows this command only with options and paths that neither write nor read outside of the workspace, and without shell signs ($, >, |, ;, a line break). Write a message in quotes: git commit -m 'What, and why'.";
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: isListed ? "allow" : "deny",
    permissionDecisionReason: reason,
  };
  process.stdout.write(`${JSON.stringify({ hookSpecificOutput })}\n`);
}
