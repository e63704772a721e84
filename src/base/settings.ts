/**
 * The effective configuration: `pawl.yaml` over `.alfred/config.yml` over these defaults. `config.ts` reads and checks
 * it; every layer below receives it as data.
 */
export interface Settings {
  readonly alfred: AlfredSettings;
  /** By name; `claude`, `codex`, `opencode`, `gemini` and `scripted` need no entry. */
  readonly agents?: Readonly<Record<string, AgentSettings>>;
}

/** How an agent is started. */
export interface AgentSettings {
  /** The kind of program; its own name where that is one. */
  readonly dialect?: "claude" | "codex" | "opencode" | "gemini" | "scripted";
  /** Instead of a dialect: a program that speaks the Agent Client Protocol on its standard streams. */
  readonly acp?: { readonly command: string; readonly args?: readonly string[] };
  /** The program, if not the dialect's own on the PATH. */
  readonly program?: string;
  /** More arguments, after Pawl's own. */
  readonly args?: readonly string[];
  readonly model?: string;
  /** Names of environment variables (secrets among them) that it may have; a `*` at the end stands for any rest. */
  readonly environment?: readonly string[];
}

export type Reviewer = "ai" | "human";

export interface AlfredSettings {
  readonly provider: "local" | "jira" | "linear";
  /** Who reviews, in order, per tool; `default` for the tools not named. */
  readonly reviews: Readonly<Record<string, readonly Reviewer[]>>;
  /** How a human's verdict reaches Pawl. relay: by `provide_review`; elicit: asked of the human through the client;
   * confirm: only by a human channel such as the terminal. */
  readonly human_review: "relay" | "elicit" | "confirm";
  /** Whether a disagreement between report and evidence is only shown, or must be settled first. */
  readonly evidence: "show" | "require";
  /** Name → shell command, run before a review. */
  readonly checks: Readonly<Record<string, string>>;
  /** Tool → persona's name. */
  readonly personas: Readonly<Record<string, string>>;
}

export const DEFAULT_SETTINGS: Settings = {
  alfred: {
    provider: "local",
    reviews: { default: ["ai", "human"] },
    human_review: "relay",
    evidence: "show",
    checks: {},
    personas: {},
  },
};
