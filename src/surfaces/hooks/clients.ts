/** The clients whose hooks the guard supports. */
import type { GuardedClient } from "../../guard/clients.ts";
import { antigravity } from "./antigravity.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { vscode } from "./vscode.ts";

export const DIALECTS: Readonly<Record<GuardedClient, Dialect>> = {
  "claude-code": claudeCode,
  ...{ codex, copilot, vscode, cursor, gemini, antigravity, opencode },
};
