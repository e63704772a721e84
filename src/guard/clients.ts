/** The clients whose hooks call the guard. */
export const GUARDED_CLIENTS = [
  "claude-code",
  "codex",
  "copilot",
  "vscode",
  "cursor",
  "gemini",
  "antigravity",
  "opencode",
] as const;
export type GuardedClient = (typeof GUARDED_CLIENTS)[number];

export function isGuardedClient(name: string | undefined): name is GuardedClient {
  return (GUARDED_CLIENTS as readonly (string | undefined)[]).includes(name);
}
