/**
 * What git shares of a task: a record for each tool that was finished on it, in `.alfred/records/alfred/<id>/`. Their steps
 * form a chain, as those of every other run do: a tool began, and was finished.
 *
 * An earlier version wrote `.alfred/records/<id>/03-plan_task-20261122T084501123Z.json`, without a chain. Each such file is
 * read as the step that finished its tool, made on the one before it by their numbers: the same step in every checkout.
 */
import { canonical } from "../../core/canonical.ts";
import { PawlError } from "../../core/error.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { hashOfStep } from "../../runtime/history.ts";
import {
  type Codec,
  invalidRecords,
  type LoadedRecord,
  newRecords,
  RECORDS,
} from "../../runtime/team-records.ts";
import {
  begunStep,
  DELIVERY,
  deliveryOf,
  endsRecord,
  FINISHED,
  finishedStep,
  runStanding,
  statusAfter,
} from "./chain.ts";
import type { Evidence } from "./evidence.ts";
import {
  parseFinished,
  RECORD_STANDS,
  type RecordedRun,
  type RecordStands,
  type TaskState,
  TOOL_STEP,
  type ToolStep,
} from "./state-file.ts";
import { isRunTool, isTaskStatus } from "./status.ts";

export type ToolRecord = LoadedRecord<ToolStep, RecordStands>;
export const TOOL_RECORDS: Codec<ToolStep, RecordStands> = { step: TOOL_STEP, stands: RECORD_STANDS };

export function nameOf(id: string): string {
  return `alfred:${id}`;
}

// ── Read ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The runs that records hold, by the hash of the step that finished them. Throws `records-invalid`. */
export function runsIn(records: readonly ToolRecord[]): ReadonlyMap<string, RecordedRun> {
  const runs = new Map<string, RecordedRun>();
  for (const { path, stands, steps } of records) {
    const last = steps.at(-1);
    if (!last || !stands?.finished) continue;
    const { accepted, tool, verdicts } = last;
    const isOfIt =
      stands.finished.tool_name === tool &&
      canonical(runStanding(stands.finished)) === canonical({ accepted, verdicts });
    if (!isOfIt) throw invalidRecords(path, "the run in it is not the one of its last step");
    runs.set(hashOfStep(last), stands.finished);
  }
  return runs;
}

/** The finished runs of these steps, oldest first. Of one whose record is lost, only what its step says is known. */
export function finishedRuns(
  steps: readonly ToolStep[],
  runs: ReadonlyMap<string, RecordedRun>,
): readonly RecordedRun[] {
  return steps.flatMap((step) => {
    const { row, time, to, tool } = step;
    if (row !== FINISHED || tool === undefined || !isTaskStatus(to)) return [];
    const lost = { started_at: time, finished_at: time, accepted: [], notes: [], verdicts: [] };
    return [runs.get(hashOfStep(step)) ?? { tool_name: tool, task_status: to, ...lost }];
  });
}

/** `03-plan_task-20261122T084501123Z.json`: its number, the tool, and when it was finished. */
const EARLIER = /^(\d+)-([a-z_]+-\d{8}T\d{9}Z)\.json$/;

function earlierFolder(id: string): ProjectPath {
  return projectPath(RECORDS, id);
}

/** The names of the task's records that an earlier version wrote. */
export async function earlierNames(view: View, id: string): Promise<readonly string[]> {
  const entries = await view.list(earlierFolder(id));
  return entries.flatMap(({ kind, name }) => (kind === "file" && EARLIER.test(name) ? [name] : []));
}

/** Whether the chain has all of these records of an earlier version. */
export function areIn(names: readonly string[], chain: readonly ToolStep[]): boolean {
  const known = new Set(chain.map(({ time, tool = "" }) => tail(tool, time)));
  return names.every((name) => known.has(EARLIER.exec(name)?.[2] ?? ""));
}

const tail = (tool: string, finished_at: string): string => `${tool}-${finished_at.replace(/[-:.]/g, "")}`;

interface Earlier {
  readonly path: ProjectPath;
  readonly number: number;
  readonly run: RecordedRun;
}

/** Throws `state-unreadable`. */
export async function loadEarlier(
  view: View,
  id: string,
  names: readonly string[],
): Promise<readonly ToolRecord[]> {
  const found: Earlier[] = [];
  for (const name of names) {
    const path = projectPath(earlierFolder(id), name);
    const text = await view.read(path);
    if (text !== null)
      found.push({ path, number: Number(EARLIER.exec(name)?.[1]), run: parseEarlier(text, id, path) });
  }
  return chained(found);
}

