/**
 * Codex (0.169). The form is Claude Code's, but stricter: it refuses an answer with `allow`, `ask`, an empty reason or an unknown
 * key, so to allow is to print nothing. Edits come as one tool, `apply_patch`, with the patch in `tool_input.command`.
 */
import { denyLikeClaude, readLikeClaude } from "./claude-code.ts";
import { type Dialect, json, SILENT } from "./dialect.ts";

export const codex: Dialect = {
  read: readLikeClaude,
  allow: () => SILENT,
  deny: denyLikeClaude,
  continueWith: (reason) => json({ decision: "block", reason }),
};
