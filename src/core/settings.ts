/**
 * The effective configuration: `pawl.yaml` over `.alfred/config.yml` over these defaults. `config.ts` reads
 * and checks it; every lower layer gets it as data.
 */

import { NOTICE_KINDS, type NoticeKind } from "./notice.ts";
import type { Delivery } from "./ports/worktrees.ts";
import type { GateLevels } from "./strength.ts";

export interface Settings {
  /** The project's random id. A signature for this project counts for no other. Null if it has none yet. */
  readonly project_id: string | null;
  /** How strong a person's verdict must be, by gate. */
  readonly gates: GateLevels;
  /** Whether assistants are kept from writing where a run's state does not permit it. */
  readonly guard: boolean;
  /** Whether records of all runs are written for git. A workflow with a signed gate writes them in any case. */
  readonly share: boolean;
  readonly verify: {
    /** The logins whose approving reviews on the forge `pawl verify --forge` counts. */
    readonly reviewers: readonly string[];
  };
  readonly alfred: AlfredSettings;
  readonly bloom: BloomSettings;
  /** By name. `claude`, `codex`, `opencode`, `gemini` and `scripted` need no entry. */
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  /** The files of the project's own workflows, as pawl.yaml writes them: `./release.yaml`. */
  readonly workflows: readonly string[];
  /**
   * More environment variables for the commands that Pawl itself runs: checks, verify, setup, own workflows.
   */
  readonly environment: readonly string[];
  /** Each task's own resources while it is at work; `environment:` of pawl.yaml, beside its `variables`. */
  readonly task_environment: TaskEnvironment;
  readonly git: {
    /** The filters that git may run, by name. Their commands come from the person's own git configuration. */
    readonly filters: readonly string[];
    /**
     * How a remote refuses pushes of a worker that lost its task to another machine: by refs of Pawl's own,
     * by branches if the remote accepts nothing else, or not at all.
     */
    readonly fence: "refs" | "branches" | "none";
    /**
     * How a task's commits come into its target; null: a merge commit, or a rebase if the remote accepts no
     * merge commits.
     */
    readonly deliver: Delivery | null;
    /** The new commit's message: `{id}`, `{title}`, `{type}`, `{commits}`; null: the default. */
    readonly message: string | null;
  };
  /**
   * The setup of a checkout before work or checks begin in it, by the repository's path; `.` is the project's
   * own.
   */
  readonly setup: Readonly<Record<string, SetupSettings>>;
  readonly sandbox: SandboxSettings;
  readonly notify: NotifySettings;
  /**
   * Where a workflow's state is kept: in this checkout's files, or in a database that several machines share.
   */
  readonly stores: { readonly bloom: "files" | "postgres" };
}

/**
 * The receivers of Pawl's notices, and their kinds. Addresses and secrets are in environment variables, which
 * are named here.
 */
export interface NotifySettings {
  readonly for: readonly NoticeKind[];
  /**
   * `22:00-07:00`, by this machine's clock: notices of these hours are sent afterwards. Null: no quiet hours.
   */
  readonly quiet: string | null;
  readonly desktop: boolean;
  readonly webhook: { readonly url_env: string; readonly secret_env: string } | null;
  readonly slack: { readonly url_env: string } | null;
  readonly discord: { readonly url_env: string } | null;
  /** A program and its arguments; empty: no such receiver. */
  readonly command: readonly string[];
}

