/**
 * What git shares of a task: records in `.alfred/records/alfred/<id>/` with the steps of its log, its status,
 * and what its finished tools accepted.
 */
import { attempt } from "../../../core/attempt.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { definitionOf } from "../tools/definitions.ts";
import type { FinishedRun, RecordedState, TaskState } from "./state-file.ts";
import { isRunTool, type TaskStatus } from "./status.ts";

export function nameOf(id: string): string {
  return `alfred:${id}`;
}

/**
 * The shared part of a state file. A task is recorded as its delivery begins, and as done, so that the
 * delivery's commit contains the record: where the record is, the work is, too.
 */
export function sharedIn(
  json: string,
): { readonly rests: boolean; readonly recordedState: RecordedState } | null {
  return attempt(() => {
    const { active_tool_state: active, completed_tool_outputs: outputs } = JSON.parse(json) as TaskState;
    const delivers = active !== null && isDelivery(active.tool_name);
    const runs = delivers ? { ...outputs, [active.tool_name]: delivery(active.created_at) } : outputs;
    const finished = Object.entries(runs).map(([tool, run]) => [tool, published(run)] as const);
    const task_status = statusAfter(Object.values(runs));
    return {
      rests: delivers && active.created_at === active.updated_at,
      recordedState: { task_status, finished: Object.fromEntries(finished) },
    };
  }, null);
}

/** A delivery counts as finished when it begins. */
function delivery(begun: string): FinishedRun {
  const times = { started_at: begun, finished_at: begun };
  return { ...times, task_status: "done", accepted: [], notes: [], verdicts: [] };
}

/** Whether it is the tool that delivers the work. */
export function isDelivery(tool: string): boolean {
  return isRunTool(tool) && definitionOf(tool).delivers === true;
}

/** The status that the last finished tool left. */
function statusAfter(runs: readonly FinishedRun[]): TaskStatus {
  const [last] = [...runs].sort((one, other) => (one.finished_at > other.finished_at ? -1 : 1));
  return last?.task_status ?? "new";
}

/** The run without the output of checks, because a record is published with the work. */
function published(run: FinishedRun): FinishedRun {
  return {
    ...run,
    accepted: run.accepted.map((each) => ({ ...each, evidence: wordsOf(each.evidence) })),
    verdicts: run.verdicts.map((each) => ({ ...each, evidence: wordsOf(each.evidence) })),
  };
}

function wordsOf(evidence: Evidence): Evidence {
  return evidence.map(({ about, verdict, words }) => ({ about, verdict, words }));
}
