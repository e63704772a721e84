/**
 * A run's records that git shares: `.alfred/records/<workflow>/<id>/<first>-<last>-<hash>.jsonl`, files that
 * are only ever added, so that git merges them without a conflict. A clone shows the run's state from them.
 *
 * R1  A record holds the steps of the run's chain that no other record here holds, one a line, and in its last
 *     line the run's state after them. Its name has the numbers of its first and last step and the beginning
 *     of the last one's hash, so names alone tell which steps are recorded.
 * R2  Steps are identified by their hashes, whatever files they are in, and however often: a record that was
 *     left on another branch is written again, and both count as one when the branches meet.
 * R3  Two steps with the same predecessor are two branches. The run is held until a person chooses one; the
 *     choice is a step, too, and names the ends that it overrules.
 * R4  Records are text of other authors. They are shown, and hold a run; they never move it, and open no
 *     gate.
 * R5  None is written where the workflow does not share its runs (`share` in pawl.yaml). Those that are there
 *     are read.
 */
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { isId } from "../../core/id.ts";
import { canonical } from "../../core/json.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import type { Settings } from "../../core/settings.ts";
import {
  accepts,
  as,
  type Check,
  fields,
  listOf,
  mapOf,
  object,
  only,
  optional,
  orNull,
  readState,
  sha256,
  text,
} from "../../core/state-json.ts";
import { hasSignedGate } from "../../core/strength.ts";
import type { FactValue } from "../../engine/workflow.ts";
import type { Elsewhere } from "../transaction/transaction.ts";
import { hashOfStep } from "./history.ts";

export const RECORDS = projectPath(".alfred/records");

/** A step in the records' form. */
export interface SharedStep {
  readonly time: string;
  /** Absent: no rule was taken. */
  readonly event?: string | undefined;
  readonly row?: string;
  readonly kind?: string;
  readonly from: string;
  readonly to: string;
  readonly by: { readonly channel: string; readonly who?: string | undefined };
  /** The hash of the previous step; null: it is the first. */
  readonly prev: string | null;
  /** The hashes of the ends of other branches that it overrules. */
  readonly over?: readonly string[] | undefined;
}

/** How a workflow's steps and states are checked when they are read. */
export interface Codec<Step extends SharedStep, RecordedState> {
  readonly step: Check<Step>;
  readonly recordedState: Check<RecordedState>;
}

/** A chain of steps from the run's beginning to an end without a successor. */
export interface RunBranch<Step, RecordedState> {
  /** The hash of its last step. */
  readonly head: string;
  readonly steps: readonly Step[];
  /** Its last record, and the run's state in it; null: it ends in this checkout's own state. */
  readonly recorded: { readonly path: ProjectPath; readonly recordedState: RecordedState } | null;
}

export interface LoadedRecord<Step, RecordedState> {
  readonly path: ProjectPath;
  readonly steps: readonly Step[];
  readonly recordedState: RecordedState | null;
}

const MOST_RECORDS = 10_000;
const LONGEST_RECORD = 4_000_000;
/** Bytes. A longer record is split. */
const USUAL_RECORD = 200_000;
const NAME = /^(\d{4,9})-(\d{4,9})-([0-9a-f]{16})\.jsonl$/;

/** The values of a run's variables. */
export const factValues = mapOf(
  accepts<FactValue>(
    (value) => value === null || ["string", "number", "boolean"].includes(typeof value),
    "a string, a number, true, false or null",
  ),
);
const SHARED_STEP = fields({
  time: text,
  event: optional(text),
  row: optional(text),
  kind: optional(text),
  from: text,
  to: text,
  by: fields({ channel: text, who: optional(text) }),
  prev: orNull(sha256),
  over: optional(listOf(sha256)),
});

export function recordsFolder(run: string): ProjectPath {
  const [workflow = "", id = ""] = run.split(/:(.*)/s);
  return projectPath(RECORDS, workflow, id);
}

/** Whether records of the workflow's runs are written. `pawl verify` reads those of a signed gate's run. */
export function sharesRuns({ gates, share, workflows }: Settings, workflow: string): boolean {
  if (share) return true;
  const own = workflows.map((file) => /([^/]*)\.ya?ml$/.exec(file)?.[1] ?? file);
  const others = [...WITH_GATES, ...own].filter((name) => name !== workflow);
  const entries = Object.entries(gates).filter(([entry]) => !others.includes(entry));
  return hasSignedGate(Object.fromEntries(entries), workflow);
}

/** In `gates`, these are names of workflows, not of gates. */
const WITH_GATES: readonly string[] = ["alfred", "bloom"] satisfies (keyof Settings)[];

