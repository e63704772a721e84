import type { BloomEvent } from "./bloom-event.ts";
import { projectPath } from "./path.ts";
import type { PolicyChange } from "./policy.ts";
import type { Strength } from "./strength.ts";

/** Where every event is a line. */
export const EVENTS = projectPath(".pawl/events.jsonl");

/**
 * Everything that happens is one event of this union, named in the past tense. Pawl appends an event to
 * `.pawl/events.jsonl` in the same commit as the state that it describes. CLI, MCP, terminal UI and board read the
 * events.
 */
export type PawlEvent = ProjectEvent & {
  /** Unique. A replay recognises an append by it. */
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly time: string;
};

/** A person accepted the current content of the files. */
export interface PolicyAccepted {
  readonly type: "policy:accepted";
  readonly run: string;
  readonly accepted: readonly PolicyChange[];
  readonly by: Caller;
}

/**
 * The parts of the union. A workflow's folder adds its own by declaration merging: it adds a member to this interface
 * in a `declare module` of this file. Such an event extends `OwnEvent`, so that every surface can show it.
 */
export interface ProjectEvents {
  readonly advanced: RunAdvanced;
  readonly policy: PolicyAccepted;
  readonly edit: EditKept;
  readonly journal: JournalForeign | JournalAccepted;
  readonly guard: GuardStrayed | GuardAccepted;
  readonly bloom: BloomEvent;
}

export type ProjectEvent = ProjectEvents[keyof ProjectEvents];

/** What every event of a workflow's own must have. Surfaces show it by its summary. */
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
  /** The machine within the workflow, such as `start_task`; the workflow's own name if it has only one. */
  readonly machine: string;
  readonly event: string;
  readonly row: string;
  readonly from: string;
  readonly to: string;
  /** One line for a person. */
  readonly summary: string;
  readonly by: Caller;
  /** Present for a person's verdict. */
  readonly strength?: Strength;
  /** The span of the caller's own trace in which it asked (`traceparent`), if it said so. */
  readonly trace?: string;
}

/** Pawl found a person's edit in a file that it had to write, and kept the edit in another file first. */
export interface EditKept {
  readonly type: "edit:kept";
  readonly path: string;
  readonly kept: string;
}

/** Files changed while a run stood where they may not be written. */
export interface GuardStrayed {
  readonly type: "guard:strayed";
  readonly run: string;
  /** As `pawl status` shows it. */
  readonly state: string;
  readonly paths: readonly string[];
}

/** A person accepted such files as they are. */
export interface GuardAccepted {
  readonly type: "guard:accepted";
  readonly run: string;
  readonly paths: readonly string[];
  readonly by: Caller;
}

/** The journal held commits that this project did not make. Pawl set them aside and did not apply them. */
export interface JournalForeign {
  readonly type: "journal:foreign";
  readonly kept: string;
  readonly commits: number;
  /**
   * Another key signed them; or they belong to an earlier journal of this project; or they contain something that Pawl
   * never writes.
   */
  readonly reason: "another-key" | "earlier" | "unusable";
}

/** A person accepted what a foreign journal would have written. */
export interface JournalAccepted {
  readonly type: "journal:accepted";
  readonly kept: string;
  readonly paths: readonly string[];
  readonly by: Caller;
}

/** Who asked, and through which channel. It is stored with a verdict; `Strength` says how much it is worth. */
export interface Caller {
  /**
   * `mcp`: a model's tool call. `elicitation`: the answer to a question that the client was to ask a person. On the
   * command line, `terminal`: a caller with a terminal; `script`: a caller without one; `agent`: a process that an
   * agent started. `board`: the page of `pawl board`, in a browser that a person opened by its address.
   */
  readonly channel: "mcp" | "elicitation" | "terminal" | "board" | "script" | "agent" | "library";
  /** If known: the client's name and version, or the user and host of the terminal. */
  readonly who?: string;
  /**
   * Present if the caller is a process of one of the loop's runs: the task whose agent it may speak for. Null if the
   * process cannot prove that it belongs to that agent; then it may not speak for any.
   */
  readonly task?: string | null;
}
