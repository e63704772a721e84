/**
 * What git shares of a task: records in `.alfred/records/alfred/<id>/`. Their steps form a chain, like those
 * of every other run: a tool began, or was finished.
 */
import { canonical } from "../../../core/json.ts";
import type { Change } from "../../../core/ports/store.ts";
import { hashOfStep } from "../../../runtime/run-log/history.ts";
import {
  type Codec,
  invalidRecords,
  type LoadedRecord,
  newRecords,
} from "../../../runtime/run-log/team-records.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { FINISHED, runStanding, statusAfter } from "./chain.ts";
import {
  RECORDED_STATE,
  type RecordedRun,
  type RecordedState,
  type TaskState,
  TOOL_STEP,
  type ToolStep,
} from "./state-file.ts";
import { isTaskStatus } from "./status.ts";

export type ToolRecord = LoadedRecord<ToolStep, RecordedState>;
export const TOOL_RECORDS: Codec<ToolStep, RecordedState> = {
  step: TOOL_STEP,
  recordedState: RECORDED_STATE,
};

export function nameOf(id: string): string {
  return `alfred:${id}`;
}

// ── Read ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The runs in the records, by the hash of the step that finished them. Throws `records-invalid`. */
export function runsIn(records: readonly ToolRecord[]): ReadonlyMap<string, RecordedRun> {
  const runs = new Map<string, RecordedRun>();
  const steps = records.flatMap((record) => record.steps).filter(({ row }) => row === FINISHED);
  for (const { path, recordedState } of records)
    for (const run of recordedState?.finished ?? []) {
      const ends = steps.filter((step) => isEndOf(step, run));
      if (ends.length === 0)
        throw invalidRecords(path, `the run of ${run.tool_name} in it is not the one of a step`);
      for (const end of ends) runs.set(hashOfStep(end), run);
    }
  return runs;
}

function isEndOf({ accepted, time, tool, verdicts }: ToolStep, run: RecordedRun): boolean {
  return (
    tool === run.tool_name &&
    time === run.finished_at &&
    canonical(runStanding(run)) === canonical({ accepted, verdicts })
  );
}

/**
 * The finished runs of these steps, oldest first. If a run's record is lost, only its step's data is known.
 */
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

// ── Written with the step ────────────────────────────────────────────────────────────────────────────────────────

/** What is known of the task's records. */
export interface Shared {
  /** The chain up to this checkout's state of the task. */
  readonly chain: readonly ToolStep[];
  /** The hashes of the steps that records contain. */
  readonly recorded: ReadonlySet<string>;
  readonly runs: ReadonlyMap<string, RecordedRun>;
}

/** Changes that write the records that the chain lacks. */
export function missingRecords(
  { completed_tool_outputs: outputs, task_id: id }: TaskState,
  chain: readonly ToolStep[],
  { recorded, runs }: Pick<Shared, "recorded" | "runs">,
): readonly Change[] {
  const first = chain.findIndex((step) => !recorded.has(hashOfStep(step)));
  if (first < 0) return [];
  const finished = chain.slice(first).flatMap((step) => {
    const run = runs.get(hashOfStep(step)) ?? runOf(step, outputs);
    return run ? [published(run)] : [];
  });
  return newRecords(nameOf(id), chain, first, { task_status: statusAfter(chain), finished });
}

/** Null: the tool was finished again since, and this run's record is lost; or it is the delivery's beginning. */
function runOf(
  { row, time, tool }: ToolStep,
  outputs: TaskState["completed_tool_outputs"],
): RecordedRun | null {
  if (row !== FINISHED || tool === undefined) return null;
  const run = outputs[tool];
  return run?.finished_at === time ? { ...run, tool_name: tool } : null;
}

/** The run without the output of checks, because a record is published with the work. */
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
