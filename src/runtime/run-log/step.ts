/**
 * The log of a run: `.pawl/log/<workflow>/<id>.jsonl`, one line per step, appended in the commit that writes
 * the run's state file. It is the one record of how the run came to its state; the state file is the document
 * of its last line.
 *
 * L1  Each step holds the hash of the previous step, over all lives of the run.
 * L2  The last line of a commit holds the hash of what decides in the run's state file after it, and the
 *     file's difference from before.
 * L3  A line suffices to continue from it: a move reads the last line alone, so its time does not grow with
 *     the log.
 */
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import type { Caller, PawlEvent } from "../../core/event.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import {
  accepts,
  as,
  type Check,
  fields,
  flag,
  listOf,
  mapOf,
  number,
  object,
  onlyKeys,
  optional,
  orNull,
  sha256,
  text,
  unchecked,
} from "../../core/state-json.ts";
import type { Strength } from "../../core/strength.ts";
import { openByText } from "../../core/text/by-text.ts";
import type { Facts, FactValue } from "../../engine/workflow.ts";
import type { Json, Patch } from "./patch.ts";

/**
 * `begun`: a life of the run begins, or one of its tools, at a start of the table. `moved`: a rule was taken.
 * `accepted`: a person accepted the state as it was, or set it. `found`: a state had no log. `returned`: an
 * earlier document was put back. `adopted`: a person continues from a branch that others made.
 */
export type StepKind = "begun" | "moved" | "accepted" | "found" | "returned" | "adopted";

/** What a step says beyond the event, as far as its workflow has it. */
export interface StepDetails {
  /** Alfred: the task's status after it. */
  readonly status?: string;
  /** The sha-256 of what was handed in or judged. */
  readonly artifact?: string;
  /** A verdict in one line. */
  readonly verdict?: string;
  /** Own workflows: the observed inputs, the notes of the event, the tree that a person judged. */
  readonly facts?: Facts;
  /** Those facts whose command passed and ran no test. Absent: none. */
  readonly empty?: readonly string[];
  readonly notes?: string;
  readonly tree?: string;
  /** The command whose end the event reported, and the hash of what it printed. */
  readonly ended?: EndedCommand;
  /** The ends of other branches that a person's decision overrules. */
  readonly over?: readonly string[];
}

export interface EndedCommand {
  readonly command: string;
  readonly exit_code: number | null;
  readonly milliseconds: number;
  readonly sha256: string;
  /** It ran no test, by what it printed. */
  readonly empty?: true;
  /** It was an agent of the workflow, by this name; the command names its program. */
  readonly agent?: string;
}

/** Run X moved from A to B, by P. */
export interface Step extends StepDetails {
  readonly v: 1;
  /** `workflow:id` */
  readonly run: string;
  /** From 1, over all lives. */
  readonly seq: number;
  /** The hash of the previous step; null: it is the first. */
  readonly prev: string | null;
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  readonly kind: StepKind;
  /** The name of the table. */
  readonly machine: string;
  readonly from: string;
  readonly to: string;
  /** Only of a move. */
  readonly event?: string;
  readonly rule?: string;
  /** Of a move: the variables that it changed. Of the other kinds: all variables. */
  readonly set: Facts;
  /** The hash of the table, if it differs from the previous step's. */
  readonly table?: string;
  readonly by: Caller;
  /** Of a person's verdict. */
  readonly strength?: Strength;
  /** Of `returned`: the step after which the document was written. */
  readonly of?: string;
}

/** A run's position after a line. */
export interface Checkpoint {
  readonly machine: string;
  readonly state: string;
  readonly variables: Facts;
  /** The hash of its table; absent: it is in none. */
  readonly table?: string;
  /** The last step's number. */
  readonly seq: number;
  readonly head: string;
  /** Its life did not begin at a start of its table: git brought its state. */
  readonly unproved?: true;
}

/** The part that stays on this machine. */
export interface Local {
  /** The hash of what decides in the state file's content; null: it was removed. */
  readonly document: string | null;
  readonly patch: Patch;
  readonly checkpoint: Checkpoint;
  /** The run's events in this commit. */
  readonly events: readonly PawlEvent[];
  /** The names of the records that hold steps of this log alone, as far as its commits wrote some. */
  readonly records?: readonly string[];
}

/** `step`: null if only the document changed. `local`: on the last line of a commit. */
export interface Line {
  readonly id: string;
  readonly step: Step | null;
  readonly local?: Local;
}

/** The last line of a log: the end of a commit. */
export interface End extends Line {
  readonly local: Local;
}

/** A person decided on the state as it is: what is before it need not lead there. */
export function isDecision({ kind }: Pick<Step, "kind">): boolean {
  return kind === "accepted" || kind === "adopted";
}

/** The run's variables after a step. */
export function variablesAfter(before: Facts | undefined, { kind, set }: Pick<Step, "kind" | "set">): Facts {
  return kind === "moved" ? { ...before, ...set } : set;
}

