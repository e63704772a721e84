/** The clients that `pawl init --client` can connect. */
export const CLIENTS = [
  "claude-code",
  "codex",
  "cursor",
  "vscode",
  "opencode",
  "gemini",
  "antigravity",
] as const;

/** Of these Pawl has only the guard's hook. */
export const GUARD_ONLY = ["copilot"] as const;
