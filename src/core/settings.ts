/**
 * The effective configuration: `pawl.yaml` over `.alfred/config.yml` over these defaults. `config.ts` reads and checks
 * it; every layer below receives it as data.
 */
import type { GateLevels } from "./strength.ts";

export interface Settings {
  /** The project's random id: what is signed for it counts for no other. Null: it has none yet. */
  readonly project_id: string | null;
  /** How strong a person's verdict must be, by gate. */
  readonly gates: GateLevels;
  readonly alfred: AlfredSettings;
  readonly bloom: BloomSettings;
  /** By name; `claude`, `codex`, `opencode`, `gemini` and `scripted` need no entry. */
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  /** The files of the project's own workflows, as they are written: `./release.yaml`. */
  readonly workflows: readonly string[];
  /** Variables that commands which Pawl runs itself (checks, verify, setup, own workflows') get beside the usual ones. */
  readonly environment: readonly string[];
  readonly git: {
    /** The filters that git may run, by their names; their commands come from the person's own git configuration. */
    readonly filters: readonly string[];
  };
  /** What a checkout of a repository needs before anybody works or checks in it; by the repository's path, `.` the project's. */
  readonly setup: Readonly<Record<string, SetupSettings>>;
  readonly sandbox: SandboxSettings;
}

/** The wall around agents and around the commands that Pawl runs. */
export interface SandboxSettings {
  /** auto: `bwrap` where it works, else none, and that is told. */
  readonly kind: "auto" | "bwrap" | "none";
  /** none: nothing but the wall's own loopback. */
  readonly network: "all" | "none";
  /** What may be read besides, and what may be written: absolute, from `~/`, or from the project's root. */
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export interface SetupSettings {
  /** Shell commands, in order. */
  readonly run: readonly string[];
  /** Files of the repository: where one changes, the commands run again. Absent: the lock files that are known. */
  readonly inputs?: readonly string[];
  /** Files and folders that the commands make, to be copied where another checkout has the same inputs. */
  readonly cache?: readonly string[];
}

/** How an agent is started. */
export interface AgentSettings {
  /** The kind of program (default: the agent's own name). */
  readonly dialect?: "claude" | "codex" | "opencode" | "gemini" | "scripted";
  /** Instead of a dialect: a program that speaks the Agent Client Protocol on its standard streams. */
  readonly acp?: { readonly command: string; readonly args?: readonly string[] };
  /** The program, if not the dialect's own on the PATH. */
  readonly program?: string;
  /** More arguments, after Pawl's own. */
  readonly args?: readonly string[];
  readonly model?: string;
  /** Names of environment variables (secrets among them) that it may have; a `*` at the end matches any rest. */
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
  /**
   * Where checks run. checkout: in a fresh checkout of what was handed in; worktree: in the working folder, where ignored
   * files count and what is there may change meanwhile.
   */
  readonly checks_in: "checkout" | "worktree";
  /** Tool → persona's name. */
  readonly personas: Readonly<Record<string, string>>;
  readonly tracker: TrackerSettings;
}

/** How to read and update the provider's tasks, if it is not `local`. */
export interface TrackerSettings {
  /** Jira's project or Linear's team, by its key; null: the person's own tasks. */
  readonly project: string | null;
  /** A task's status → the tracker's; what is not named leaves the tracker's as it is. */
  readonly statuses: Readonly<Record<string, string>>;
  /** The address of a file of the project, with `{path}` in it; null: the path alone. */
  readonly link: string | null;
}

export interface BloomSettings {
  /** Relative to the project's root; `-f` and `$BLOOM_TASKS_FILE` come before it. */
  readonly tasks_file: string;
  /** The folders in which it was looked for, nearest first; for the error that it is missing. */
  readonly searched: readonly string[];
  /** How an agent's prompt calls this program. */
  readonly command: string;
  /** The agent of tasks that name none. */
  readonly agent: string;
  /** How many work at once. */
  readonly agents: number;
  /** How many merges into one branch are prepared and verified side by side, each on top of the one before. */
  readonly merge_train: number;
  readonly permission: "ask" | "edits" | "all";
  /** What to do if an agent succeeds and leaves its step open. */
  readonly on_unmarked_step: "assume" | "ask" | "block";
  /** How often a failing step, verification, commit, push, merge or pull request is tried before the task is blocked. */
  readonly tries: number;
  /** Seconds before the second try; doubled for each further one, up to the limit. */
  readonly backoff: { readonly first: number; readonly limit: number };
  /** Seconds between checks for merged pull requests; 0: only when a run starts. */
  readonly watch_pull_requests: number;
  /** A task's budget where it has none of its own. */
  readonly budget: { readonly usd?: number; readonly turns?: number; readonly minutes?: number };
  /** Minutes: of an agent's silence, of an agent's run, of a verify command. */
  readonly limits: { readonly silence: number; readonly run: number; readonly verify: number };
  /** Variables of the environment that verify commands get beside those that every child gets. */
  readonly environment: readonly string[];
}

export const DEFAULT_SETTINGS: Settings = {
  project_id: null,
  gates: {},
  workflows: [],
  environment: [],
  git: { filters: [] },
  setup: {},
  sandbox: { kind: "auto", network: "all", read: [], write: [] },
  alfred: {
    provider: "local",
    reviews: { default: ["ai", "human"] },
    human_review: "relay",
    evidence: "show",
    checks: {},
    checks_in: "checkout",
    personas: {},
    tracker: {
      project: null,
      statuses: {
        planning: "In Progress",
        in_development: "In Progress",
        revisions_requested: "In Progress",
        done: "Done",
      },
      link: null,
    },
  },
  bloom: {
    tasks_file: "tasks.yaml",
    searched: [],
    command: "bloom",
    agent: "claude",
    agents: 1,
    merge_train: 4,
    permission: "edits",
    on_unmarked_step: "assume",
    tries: 3,
    backoff: { first: 5, limit: 300 },
    watch_pull_requests: 60,
    budget: {},
    limits: { silence: 15, run: 120, verify: 30 },
    environment: [],
  },
  agents: {},
};
