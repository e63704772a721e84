/** The clients whose hooks the guard speaks. Each is loaded only when it calls. */
import type { GuardedClient } from "../../guard/clients.ts";
import type { Dialect } from "./dialect.ts";

export const DIALECTS: Readonly<Record<GuardedClient, () => Promise<Dialect>>> = {
  "claude-code": async () => (await import("./claude-code.ts")).claudeCode,
  codex: async () => (await import("./codex.ts")).codex,
  copilot: async () => (await import("./copilot.ts")).copilot,
  vscode: async () => (await import("./vscode.ts")).vscode,
  cursor: async () => (await import("./cursor.ts")).cursor,
  gemini: async () => (await import("./gemini.ts")).gemini,
  antigravity: async () => (await import("./antigravity.ts")).antigravity,
  opencode: async () => (await import("./opencode.ts")).opencode,
};