/** Two with the same number come from two branches. The next one was made on the one that had ended when it began. */
function chained(found: readonly Earlier[]): readonly ToolRecord[] {
  const sorted = [...found].sort(
    (one, other) => one.number - other.number || (one.run.finished_at < other.run.finished_at ? -1 : 1),
  );
  const steps = new Map<Earlier, ToolStep>();
  return sorted.map((each) => {
    const number = sorted.findLast((other) => other.number < each.number)?.number;
    const before = sorted.filter((other) => other.number === number);
    const ended = before.findLast(({ run }) => run.finished_at <= each.run.started_at);
    const last = ended ?? before.at(-1);
    const step = finishedStep(each.run, last && steps.get(last));
    steps.set(each, step);
    const stands = { task_status: each.run.task_status, finished: each.run };
    return { path: each.path, steps: [step], stands };
  });
}

function parseEarlier(text: string, id: string, path: ProjectPath): RecordedRun {
  const { tool_name, task_id, ...run } = parseFinished(text, path);
  if (task_id === id && isRunTool(tool_name)) return { ...run, tool_name };
  throw new PawlError(
    "state-unreadable",
    `${path} is not a record of '${id}': expected its task_id and the tool_name of a workflow tool, found ${JSON.stringify(task_id)} and ${JSON.stringify(tool_name)}. It was left unchanged.`,
    `Restore ${path} (git checkout), or remove it.`,
  );
}

/**
 * The chain of a state that an earlier version wrote: the records that it made, what it lacks a record of, and the tool
 * that is active.
 */
export function earlierChain(
  { active_tool_state: active, completed_tool_outputs, task_status }: TaskState,
  records: readonly ToolRecord[],
): readonly ToolStep[] {
  const delivers = active?.tool_name === DELIVERY;
  const runs = Object.entries(completed_tool_outputs)
    .flatMap(([tool, run]) => (isRunTool(tool) ? [{ ...run, tool_name: tool }] : []))
    .map((run) => (run.tool_name === DELIVERY ? deliveryOf(run.started_at) : run))
    .concat(delivers ? [deliveryOf(active.created_at)] : [])
    .sort((one, other) => (one.finished_at < other.finished_at ? -1 : 1));
  const steps = records.flatMap((record) => record.steps);
  const recorded = (run: RecordedRun) =>
    steps.find(({ time, tool }) => tool === run.tool_name && time === run.finished_at);
  const chain: ToolStep[] = [];
  const last = runs.findLast(recorded);
  for (let step = last && recorded(last); step; step = before(steps, step)) chain.unshift(step);
  for (const run of runs) if (!recorded(run)) chain.push(finishedStep(run, chain.at(-1)));
  if (active && !delivers)
    chain.push(begunStep(active.tool_name, task_status, { time: active.created_at }, chain.at(-1)));
  return chain;
}

function before(steps: readonly ToolStep[], { prev }: ToolStep): ToolStep | undefined {
  return steps.find((step) => hashOfStep(step) === prev);
}

// ── Written with the step ────────────────────────────────────────────────────────────────────────────────────────

/** What is known of the task's records. */
export interface Shared {
  /** The chain up to where the task stands here. */
  readonly chain: readonly ToolStep[];
  /** The hashes of the steps that are in records of this version. */
  readonly recorded: ReadonlySet<string>;
  readonly runs: ReadonlyMap<string, RecordedRun>;
}

/** The records that are missing of the chain. What an earlier version recorded is recorded again, as a part of it. */
export function missingRecords(
  { completed_tool_outputs: outputs, task_id: id }: TaskState,
  chain: readonly ToolStep[],
  { recorded, runs }: Pick<Shared, "recorded" | "runs">,
): readonly Change[] {
  const changes: Change[] = [];
  let first = 0;
  for (const [at, step] of chain.entries()) {
    if (!endsRecord(step)) continue;
    const steps = chain.slice(0, at + 1);
    if (!recorded.has(hashOfStep(step))) {
      const finished = runs.get(hashOfStep(step)) ?? runOf(step, outputs);
      const stands = { task_status: statusAfter(steps), finished: finished && published(finished) };
      changes.push(...newRecords(nameOf(id), steps, first, stands));
    }
    first = at + 1;
  }
  return changes;
}

/** Null: it was finished again since, and its record is lost. */
function runOf(
  { row, time, tool }: ToolStep,
  outputs: TaskState["completed_tool_outputs"],
): RecordedRun | null {
  if (row !== FINISHED || tool === undefined) return null;
  if (tool === DELIVERY) return deliveryOf(time);
  const run = outputs[tool];
  return run?.finished_at === time ? { ...run, tool_name: tool } : null;
}

/** Without what checks printed: a record is published with the work. */
function published(run: RecordedRun): RecordedRun {
  return {
    ...run,
    accepted: run.accepted.map((each) => ({ ...each, evidence: wordsOf(each.evidence) })),
    verdicts: run.verdicts.map((each) => ({ ...each, evidence: wordsOf(each.evidence) })),
  };
}

function wordsOf(evidence: Evidence): Evidence {
  return evidence.map(({ about, verdict, words }) => ({ about, verdict, words }));
}
