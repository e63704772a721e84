/** The agents that need no entry in the configuration, and how to install each. */
import type { AgentSettings } from "./settings.ts";

export interface AgentNeeds {
  readonly install: string;
  /** How it gets access to a model. */
  readonly access: string;
}

/** Null: Pawl's own agent needs nothing. */
export const AGENT_NEEDS: Readonly<Record<NonNullable<AgentSettings["dialect"]>, AgentNeeds | null>> = {
  claude: {
    install: "npm install -g @anthropic-ai/claude-code",
    access: "log in with `claude`, or set ANTHROPIC_API_KEY",
  },
  codex: {
    install: "npm install -g @openai/codex",
    access: "log in with `codex login`, or set CODEX_API_KEY",
  },
  opencode: { install: "npm install -g opencode-ai", access: "log in with `opencode auth login`" },
  gemini: {
    install: "npm install -g @google/gemini-cli",
    access: "log in with `gemini`, or set GEMINI_API_KEY",
  },
  scripted: null,
};

/** Every agent name that a task may use. */
export function agentNames(agents: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return [...new Set([...Object.keys(AGENT_NEEDS), ...Object.keys(agents)])];
}