/** The wall around agents and around the commands that Pawl runs. */
export interface SandboxSettings {
  /** auto: `bwrap` if it works, otherwise no wall and a warning. */
  readonly kind: "auto" | "bwrap" | "none";
  /** model: only the agent's model, and `hosts`. none: only the wall's own loopback. */
  readonly network: "all" | "model" | "none";
  /**
   * More hosts that are reachable with the network `model`: `registry.npmjs.org`, `*.example.com`,
   * `name:port`.
   */
  readonly hosts: readonly string[];
  /** More paths that may be read, or written: absolute, from `~/`, or from the project's root. */
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export interface TaskEnvironment {
  /** The number of free TCP ports. */
  readonly ports: number;
  /** The shell command that makes it, in the project's folder and without a wall. Null: none. */
  readonly up: string | null;
  /** The shell command that removes it. */
  readonly down: string | null;
  /** Names of resources that one task at a time may use. */
  readonly exclusive: readonly string[];
}

export interface SetupSettings {
  /** Shell commands, in order. */
  readonly run: readonly string[];
  /** Files of the repository. If one changes, the commands run again. Absent: the known lock files. */
  readonly inputs?: readonly string[];
  /** Files and folders that the commands make. Another checkout with the same inputs gets copies. */
  readonly cache?: readonly string[];
}

/** How an agent is started. */
export interface AgentSettings {
  /** The kind of program (default: the agent's own name). */
  readonly dialect?: "claude" | "codex" | "opencode" | "gemini" | "scripted";
  /** Instead of a dialect: a program that speaks the Agent Client Protocol over stdin and stdout. */
  readonly acp?: { readonly command: string; readonly args?: readonly string[] };
  /** The program, if it is not the dialect's own on the PATH. */
  readonly program?: string;
  /** More arguments, after Pawl's own. */
  readonly args?: readonly string[];
  readonly model?: string;
  /**
   * Names of environment variables, secrets included, that the agent may have. A `*` at the end matches any
   * rest.
   */
  readonly environment?: readonly string[];
}

export type Reviewer = "ai" | "human";

export interface AlfredSettings {
  readonly provider: "local" | "jira" | "linear" | "github";
  /** Who reviews, in order, per tool; `default` for the tools not named. */
  readonly reviews: Readonly<Record<string, readonly Reviewer[]>>;
  /** `reviews: light` and the like: how much process a task gets. Null: what `reviews` says per tool. */
  readonly size: Size | null;
  /**
   * How a person's verdict reaches Pawl. relay: through `provide_review`; elicit: the client asks the person;
   * confirm: only through a person's channel such as the terminal.
   */
  readonly human_review: "relay" | "elicit" | "confirm";
  /** If report and evidence disagree: `show` only shows it; `require` demands a correction first. */
  readonly evidence: "show" | "require";
  /** Name → shell command. Runs before a review. */
  readonly checks: Readonly<Record<string, string>>;
  /**
   * Where checks run. checkout: in a fresh checkout of the handed-in work; worktree: in the working folder,
   * with ignored files and later changes.
   */
  readonly checks_in: "checkout" | "worktree";
  /** Tool → persona's name. */
  readonly personas: Readonly<Record<string, string>>;
  readonly tracker: TrackerSettings;
}

export const SIZES = ["light", "standard", "careful"] as const;
export type Size = (typeof SIZES)[number];

/** The reviewers of a size. In all of them a delivery, the push, comes after the last gate. */
export const SIZED_REVIEWS: Readonly<Record<Size, AlfredSettings["reviews"]>> = {
  light: { default: ["human"], start_task: [], review_task: [], test_task: [], finalize_task: [] },
  standard: { default: ["human"], start_task: [], review_task: [], test_task: [], finalize_task: [] },
  careful: { default: ["ai", "human"], finalize_task: [] },
};

/** How to read and update the provider's tasks, if the provider is not `local`. */
export interface TrackerSettings {
  /**
   * The key of Jira's project or Linear's team, or GitHub's `owner/name`; null: the person's own tasks, on
   * GitHub those of the checkout's repository.
   */
  readonly project: string | null;
  /** A task's status → the tracker's. An unlisted status leaves the tracker unchanged. */
  readonly statuses: Readonly<Record<string, string>>;
  /** The address of a file of the project, with `{path}` in it; null: show the path alone. */
  readonly link: string | null;
}

export interface BloomSettings {
  /** Relative to the project's root. `-f` and `$BLOOM_TASKS_FILE` take precedence. */
  readonly tasks_file: string;
  /** The folders that were searched, nearest first; for the error when the file is missing. */
  readonly searched: readonly string[];
  /** The command of this program in an agent's prompt. */
  readonly command: string;
  /** The agent of a task that names none. */
  readonly agent: string;
  /** The life of a task that names none: one of `workflows`, which extends Bloom's table. Null: Bloom's own table. */
  readonly life: string | null;
  /** The agents that take over such a task while its agent's account is limited or refused, in this order. */
  readonly stand_ins: readonly string[];
  /** No step begins for which less is left of its agent's quota than its last runs took. */
  readonly fit: boolean;
  /** The number of agents at work at once. */
  readonly agents: number;
  /** How many merges into one branch are prepared and verified at once, each on top of the previous one. */
  readonly merge_train: number;
  readonly permission: "ask" | "edits" | "all";
  /** What to do if an agent succeeds and leaves its step open. */
  readonly on_unmarked_step: "assume" | "ask" | "block";
  /**
   * How often Pawl tries a failing step, verification, commit, push, merge or pull request before it blocks
   * the task.
   */
  readonly tries: number;
  /** Seconds before the second try. Each further try doubles them, up to the limit. */
  readonly backoff: { readonly first: number; readonly limit: number };
  /** Seconds between checks for merged pull requests; 0: only when a run starts. */
  readonly watch_pull_requests: number;
  /**
   * How often a pull request goes back to its agent with the forge's objections, before a person is asked; 0:
   * never.
   */
  readonly pr: { readonly rounds: number };
  /** The budget of a task that has none of its own. */
  readonly budget: { readonly usd?: number; readonly turns?: number; readonly minutes?: number };
  /**
   * The maximum number of tasks at work over all machines, by repository and by agent, and what agents may
   * spend a day (UTC) in all.
   */
  readonly caps: {
    readonly repositories: Readonly<Record<string, number>>;
    readonly agents: Readonly<Record<string, number>>;
    readonly usd_per_day?: number;
  };
  /** By a repository's path: the labels that a worker must have to work there. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** Minutes: of an agent's silence, of an agent's run, of a verify command. */
  readonly limits: { readonly silence: number; readonly run: number; readonly verify: number };
  /** More environment variables for verify commands. */
  readonly environment: readonly string[];
}

/** The agents that may work on the task, in order: its own alone, or the project's and its stand-ins. */
export function agentsFor(
  task: { readonly agent?: string | undefined },
  { agent, stand_ins }: Pick<BloomSettings, "agent" | "stand_ins">,
): readonly string[] {
  return task.agent === undefined ? [agent, ...stand_ins] : [task.agent];
}

export const DEFAULT_SETTINGS: Settings = {
  project_id: null,
  gates: {},
  guard: false,
  share: false,
  verify: { reviewers: [] },
  workflows: [],
  environment: [],
  task_environment: { ports: 0, up: null, down: null, exclusive: [] },
  git: { filters: [], fence: "refs", deliver: null, message: null },
  stores: { bloom: "files" },
  setup: {},
  sandbox: { kind: "auto", network: "all", hosts: [], read: [], write: [] },
  notify: {
    for: NOTICE_KINDS,
    quiet: null,
    desktop: false,
    webhook: null,
    slack: null,
    discord: null,
    command: [],
  },
  alfred: {
    provider: "local",
    reviews: { default: ["ai", "human"] },
    size: null,
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
    life: null,
    stand_ins: [],
    fit: false,
    agents: 1,
    merge_train: 4,
    permission: "edits",
    on_unmarked_step: "assume",
    tries: 3,
    backoff: { first: 5, limit: 300 },
    watch_pull_requests: 60,
    pr: { rounds: 3 },
    budget: {},
    caps: { repositories: {}, agents: {} },
    labels: {},
    limits: { silence: 15, run: 120, verify: 30 },
    environment: [],
  },
  agents: {},
};
