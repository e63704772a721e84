/**
 * Codex (0.171). The format is Claude Code's, but stricter: it rejects an answer with `ask`, an empty reason
 * or an unknown key, and accepts `allow` only with another command, so an allowed call gets no output. Edits
 * come as one tool, `apply_patch`, with the patch in `tool_input.command`.
 */
import { denyLikeClaude, readLikeClaude } from "./claude-code.ts";
import { type Dialect, json, SILENT } from "./dialect.ts";

export const codex: Dialect = {
  replaceCommand: (_input, command) =>
    json({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command },
      },
    }),
  read: readLikeClaude,
  allow: () => SILENT,
  deny: denyLikeClaude,
  continueWith: (reason) => json({ decision: "block", reason }),
};
