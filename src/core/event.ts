import type { BloomEvent } from "./bloom-event.ts";
import { projectPath } from "./path.ts";
import type { PolicyChange } from "./policy.ts";
import type { Strength } from "./strength.ts";

/** The log: each event is a line of this file. */
export const EVENTS = projectPath(".pawl/events.jsonl");

/**
 * The union of all events, named in the past tense. Pawl appends an event to `.pawl/events.jsonl` in the same
 * commit as the state that it describes. CLI, MCP, terminal UI and board read the events.
 */
/** The run that an event is about by its `taskId`: a task of Bloom, or a run of one of the project's own workflows by its whole name. */
export function runOfTask(taskId: string): string {
  return taskId.includes(":") ? taskId : `bloom:${taskId}`;
}

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
 * The parts of the union. A workflow's folder adds its own by declaration merging: it adds a member to this
 * interface in a `declare module` of this file. Such an event extends `OwnEvent`, so that every surface can
 * show it.
 */
export interface ProjectEvents {
  readonly advanced: RunAdvanced;
  readonly policy: PolicyAccepted;
  readonly edit: EditKept;
  readonly journal: JournalForeign | JournalAccepted;
  readonly guard: GuardStrayed | GuardAccepted;
  readonly device: DeviceEvent;
  readonly bloom: BloomEvent;
}

export type ProjectEvent = ProjectEvents[keyof ProjectEvents];

/** The fields of every event of a workflow's own. Surfaces show its summary. */
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
  /** Only of a person's verdict. */
  readonly strength?: Strength;
  /** The database's login that brought it, if it is a verdict in one. */
  readonly login?: string;
  /** The caller's own trace span (`traceparent`), if it gave one. */
  readonly trace?: string;
}

/** The part of the caller that is public with a step. */
export function publicCaller({ channel, who }: Caller): Pick<Caller, "channel" | "who"> {
  return { channel, ...(who === undefined ? {} : { who }) };
}

/** Pawl found a person's edit in a file that it had to write, and kept the edit in another file first. */
export interface EditKept {
  readonly type: "edit:kept";
  readonly path: string;
  readonly kept: string;
}

/** Files changed while the run's state did not permit it: out-of-scope edits. */
export interface GuardStrayed {
  readonly type: "guard:strayed";
  readonly run: string;
  /** In the form of `pawl status`. */
  readonly state: string;
  readonly paths: readonly string[];
}

/** A person accepted out-of-scope edits as they are. */
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
   * `another-key`: another key signed them. `earlier`: they belong to an earlier journal of this project.
   * `unusable`: they contain something that Pawl never writes.
   */
  readonly reason: "another-key" | "earlier" | "unusable";
}

/** A person accepted the changes of a foreign journal. */
export interface JournalAccepted {
  readonly type: "journal:accepted";
  readonly kept: string;
  readonly paths: readonly string[];
  readonly by: Caller;
}

/** A device of `pawl board --listen` came, was turned away, or lost its access. */
export interface DeviceEvent {
  readonly type: "device:added" | "device:entered" | "device:refused" | "device:revoked";
  /** Null: unknown. */
  readonly device: string | null;
  /** The peer's address, which behind a tunnel is the tunnel's own; null: not over the network. */
  readonly from: string | null;
  /** Why it was refused, or how it signed in. */
  readonly how: string;
}

/** The caller, and its channel. Stored with a verdict; `Strength` is what the verdict is worth. */
export interface Caller {
  /**
   * `mcp`: a model's tool call. `elicitation`: the answer to a question that the client was to ask a person.
   * On the command line, `terminal`: a caller with a terminal; `script`: a caller without one; `agent`: a
   * process that an agent started. `board`: the page of `pawl board`, in a browser that a person opened by
   * its address.
   */
  readonly channel: "mcp" | "elicitation" | "terminal" | "board" | "script" | "agent" | "library";
  /** If known: the client's name and version, or the user and host of the terminal. */
  readonly who?: string;
  /**
   * Present if the caller is a process of one of the loop's runs: the task for whose agent it may speak. Null
   * if the process cannot prove that it belongs to that agent; then it may speak for none.
   */
  readonly task?: string | null;
  /**
   * Present if the caller is a device of `pawl board --listen`: its name. Such a caller approves only with its
   * passkey.
   */
  readonly device?: string;
}