/** The changes without the records of workflows that do not share their runs. */
export async function withoutUnshared(
  changes: readonly Change[],
  settings: () => Promise<Settings>,
): Promise<readonly Change[]> {
  const workflowOf = (change: Change) =>
    change.type === "write" ? (runOfRecord(change.path)?.split(":")[0] ?? null) : null;
  if (changes.every((change) => workflowOf(change) === null)) return changes;
  const found = await settings();
  return changes.filter((change) => {
    const workflow = workflowOf(change);
    return workflow === null || sharesRuns(found, workflow);
  });
}

/** The names of the run's records, sorted. */
export async function recordNames(view: View, run: string): Promise<readonly string[]> {
  const entries = await view.list(recordsFolder(run));
  return entries.flatMap(({ kind, name }) => (kind === "file" && spanOf(name) ? [name] : [])).sort();
}

/** The ids of the workflow's runs that have a folder of records. */
export async function recordedIds(view: View, workflow: string): Promise<readonly string[]> {
  const entries = await view.list(projectPath(RECORDS, workflow));
  return entries.flatMap(({ kind, name }) => (kind === "folder" && isId(name) ? [name] : []));
}

// ── Written with the step ────────────────────────────────────────────────────────────────────────────────────────

/**
 * The records of the steps from `first` on, the last of which leads to the run's state. `dropped`: earlier
 * steps.
 */
export function newRecords<RecordedState>(
  run: string,
  steps: readonly SharedStep[],
  first: number,
  recordedState: RecordedState,
  dropped = 0,
): readonly Change[] {
  const changes: Change[] = [];
  for (let begin = first; begin < steps.length; ) {
    let end = begin;
    for (let size = 0; end < steps.length && (end === begin || size < USUAL_RECORD); end++)
      size += JSON.stringify(steps[end]).length;
    const state = end === steps.length ? recordedState : null;
    const name = nameOf(dropped + begin + 1, dropped + end, steps[end - 1] as SharedStep);
    const lines = [...steps.slice(begin, end), { v: 1, run, state }].map(canonical);
    changes.push({
      type: "write",
      path: projectPath(recordsFolder(run), name),
      text: `${lines.join("\n")}\n`,
    });
    begin = end;
  }
  return changes;
}

function nameOf(first: number, last: number, step: SharedStep): string {
  return `${numbered(first)}-${numbered(last)}-${hashOfStep(step).slice(0, 16)}.jsonl`;
}

function numbered(seq: number): string {
  return String(seq).padStart(4, "0");
}

/** A record's first and last step, by its name. */
interface Span {
  readonly first: number;
  readonly last: number;
  /** The beginning of the last one's hash. */
  readonly hash: string;
}

/** Null: no record has that name. */
function spanOf(name: string): Span | null {
  const [, from = "", to = "", hash = ""] = NAME.exec(name) ?? [];
  const [first, last] = [Number(from), Number(to)];
  const isIt = first >= 1 && first <= last && numbered(first) === from && numbered(last) === to;
  return isIt ? { first, last, hash } : null;
}

/**
 * What the records' names say of this checkout's steps. `recorded`: how many of them, from the first on, are
 * in records. `isAll`: no record has other steps, so none needs to be read.
 */
export function recordedByName(
  names: readonly string[],
  steps: readonly SharedStep[],
): { readonly recorded: number; readonly isAll: boolean } {
  const spans = names.flatMap((name) => spanOf(name) ?? []);
  const own = spans.filter(({ hash, last }) => {
    const step = steps[last - 1];
    return step !== undefined && hashOfStep(step).startsWith(hash);
  });
  let recorded = 0;
  for (const { first, last } of own.sort((one, other) => one.first - other.first))
    if (first <= recorded + 1) recorded = Math.max(recorded, last);
  return { recorded, isAll: own.length === spans.length };
}

// ── Read ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The run's records. Throws `records-invalid`. */
export async function loadRecords<Step extends SharedStep, RecordedState>(
  view: View,
  run: string,
  names: readonly string[],
  codec: Codec<Step, RecordedState>,
): Promise<readonly LoadedRecord<Step, RecordedState>[]> {
  const folder = recordsFolder(run);
  if (names.length > MOST_RECORDS)
    throw invalidRecords(folder, `it holds ${names.length} records; expected at most ${MOST_RECORDS}`);
  return Promise.all(
    names.map(async (name) => {
      const path = projectPath(folder, name);
      return parseRecord(path, run, (await view.read(path)) ?? "", codec);
    }),
  );
}