/** The index of the last line of that line's commit; past the end if the commit is cut off. */
export function endOf(lines: readonly Line[], index: number): number {
  let at = index;
  while (at < lines.length && lines[at]?.local === undefined) at += 1;
  return at;
}

export function logPath(run: string): ProjectPath {
  const [workflow = "", id = ""] = run.split(/:(.*)/s);
  return projectPath(".pawl/log", workflow, `${id}.jsonl`);
}

/** Cached by text: a run's chain is compared with its records at every call. */
export function hashOfStep(step: Step): string {
  return stepHashes(JSON.stringify(step), () => hashOf(canonical(step)));
}

const stepHashes = openByText<string>(10_000);

/** A state file's content; a text that is not JSON is a string. */
export function documentIn(text: string): Json {
  return attempt<Json, Json>(() => JSON.parse(text.replace(/^\uFEFF/, "")) as Json, text);
}

/** The hash of a state file's content: its layout and the order of its keys do not count. */
export function hashOfDocument(text: string): string {
  return hashes(text, () => hashOf(canonical(documentIn(text))));
}

/** What a move writes, the next one reads. */
const hashes = openByText<string>(32);

export function renderLine(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** Throws `state-tampered`. `number`: the line's, if known. */
export function parseLine(run: string, line: string, number?: number): Line {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new DamagedLog(run, number, "it is not JSON, or only a part of it");
  }
  const fault = LINE(value, []);
  if (fault !== null) throw new DamagedLog(run, number, `${fault.at.join(".")}: ${fault.problem}`);
  const { step } = value as Line;
  if (step !== null && step.run !== run) throw new DamagedLog(run, number, `it is about the run ${step.run}`);
  return value as Line;
}

/** Throws `state-tampered` if the line is not the end of a commit. */
export function parseEnd(run: string, line: string): End {
  const end = parseLine(run, line);
  if (end.local === undefined)
    throw new DamagedLog(run, undefined, "the commit that it belongs to is cut off");
  const { checkpoint } = end.local;
  if (end.step !== null && (hashOfStep(end.step) !== checkpoint.head || end.step.to !== checkpoint.state))
    throw new DamagedLog(run, undefined, "its step and what follows from it contradict each other");
  return end as End;
}

/** The log of a run cannot be used. */
export class DamagedLog extends PawlError {
  /** With the line. */
  readonly problem: string;

  constructor(run: string, line: number | undefined, problem: string) {
    const which = line === undefined ? "the last line" : `line ${line}`;
    super(
      "state-tampered",
      `${logPath(run)}, the log of ${run}, cannot be used: ${which}: ${problem}. The run is held until a person decides.`,
      "Restore the file from a backup, or accept the run's state as it is in a terminal with `pawl repair`.",
    );
    this.problem = `${which}: ${problem}`;
  }
}

const KINDS: readonly string[] = [
  "begun",
  "moved",
  "accepted",
  "found",
  "returned",
  "adopted",
] satisfies StepKind[];

/** The values of a run's variables. */
export const factValues = mapOf(
  accepts<FactValue>(
    (value) => value === null || ["string", "number", "boolean"].includes(typeof value),
    "a string, a number, true, false or null",
  ),
);

const STEP_FIELDS = {
  v: accepts<1>((value) => value === 1, "1"),
  run: text,
  seq: number,
  prev: orNull(sha256),
  time: text,
  kind: accepts<StepKind>((value) => KINDS.includes(value as string), `one of ${KINDS.join(", ")}`),
  machine: text,
  from: text,
  to: text,
  event: optional(text),
  rule: optional(text),
  set: factValues,
  table: optional(sha256),
  by: as<Caller>(fields({ channel: text, who: optional(text) })),
  strength: optional(as<Strength>(text)),
  of: optional(sha256),
  status: optional(text),
  artifact: optional(sha256),
  verdict: optional(text),
  facts: optional(factValues),
  empty: optional(listOf(text)),
  notes: optional(text),
  tree: optional(text),
  ended: optional(
    fields({
      ...{ command: text, exit_code: orNull(number), milliseconds: number, sha256: text },
      ...{ empty: optional(flag as Check<true>), agent: optional(text) },
    }),
  ),
  over: optional(listOf(sha256)),
};

/** A step holds nothing that readers do not check. */
export const checkStep: Check<Step> = onlyKeys(Object.keys(STEP_FIELDS), fields(STEP_FIELDS) as Check<Step>);

const CHECKPOINT = fields({
  machine: text,
  state: text,
  variables: factValues,
  table: optional(sha256),
  seq: number,
  head: sha256,
  unproved: optional(flag),
});

const LINE = fields({
  id: text,
  step: orNull(checkStep),
  local: optional(
    fields({
      document: orNull(sha256),
      patch: unchecked<Patch>(),
      checkpoint: CHECKPOINT,
      events: listOf(object),
      records: optional(listOf(text)),
    }),
  ),
});
