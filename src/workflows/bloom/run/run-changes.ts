import { loopDonePath, loopRunPath } from "../../../core/loop-record.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { NOTHING_SPENT } from "../../../scheduler/budget.ts";
import type { TaskEdit } from "../../../tasks-file/splice.ts";
import { isOver, loadDoneRun, loadRun, renderRun, type TaskRun } from "./task-run.ts";

/**
 * The changes that write a run: in place, or to the kept runs (for its evidence) once tasks.yaml says that
 * the task is done or cancelled. Includes the parents that become done through the same edits.
 */
export function runChanges(
  run: TaskRun,
  { before = null, runs }: RunsBefore,
  edits: readonly TaskEdit[],
): readonly Change[] {
  const parents = edits.flatMap((edit) => {
    const done = edit.type === "set" && edit.key === "status" && edit.value === "done";
    const parent = done && edit.id !== run.task ? runs.get(edit.id) : undefined;
    return parent ? [{ ...parent, status: "done" as const }] : [];
  });
  return [run, ...parents].flatMap((each) => written(each, runs.has(each.task), before !== null));
}

interface RunsBefore {
  readonly runs: ReadonlyMap<string, TaskRun>;
  /** The kept run of the task's previous life, which ends as the next one begins. */
  readonly before?: TaskRun | null;
}

/** Resets what was spent in the task's run and in the kept run of its previous life, if they exist. */
export async function resetSpent(view: View, task: string): Promise<readonly Change[]> {
  const [run, kept] = [await loadRun(view, task), await loadDoneRun(view, task)];
  return [
    ...(run ? [{ type: "write", path: loopRunPath(task), text: renderRun(fresh(run)) } as const] : []),
    ...(kept ? [{ type: "write", path: loopDonePath(task), text: renderRun(fresh(kept)) } as const] : []),
  ];
}

function fresh(run: TaskRun): TaskRun {
  return { ...run, spent: NOTHING_SPENT };
}

/** A run has one file: of the other one, what was there goes. */
function written(run: TaskRun, wasOpen: boolean, wasKept: boolean): readonly Change[] {
  const [open, kept] = [loopRunPath(run.task), loopDonePath(run.task)];
  const isKept = isOver(run) && run.status === run.state;
  const write: Change = { type: "write", path: isKept ? kept : open, text: renderRun(run) };
  const wasElsewhere = isKept ? wasOpen : !wasOpen && wasKept;
  return wasElsewhere ? [write, { type: "remove", path: isKept ? open : kept }] : [write];
}
