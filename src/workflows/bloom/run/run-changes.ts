import { loopDonePath, loopRunPath } from "../../../core/loop-record.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { TaskEdit } from "../../../tasks-file/splice.ts";
import { isOver, loadDoneRun, loadRun, NOTHING_SPENT, renderRun, type TaskRun } from "./task-run.ts";

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
  return [run, ...parents].flatMap((each) => {
    const isNew = !runs.has(each.task);
    return [...written(each, !isNew), ...(isNew && before !== null ? notKept(each) : [])];
  });
}

interface RunsBefore {
  readonly runs: ReadonlyMap<string, TaskRun>;
  /** The kept run of the task's previous life, which ends as the next one begins. */
  readonly before?: TaskRun | null;
}

/** A run has one file. */
function notKept(run: TaskRun): readonly Change[] {
  return isKept(run) ? [] : [{ type: "remove", path: loopDonePath(run.task) }];
}

function isKept(run: TaskRun): boolean {
  return isOver(run) && run.status === run.state;
}

/** Resets what was spent in the task's run and in the kept run of its previous life, if they exist. */
export async function unspent(view: View, task: string): Promise<readonly Change[]> {
  const [run, kept] = [await loadRun(view, task), await loadDoneRun(view, task)];
  return [
    ...(run ? [{ type: "write", path: loopRunPath(task), text: renderRun(fresh(run)) } as const] : []),
    ...(kept ? [{ type: "write", path: loopDonePath(task), text: renderRun(fresh(kept)) } as const] : []),
  ];
}

function fresh(run: TaskRun): TaskRun {
  return { ...run, spent: NOTHING_SPENT };
}

function written(run: TaskRun, existed: boolean): readonly Change[] {
  if (!isKept(run)) return [{ type: "write", path: loopRunPath(run.task), text: renderRun(run) }];
  const kept: Change = { type: "write", path: loopDonePath(run.task), text: renderRun(run) };
  return existed ? [kept, { type: "remove", path: loopRunPath(run.task) }] : [kept];
}
