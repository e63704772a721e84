/**
 * The chain of steps that git shares of a task: a tool began, and was finished. The task's own history holds it, each step
 * where it was made.
 */
import type { Caller } from "../../../core/event.ts";
import { hashOfStep } from "../../../runtime/run-log/history.ts";
import type { FinishedRun, RecordedRun, RunStanding, Step, TaskState, ToolStep } from "./state-file.ts";
import { isTaskStatus, type RunTool, type TaskStatus } from "./status.ts";

const BEGUN = "begun";
export const FINISHED = "finished";
export const DELIVERY: RunTool = "finalize_task";

/** What the task's own history holds of the chain. */
export function sharedIn({ history }: Pick<TaskState, "history">): readonly ToolStep[] {
  const begins = history.findLastIndex(({ shared, standing }) => standing && shared);
  return history.slice(Math.max(0, begins)).flatMap(({ shared = [] }) => shared);
}

/** What one more step of the history holds of it. */
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

/** What everybody who gets the record may know of the caller. */
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

/** The delivery is recorded when it begins, so that the commit has it: wherever it is found, the work came with it. */
export function deliveryOf(begun: string): RecordedRun {
  const times = { started_at: begun, finished_at: begun };
  return { tool_name: DELIVERY, ...times, task_status: "done", accepted: [], notes: [], verdicts: [] };
}

/** A tool that only began is recorded once it is finished. */
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
