/**
 * The chain of a task's steps that git shares: a tool began, or was finished. The task's own history contains
 * it, each part in the step that added it.
 */
import type { Caller } from "../../../core/event.ts";
import { hashOfStep } from "../../../runtime/run-log/history.ts";
import type { FinishedRun, RecordedRun, RunStanding, Step, TaskState, ToolStep } from "./state-file.ts";
import { isTaskStatus, type RunTool, type TaskStatus } from "./status.ts";

const BEGUN = "begun";
export const FINISHED = "finished";
export const DELIVERY: RunTool = "finalize_task";

/** The chain as the task's own history contains it. */
export function sharedIn({ history }: Pick<TaskState, "history">): readonly ToolStep[] {
  const begins = history.findLastIndex(({ shared, standing }) => standing && shared);
  return history.slice(Math.max(0, begins)).flatMap(({ shared = [] }) => shared);
}

/** The part of the chain that one more step of the history contains. */
export function sharedBy(
  steps: readonly Step[],
  isAccepted: boolean,
  chain: readonly ToolStep[],
  added: readonly ToolStep[],
): readonly ToolStep[] {
  const isKept = steps.some(({ shared }) => shared !== undefined);
  return isKept && !isAccepted ? added : [...chain, ...added];
}

type Moved = Pick<ToolStep, "time" | "by">;

/** The part of the caller that is public with the record. */
export function byOf({ channel, who }: Caller): ToolStep["by"] {
  return { channel, ...(who !== undefined && { who }) };
}

export function begunStep(
  tool: RunTool,
  to: TaskStatus,
  { by, time }: Moved,
  before: ToolStep | undefined,
): ToolStep {
  return { time, by, ...onto(before), event: `${tool} begun`, row: BEGUN, to, tool };
}

export function finishedStep(run: RecordedRun, before: ToolStep | undefined, by: ToolStep["by"]): ToolStep {
  return {
    time: run.finished_at,
    by,
    ...onto(before),
    ...{ event: `${run.tool_name} finished`, row: FINISHED, to: run.task_status, tool: run.tool_name },
    ...runStanding(run),
  };
}

function onto(before: ToolStep | undefined): Pick<ToolStep, "from" | "prev"> {
  return { from: before?.to ?? "new", prev: before ? hashOfStep(before) : null };
}

/**
 * A delivery is recorded when it begins, so that its commit contains the record: where the record is, the
 * work is, too.
 */
export function deliveryOf(begun: string): RecordedRun {
  const times = { started_at: begun, finished_at: begun };
  return { tool_name: DELIVERY, ...times, task_status: "done", accepted: [], notes: [], verdicts: [] };
}

/** The beginning of a tool is recorded together with its end. */
export function endsRecord({ row }: Pick<ToolStep, "row">): boolean {
  return row !== BEGUN;
}

export function statusAfter(steps: readonly ToolStep[]): TaskStatus {
  const last = steps.findLast(({ row }) => row === FINISHED);
  return isTaskStatus(last?.to) ? last.to : "new";
}

export function runStanding({ accepted, verdicts }: Pick<FinishedRun, "accepted" | "verdicts">): RunStanding {
  return {
    accepted: Object.fromEntries(accepted.map(({ sha256, state }) => [state, sha256])),
    verdicts: verdicts.map(verdictWords),
  };
}

type AnyVerdict = FinishedRun["verdicts"][number];

/** A verdict in one line: what it decides, on what, and by which channel. */
export function verdictWords({ approved, channel, sha256, stage, state, strength }: AnyVerdict): string {
  return [state, stage, approved ? "approved" : "rejected", sha256, channel, strength ?? "-"].join(" ");
}
