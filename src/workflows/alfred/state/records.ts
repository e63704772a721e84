/**
 * What git shares of a task: a record for each finished tool, in `.alfred/records/alfred/<id>/`. Their steps
 * form a chain, like those of every other run: a tool began, or was finished.
 */
import { canonical } from "../../../core/canonical.ts";
import type { Change } from "../../../core/ports/store.ts";
import { hashOfStep } from "../../../runtime/run-log/history.ts";
import {
  type Codec,
  invalidRecords,
  type LoadedRecord,
  newRecords,
} from "../../../runtime/run-log/team-records.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { DELIVERY, deliveryOf, endsRecord, FINISHED, runStanding, statusAfter } from "./chain.ts";
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
  for (const { path, recordedState, steps } of records) {
    const last = steps.at(-1);
    if (!last || !recordedState?.finished) continue;
    const { accepted, tool, verdicts } = last;
    const isOfIt =
      recordedState.finished.tool_name === tool &&
      canonical(runStanding(recordedState.finished)) === canonical({ accepted, verdicts });
    if (!isOfIt) throw invalidRecords(path, "the run in it is not the one of its last step");
    runs.set(hashOfStep(last), recordedState.finished);
  }
  return runs;
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
  const changes: Change[] = [];
  let first = 0;
  for (const [at, step] of chain.entries()) {
    if (!endsRecord(step)) continue;
    const steps = chain.slice(0, at + 1);
    if (!recorded.has(hashOfStep(step))) {
      const finished = runs.get(hashOfStep(step)) ?? runOf(step, outputs);
      const recordedState = { task_status: statusAfter(steps), finished: finished && published(finished) };
      changes.push(...newRecords(nameOf(id), steps, first, recordedState));
    }
    first = at + 1;
  }
  return changes;
}

/** Null: the tool was finished again since, and this run's record is lost. */
function runOf(
  { row, time, tool }: ToolStep,
  outputs: TaskState["completed_tool_outputs"],
): RecordedRun | null {
  if (row !== FINISHED || tool === undefined) return null;
  if (tool === DELIVERY) return deliveryOf(time);
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
