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

/** The session id of `pawl guard --canary`, which belongs to no client. */
export const CANARY_SESSION = "pawl-canary";

/** Clients that silently skip a project's hooks until a person trusts the hooks or the folder. */
export const TRUST_FIRST: readonly GuardedClient[] = ["codex", "copilot", "gemini"];
