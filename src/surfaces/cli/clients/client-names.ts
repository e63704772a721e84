/** The clients that `pawl init --client` can connect. */
export const CLIENTS = [
  "claude-code",
  "codex",
  "cursor",
  "vscode",
  "opencode",
  "gemini",
  "antigravity",
  "copilot",
] as const;