/** Throws `records-invalid`. */
export function parseRecord<Step extends SharedStep, RecordedState>(
  path: ProjectPath,
  run: string,
  jsonl: string,
  { recordedState, step }: Codec<Step, RecordedState>,
): LoadedRecord<Step, RecordedState> {
  if (jsonl.length > LONGEST_RECORD)
    throw invalidRecords(path, `it has ${jsonl.length} characters; expected at most ${LONGEST_RECORD}`);
  const lines = jsonl.split("\n");
  if (lines.pop() !== "" || lines.length < 2)
    throw invalidRecords(path, "expected one step at least and then the run's state, a line each");
  const read = <T>(at: number, check: Check<T>): T => {
    const problemAt = (_: number, problem: string) =>
      invalidRecords(path, `line ${at + 1}: ${problem.replace("the file is empty", "it is empty")}`);
    return readState(lines[at] ?? "", check, problemAt);
  };
  const end = lines.length - 1;
  const checkStep = as<Step>((value, at) => SHARED_STEP(value, at) ?? step(value, at));
  const steps = lines.slice(0, end).map((_, at) => read(at, checkStep));
  const { state } = read(end, lastLine(run, recordedState));
  const record = { path, steps, recordedState: state };
  checkLinks(record);
  return record;
}

function lastLine<RecordedState>(
  run: string,
  state: Check<RecordedState>,
): Check<{ readonly state: RecordedState | null }> {
  const checks = {
    v: accepts<1>((value) => value === 1, "1"),
    run: accepts<string>((value) => value === run, JSON.stringify(run)),
    state: orNull(state),
  };
  return as(only(Object.keys(checks), fields(checks)));
}

/** The run of a record's path; null for other paths. */
export function runOfRecord(path: string): string | null {
  const [, workflow, id, name = ""] = /^\.alfred\/records\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  return isId(workflow) && isId(id) && spanOf(name) ? `${workflow}:${id}` : null;
}

/** Whether the path is a record's, and the file's text is a record, of any workflow. */
export async function isRecord(view: View, path: string): Promise<boolean> {
  const run = runOfRecord(path);
  if (run === null) return false;
  const any: Codec<SharedStep, unknown> = { step: as(object), recordedState: object };
  const record = projectPath(path);
  const jsonl = (await view.read(record)) ?? "";
  return attempt(() => parseRecord(record, run, jsonl, any) !== null, false);
}

/** Checks that its steps follow each other, and that its name is theirs. */
function checkLinks({ path, steps }: LoadedRecord<SharedStep, unknown>): void {
  for (const [at, step] of steps.entries()) {
    const before = steps[at - 1];
    if (before && step.prev !== safeHash(path, before))
      throw invalidRecords(path, `its step ${at + 1} is not made on the one before it`);
  }
  const [begin, last] = [steps[0] as SharedStep, steps.at(-1) as SharedStep];
  const span = spanOf(path.slice(path.lastIndexOf("/") + 1));
  if (span === null || !safeHash(path, last).startsWith(span.hash))
    throw invalidRecords(path, "its name is not made of the hash of its last step");
  if (span.last - span.first + 1 !== steps.length || (span.first === 1) !== (begin.prev === null))
    throw invalidRecords(path, "its name does not have the numbers of its steps");
}

/** Too deep a value for the stack has no hash. */
function safeHash(path: ProjectPath, step: SharedStep): string {
  try {
    return hashOfStep(step);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw invalidRecords(path, "it nests too deep");
    throw thrown;
  }
}

export function invalidRecords(path: string, what: string): PawlError {
  return new PawlError(
    "records-invalid",
    `${path} cannot be used: ${what}. Nothing was changed.`,
    `Restore it as it was committed: \`git log -- ${path}\` shows when it changed.`,
  );
}

/**
 * The run's branches: one, if each step continued the last one. `own`: this checkout's own steps, which count
 * like those of a record. Throws `records-invalid` if a step is missing in between.
 */
export function branchesOf<Step extends SharedStep, RecordedState>(
  run: string,
  records: readonly LoadedRecord<Step, RecordedState>[],
  own: readonly Step[] = [],
): readonly RunBranch<Step, RecordedState>[] {
  const steps = new Map<string, Step>();
  const ends = new Map<
    string,
    { readonly path: ProjectPath; readonly recordedState: RecordedState | null }
  >();
  for (const each of [...records.flatMap((record) => record.steps), ...own])
    steps.set(hashOfStep(each), each);
  for (const { path, recordedState, steps: held } of records) {
    const end = hashOfStep(held.at(-1) as Step);
    if (recordedState !== null || !ends.has(end)) ends.set(end, { path, recordedState: recordedState });
  }
  const past = new Set<string>();
  for (const { over = [], prev } of steps.values())
    for (const each of [prev, ...over]) if (each) past.add(each);
  const ownHead = own.length === 0 ? null : hashOfStep(own.at(-1) as Step);
  return [...steps.keys()]
    .filter((each) => !past.has(each))
    .map((head) => {
      const line = lineTo(run, steps, head);
      const end = ends.get(head);
      if (head === ownHead) return { head, steps: line, recorded: null };
      if (!end || end.recordedState === null)
        throw invalidRecords(recordsFolder(run), `the records that follow step ${line.length} are missing`);
      return { head, steps: line, recorded: { path: end.path, recordedState: end.recordedState } };
    })
    .sort((one, other) => (one.head < other.head ? -1 : 1));
}

