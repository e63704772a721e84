/**
 * The chain of a task's steps that git shares: a tool began, or was finished. The task's state contains it.
 */
import { hashOfStep } from "../../../runtime/run-log/history.ts";
import type { FinishedRun, RecordedRun, RunStanding, ToolStep } from "./state-file.ts";
import { isTaskStatus, type RunTool, type TaskStatus } from "./status.ts";

const BEGUN = "begun";
export const FINISHED = "finished";
const DELIVERY: RunTool = "finalize_task";

type Moved = Pick<ToolStep, "time" | "by">;

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

/**
 * The verdicts that a state keeps: the newest. A state does not grow with the number of verdicts; the log has
 * all of them.
 */
export function keptVerdicts<Verdict>(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.slice(-MOST_VERDICTS);
}

export const MOST_VERDICTS = 20;

/** The notes that a state keeps for its prompts: the newest. */
export function keptNotes<Note>(notes: readonly Note[]): readonly Note[] {
  return notes.slice(-MOST_NOTES);
}

const MOST_NOTES = 100;

type AnyVerdict = FinishedRun["verdicts"][number];

/** A verdict in one line: what it decides, on what, and by which channel. */
export function verdictWords({ approved, channel, sha256, stage, state, strength }: AnyVerdict): string {
  return [state, stage, approved ? "approved" : "rejected", sha256, channel, strength ?? "-"].join(" ");
}
