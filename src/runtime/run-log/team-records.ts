/**
 * A run's records that git shares: `.alfred/records/<workflow>/<id>/<first>-<last>-<hash>.jsonl`, files that
 * are only ever added, so that git merges them without a conflict. A clone shows the run's state from them.
 *
 * R1  A record holds the steps of the run's chain that no other record here holds, one a line, and in its last
 *     line the run's state after them. Its name has the numbers of its first and last step and the beginning
 *     of the last one's hash, so names alone tell which steps are recorded.
 * R2  Steps are identified by their hashes, whatever files they are in, and however often: a record that was
 *     left on another branch is written again, and both count as one when the branches meet.
 * R3  Two steps with the same predecessor are two branches. A checkout follows its own, and sets the other
 *     aside; one without its own holds the run until a person chooses. The choice is a step, too, and names
 *     the ends that it overrules.
 * R4  Records are text of other authors. They are shown, and hold a run; they never move it, and open no
 *     gate.
 * R5  None is written where the workflow does not share its runs (`share` in pawl.yaml). Those that are there
 *     are read.
 */
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { isId } from "../../core/id.ts";
import { canonical } from "../../core/json.ts";
import { fileName, type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import type { Settings } from "../../core/settings.ts";
import {
  accepts,
  as,
  type Check,
  expected,
  fields,
  object,
  onlyKeys,
  orNull,
  readState,
} from "../../core/state-json.ts";
import { hasSignedGate } from "../../core/strength.ts";
import type { AsideBranch, Elsewhere } from "../transaction/transaction.ts";
import { checkStep, hashOfStep, type Step } from "./step.ts";

export const RECORDS = projectPath(".alfred/records");

/** A chain of steps from the run's beginning to an end without a successor. */
export interface RunBranch<RecordedState> {
  /** The hash of its last step. */
  readonly head: string;
  readonly steps: readonly Step[];
  /** Its last record, and the run's state in it; null: it ends in this checkout's own state. */
  readonly recorded: { readonly path: ProjectPath; readonly recordedState: RecordedState } | null;
}

export interface LoadedRecord<RecordedState> {
  readonly path: ProjectPath;
  readonly steps: readonly Step[];
  readonly recordedState: RecordedState | null;
}

const MAX_RECORDS = 10_000;
const LONGEST_RECORD = 4_000_000;
/** Bytes. A longer record is split. */
const USUAL_RECORD = 200_000;
const NAME = /^(\d{4,9})-(\d{4,9})-([0-9a-f]{16})\.jsonl$/;

export function recordsFolder(run: string): ProjectPath {
  const [workflow = "", id = ""] = run.split(/:(.*)/s);
  return projectPath(RECORDS, workflow, id);
}

/** Whether records of the workflow's runs are written. `pawl verify` reads those of a signed gate's run. */
export function sharesRuns({ gates, share, workflows }: Settings, workflow: string): boolean {
  if (share) return true;
  const names = workflows.map((file) => /([^/]*)\.ya?ml$/.exec(file)?.[1] ?? file);
  const others = [...WITH_GATES, ...names].filter((name) => name !== workflow);
  const entries = Object.entries(gates).filter(([entry]) => !others.includes(entry));
  return hasSignedGate(Object.fromEntries(entries), workflow);
}

/** In `gates`, these are names of workflows, not of gates. */
const WITH_GATES: readonly string[] = ["alfred", "bloom"] satisfies (keyof Settings)[];

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

/** The records of the steps from `first` on, the last of which leads to the run's state. */
export function newRecords<RecordedState>(
  run: string,
  steps: readonly Step[],
  first: number,
  recordedState: RecordedState,
): readonly Change[] {
  const changes: Change[] = [];
  for (let begin = first; begin < steps.length; ) {
    let end = begin;
    for (let size = 0; end < steps.length && (end === begin || size < USUAL_RECORD); end++)
      size += JSON.stringify(steps[end]).length;
    const state = end === steps.length ? recordedState : null;
    const name = nameOf(begin + 1, end, steps[end - 1] as Step);
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

function nameOf(first: number, last: number, step: Step): string {
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
 * in records. `isAll`: no record has other steps, so none needs to be read. `own`: the names of the records
 * that end in one of these steps.
 */
export function recordedByName(
  names: readonly string[],
  steps: readonly Step[],
): { readonly recorded: number; readonly isAll: boolean; readonly own: readonly string[] } {
  const spans = names.flatMap((name) => {
    const span = spanOf(name);
    return span === null ? [] : [{ ...span, name }];
  });
  const ours = spans.filter(({ hash, last }) => {
    const step = steps[last - 1];
    return step !== undefined && hashOfStep(step).startsWith(hash);
  });
  let recorded = 0;
  for (const { first, last } of ours.sort((one, other) => one.first - other.first))
    if (first <= recorded + 1) recorded = Math.max(recorded, last);
  return { recorded, isAll: ours.length === spans.length, own: ours.map(({ name }) => name) };
}

// ── Read ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The run's records. Throws `records-invalid`. */
export async function loadRecords<RecordedState>(
  view: View,
  run: string,
  names: readonly string[],
  recordedState: Check<RecordedState>,
): Promise<readonly LoadedRecord<RecordedState>[]> {
  const folder = recordsFolder(run);
  if (names.length > MAX_RECORDS)
    throw invalidRecordsError(folder, `it holds ${names.length} records; expected at most ${MAX_RECORDS}`);
  return Promise.all(
    names.map(async (name) => {
      const path = projectPath(folder, name);
      return parseRecord(path, run, (await view.read(path)) ?? "", recordedState);
    }),
  );
}

/** Throws `records-invalid`. */
export function parseRecord<RecordedState>(
  path: ProjectPath,
  run: string,
  jsonl: string,
  recordedState: Check<RecordedState>,
): LoadedRecord<RecordedState> {
  if (jsonl.length > LONGEST_RECORD)
    throw invalidRecordsError(path, `it has ${jsonl.length} characters; expected at most ${LONGEST_RECORD}`);
  const lines = jsonl.split("\n");
  if (lines.pop() !== "" || lines.length < 2)
    throw invalidRecordsError(path, "expected one step at least and then the run's state, a line each");
  const read = <T>(at: number, check: Check<T>): T => {
    const problemAt = (_: number, problem: string) =>
      invalidRecordsError(path, `line ${at + 1}: ${problem.replace("the file is empty", "it is empty")}`);
    return readState(lines[at] ?? "", check, problemAt);
  };
  const end = lines.length - 1;
  const steps = lines.slice(0, end).map((_, at) => read(at, stepOf(run)));
  const { state } = read(end, lastLine(run, recordedState));
  const record = { path, steps, recordedState: state };
  checkLinks(record);
  return record;
}

function stepOf(run: string): Check<Step> {
  const isOwn = (step: Step) => (step.run === run ? null : expected(["run"], JSON.stringify(run), step.run));
  return as((value, at) => checkStep(value, at) ?? isOwn(value as Step));
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
  return as(onlyKeys(Object.keys(checks), fields(checks)));
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
  const record = projectPath(path);
  const jsonl = (await view.read(record)) ?? "";
  return attempt(() => parseRecord(record, run, jsonl, object) !== null, false);
}

/** Checks that its steps follow each other, and that its name is theirs. */
function checkLinks({ path, steps }: LoadedRecord<unknown>): void {
  for (const [at, step] of steps.entries()) {
    const before = steps[at - 1];
    if (before && step.prev !== safeHash(path, before))
      throw invalidRecordsError(path, `its step ${at + 1} is not made on the one before it`);
  }
  const [begin, last] = [steps[0] as Step, steps.at(-1) as Step];
  const span = spanOf(fileName(path));
  if (span === null || !safeHash(path, last).startsWith(span.hash))
    throw invalidRecordsError(path, "its name is not made of the hash of its last step");
  if (span.last - span.first + 1 !== steps.length || (span.first === 1) !== (begin.prev === null))
    throw invalidRecordsError(path, "its name does not have the numbers of its steps");
}

/** Too deep a value for the stack has no hash. */
function safeHash(path: ProjectPath, step: Step): string {
  try {
    return hashOfStep(step);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw invalidRecordsError(path, "it nests too deep");
    throw thrown;
  }
}

export function invalidRecordsError(path: string, what: string): PawlError {
  return new PawlError(
    "records-invalid",
    `${path} cannot be used: ${what}. Nothing was changed.`,
    `Restore it as it was committed: \`git log -- ${path}\` shows when it changed.`,
  );
}

/**
 * The run's branches: one, if each step continued the last one. `ownSteps`: this checkout's own steps, which count
 * like those of a record. Throws `records-invalid` if a step is missing in between.
 */
export function branchesOf<RecordedState>(
  run: string,
  records: readonly LoadedRecord<RecordedState>[],
  ownSteps: readonly Step[] = [],
): readonly RunBranch<RecordedState>[] {
  const steps = new Map<string, Step>();
  const ends = new Map<
    string,
    { readonly path: ProjectPath; readonly recordedState: RecordedState | null }
  >();
  for (const each of [...records.flatMap((record) => record.steps), ...ownSteps])
    steps.set(hashOfStep(each), each);
  for (const { path, recordedState, steps: held } of records) {
    const end = hashOfStep(held.at(-1) as Step);
    if (recordedState !== null || !ends.has(end)) ends.set(end, { path, recordedState });
  }
  const past = new Set<string>();
  for (const { over = [], prev } of steps.values())
    for (const each of [prev, ...over]) if (each) past.add(each);
  const ownHead = ownSteps.length === 0 ? null : hashOfStep(ownSteps.at(-1) as Step);
  return [...steps.keys()]
    .filter((each) => !past.has(each))
    .map((head) => {
      const line = lineTo(run, steps, head);
      const end = ends.get(head);
      if (head === ownHead) return { head, steps: line, recorded: null };
      if (!end || end.recordedState === null)
        throw invalidRecordsError(
          recordsFolder(run),
          `the records that follow step ${line.length} are missing`,
        );
      return { head, steps: line, recorded: { path: end.path, recordedState: end.recordedState } };
    })
    .sort((one, other) => (one.head < other.head ? -1 : 1));
}

function lineTo(run: string, steps: ReadonlyMap<string, Step>, head: string): Step[] {
  const line: Step[] = [];
  for (let at: string | null | undefined = head; at; ) {
    const step = steps.get(at);
    if (!step)
      throw invalidRecordsError(
        recordsFolder(run),
        `the step before ${line.at(-1)?.event} of ${line.at(-1)?.time} is in no record`,
      );
    line.push(step);
    at = step.prev;
  }
  return line.reverse();
}

// ── Branches ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The run's only branch. Throws `records-forked`, which names each. */
export function onlyBranch<RecordedState>(
  run: string,
  branches: readonly RunBranch<RecordedState>[],
): RunBranch<RecordedState> {
  const [branch, other] = branches;
  if (branch && !other) return branch;
  throw forkedRunError(run, branches);
}

/**
 * The branch that counts in a checkout: its own, else the only one; null: there is none. Others are set aside
 * until a person adopts one. Throws `records-forked`, which names each.
 */
export function countingBranch<RecordedState>(
  run: string,
  branches: readonly RunBranch<RecordedState>[],
): RunBranch<RecordedState> | null {
  if (branches.length === 0) return null;
  return branches.find(({ recorded }) => recorded === null) ?? onlyBranch(run, branches);
}

/** By whom and when the branch was moved last. */
export function lastMoveOf({ steps }: RunBranch<unknown>): Elsewhere {
  const { by, time } = steps.at(-1) as Step;
  return { by: by.who ?? by.channel, time };
}

/** The branches that others recorded beside this checkout's own; none: it has none of its own. */
export function setAside(branches: readonly RunBranch<unknown>[]): readonly AsideBranch[] {
  if (branches.every(({ recorded }) => recorded !== null)) return [];
  const shared = sharedSteps(branches);
  return branches
    .filter(({ recorded }) => recorded !== null)
    .map((branch) => ({ branch: nameOfBranch(branch), steps: branchWords(branch, shared) }));
}

/** A branch's name for people. */
export function nameOfBranch({ head }: Pick<RunBranch<unknown>, "head">): string {
  return head.slice(0, 12);
}

export function forkedRunError(run: string, branches: readonly RunBranch<unknown>[]): PawlError {
  // A checkout with a branch of its own continues.
  const isHeld = branches.every(({ recorded }) => recorded !== null);
  const choices = branches.map((branch) => `\`pawl adopt ${run} --branch ${nameOfBranch(branch)}\``);
  return new PawlError(
    "records-forked",
    `${forkedWords(run, branches)}.${isHeld ? " It is held." : ""} Nothing was changed.`,
    `A person decides in a terminal which branch counts: ${choices.join(" or ")}.`,
  );
}

/** Which branches the run has, and the last steps of each. */
export function forkedWords(run: string, branches: readonly RunBranch<unknown>[]): string {
  const shared = sharedSteps(branches);
  const named = branches.map((branch) => `branch ${nameOfBranch(branch)}: ${branchWords(branch, shared)}`);
  return `${run} was advanced on ${branches.length} branches ${sharedWords(shared)}: ${named.join("; ")}`;
}

/** The error of an event for a run that others advanced and that is not over. */
export function elsewhereError(run: string, { by, time }: Elsewhere): PawlError {
  return new PawlError(
    "run-elsewhere",
    `${run} was moved last in another checkout, by ${by} at ${time}. Nothing was changed.`,
    `To adopt it, a person runs \`pawl adopt ${run}\` in a terminal.`,
  );
}

function sharedSteps(branches: readonly RunBranch<unknown>[]): number {
  const [first, ...others] = branches.map(({ steps }) => steps.map(hashOfStep));
  const end = (first ?? []).findIndex((each, at) => others.some((other) => other[at] !== each));
  return end < 0 ? (first ?? []).length : end;
}

function sharedWords(shared: number): string {
  if (shared === 0) return "from its beginning";
  return shared === 1 ? "after its first step" : `after its first ${shared} steps`;
}

function branchWords({ recorded, steps }: RunBranch<unknown>, shared: number): string {
  const newWords = steps.slice(shared).map(stepWords).slice(-MAX_SHOWN);
  return `${newWords.join(", then ")} (${recorded?.path ?? "this checkout's own state"})`;
}

const MAX_SHOWN = 3;

export function stepWords({ by, event, from, kind, machine, run, status, time, to }: Step): string {
  const tool = run.startsWith(`${machine}:`) ? "" : `${machine}: `;
  const what = kind === "moved" ? event : kind;
  const where = from === "" ? to : `${from} → ${to}`;
  const after = status === undefined ? "" : `, the task is ${status}`;
  return `${tool}${what} (${where}${after}) by ${by.who ?? by.channel} at ${time}`;
}

/** The branch with the given beginning of its hash. Throws `usage`. */
export function chosenBranch<RecordedState>(
  run: string,
  branches: readonly RunBranch<RecordedState>[],
  name: string | undefined,
): RunBranch<RecordedState> {
  if (name === undefined) return onlyBranch(run, branches);
  const matching = branches.filter(({ head }) => name.length >= 4 && head.startsWith(name));
  const [branch] = matching;
  if (branch && matching.length === 1) return branch;
  throw new PawlError(
    "usage",
    `${run} has no branch ${JSON.stringify(name.slice(0, 80))}: expected ${branches.map(nameOfBranch).join(" or ")}.`,
    `\`pawl status\` names its branches.`,
  );
}