function lineTo<Step extends SharedStep>(
  run: string,
  steps: ReadonlyMap<string, Step>,
  head: string,
): Step[] {
  const line: Step[] = [];
  for (let at: string | null | undefined = head; at; ) {
    const step = steps.get(at);
    if (!step)
      throw invalidRecords(
        recordsFolder(run),
        `the step before ${line.at(-1)?.event} of ${line.at(-1)?.time} is in no record`,
      );
    line.push(step);
    at = step.prev;
  }
  return line.reverse();
}

/**
 * How many of the steps, from the first on, are in these records. All of them if the step before the first is
 * not: a record that nothing leads to cannot be read.
 */
export function recordedUpTo(
  records: readonly LoadedRecord<SharedStep, unknown>[],
  steps: readonly SharedStep[],
): number {
  const known = new Set(records.flatMap((record) => record.steps.map(hashOfStep)));
  const first = steps.findIndex((step) => !known.has(hashOfStep(step)));
  const before = steps[first]?.prev ?? null;
  return first < 0 || (before !== null && !known.has(before)) ? steps.length : first;
}

// ── Branches ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The run's only branch. Throws `records-forked`, which names each. */
export function onlyBranch<Step extends SharedStep, RecordedState>(
  run: string,
  branches: readonly RunBranch<Step, RecordedState>[],
): RunBranch<Step, RecordedState> {
  const [branch, other] = branches;
  if (branch && !other) return branch;
  throw forked(run, branches);
}

/** A branch's name for people. */
export function nameOfBranch({ head }: Pick<RunBranch<SharedStep, unknown>, "head">): string {
  return head.slice(0, 12);
}

export function forked(run: string, branches: readonly RunBranch<SharedStep, unknown>[]): PawlError {
  const shared = sharedSteps(branches);
  const named = branches.map((branch) => `side ${nameOfBranch(branch)}: ${branchWords(branch, shared)}`);
  const choices = branches.map((branch) => `\`pawl take ${run} --side ${nameOfBranch(branch)}\``);
  return new PawlError(
    "records-forked",
    `${run} was advanced on ${branches.length} sides ${sharedWords(shared)}, and is held: ${named.join("; ")}. Nothing was changed.`,
    `A person decides in a terminal which side counts: ${choices.join(" or ")}.`,
  );
}

/** The error of an event for a run that others advanced and that is not over. */
export function elsewhereError(run: string, { by, time }: Elsewhere): PawlError {
  return new PawlError(
    "run-elsewhere",
    `${run} was moved last in another checkout, by ${by} at ${time}. Nothing was changed.`,
    `To take it over, a person runs \`pawl take ${run}\` in a terminal.`,
  );
}

function sharedSteps(branches: readonly RunBranch<SharedStep, unknown>[]): number {
  const [first, ...others] = branches.map(({ steps }) => steps.map(hashOfStep));
  const end = (first ?? []).findIndex((each, at) => others.some((other) => other[at] !== each));
  return end < 0 ? (first ?? []).length : end;
}

function sharedWords(shared: number): string {
  if (shared === 0) return "from its beginning";
  return shared === 1 ? "after its first step" : `after its first ${shared} steps`;
}

function branchWords({ recorded, steps }: RunBranch<SharedStep, unknown>, shared: number): string {
  const own = steps.slice(shared).map(stepWords).slice(-MOST_TOLD);
  return `${own.join(", then ")} (${recorded?.path ?? "this checkout's own state"})`;
}

const MOST_TOLD = 3;

export function stepWords({ by, event, from, kind = "", time, to }: SharedStep): string {
  return `${event ?? kind} (${from} → ${to}) by ${by.who ?? by.channel} at ${time}`;
}

/** The branch with the given beginning of its hash. Throws `usage`. */
export function chosenBranch<Step extends SharedStep, RecordedState>(
  run: string,
  branches: readonly RunBranch<Step, RecordedState>[],
  name: string | undefined,
): RunBranch<Step, RecordedState> {
  if (name === undefined) return onlyBranch(run, branches);
  const found = branches.filter(({ head }) => name.length >= 4 && head.startsWith(name));
  const [branch] = found;
  if (branch && found.length === 1) return branch;
  throw new PawlError(
    "usage",
    `${run} has no side ${JSON.stringify(name.slice(0, 80))}: expected ${branches.map(nameOfBranch).join(" or ")}.`,
    `\`pawl status\` names its sides.`,
  );
}
