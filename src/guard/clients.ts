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

/** What `pawl guard --canary` says that it is: no client's session. */
export const CANARY_SESSION = "pawl-canary";

/** Clients that skip a project's hooks, without a word, until a person trusts them or the folder. */
export const TRUST_FIRST: readonly GuardedClient[] = ["codex", "copilot", "gemini"];
