import type { BloomHappening } from "./bloom-event.ts";
import type { PolicyChange } from "./policy.ts";
import type { Strength } from "./strength.ts";

/**
 * Everything that happens is one event of this union, in the past tense. Events are appended to
 * `.pawl/events.jsonl` in the same commit as the state that they tell of; CLI, MCP, terminal UI and board read them.
 */
export type PawlEvent = Happening & {
  /** Unique; also what a replayed append is recognised by. */
  readonly id: string;
  /** When, ISO 8601 in UTC. */
  readonly time: string;
};

/** A person accepted what the files say now. */
export interface PolicyAccepted {
  readonly type: "policy:accepted";
  readonly run: string;
  readonly accepted: readonly PolicyChange[];
  readonly by: Caller;
}

/**
 * The union's parts. A workflow's folder adds its own by declaration merging: `interface Happenings { letters: LetterPosted }`
 * in a `declare module` of this file. An event of its own is an `OwnEvent`, so that every surface can show it.
 */
export interface Happenings {
  readonly advanced: RunAdvanced;
  readonly policy: PolicyAccepted;
  readonly edit: EditKept;
  readonly journal: JournalForeign | JournalAccepted;
  readonly bloom: BloomHappening;
}

export type Happening = Happenings[keyof Happenings];

/** The least that an event of a workflow's own says; it is shown by its summary. */
export interface OwnEvent {
  /** `letter:posted` */
  readonly type: string;
  /** `workflow:id` */
  readonly run: string;
  /** One line for a person. */
  readonly summary: string;
}

/** A run took one rule of its table. */
export interface RunAdvanced {
  readonly type: "run:advanced";
  /** `workflow:id` */
  readonly run: string;
  /** The machine within the workflow, such as `start_task`; the workflow's own name where it has but one. */
  readonly machine: string;
  readonly event: string;
  readonly row: string;
  readonly from: string;
  readonly to: string;
  /** One line for a person. */
  readonly summary: string;
  readonly by: Caller;
  /** Of a person's verdict: its channel. */
  readonly strength?: Strength;
}

/** A person's edit was found where a committed write belonged; it was kept aside before the write. */
export interface EditKept {
  readonly type: "edit:kept";
  readonly path: string;
  readonly kept: string;
}

/** The journal held commits that are not this project's own; they were set aside, and not applied. */
export interface JournalForeign {
  readonly type: "journal:foreign";
  readonly kept: string;
  readonly commits: number;
  /** Another key made them; or they are of an earlier journal of this project; or they say what Pawl never writes. */
  readonly reason: "another-key" | "earlier" | "unusable";
}

/** A person took over what a foreign journal would have written. */
export interface JournalAccepted {
  readonly type: "journal:accepted";
  readonly kept: string;
  readonly paths: readonly string[];
  readonly by: Caller;
}

/** Who asked, by which channel. It is stored with a verdict; `Strength` says how much that is worth. */
export interface Caller {
  /**
   * `mcp`: a model's tool call. `elicitation`: the answer to a question that the client was to ask a person. The command
   * line: `terminal`, one at a terminal; `script`, one without; `agent`, one that an agent's process called.
   */
  readonly channel: "mcp" | "elicitation" | "terminal" | "script" | "agent" | "library";
  /** As far as known: the client's name and version, or the user and host of the terminal. */
  readonly who?: string;
  /**
   * Where it is a process of one of the loop's runs: the task for whose agent it may speak; null where it cannot prove
   * that it is that agent, and may say nothing.
   */
  readonly task?: string | null;
}
