/** The runs of tasks that others moved, read from their records. */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { checkReachable } from "../../../engine/reach.ts";
import { loadState } from "../../../runtime/run-log/kind.ts";
import { loadBranches, missingRecords } from "../../../runtime/run-log/log-records.ts";
import { checkRun } from "../../../runtime/run-log/read.ts";
import { checkBranch } from "../../../runtime/run-log/replay.ts";
import type { Step } from "../../../runtime/run-log/step.ts";
import {
  countingBranch,
  elsewhereError,
  lastMoveOf,
  type RunBranch,
  recordedIds,
  setAside,
} from "../../../runtime/run-log/team-records.ts";
import type { AsideBranch, Context, Elsewhere } from "../../../runtime/transaction/transaction.ts";
import { isOpenStatus, placedTasks, type Task } from "../../../tasks-file/task.ts";
import { personsEvent } from "./persons-event.ts";
import { RECORDED_STATE, type RecordedState } from "./recorded-state.ts";
import { TASK_RUNS } from "./run-kind.ts";
import { BLOOM } from "./table.ts";
import { isOver, newRun, type Runs, type TaskRun } from "./task-run.ts";

export type TaskBranch = RunBranch<RecordedState>;

/** The run as others recorded it: for display, until a person adopts it. */
export function runOf(task: string, recordedState: RecordedState): TaskRun {
  const { evidence, life: _, pullRequest, title, work, ...rest } = recordedState;
  return {
    ...newRun({ id: task, title, status: recordedState.status, steps: [] }, recordedState.since),
    ...rest,
    evidence: evidence.map((each) => ({ ...each, log: "" })),
    work: work && { ...work, merged: null },
    pullRequest,
  };
}

/** The branches of a task's run; empty: nothing is recorded. Throws `records-invalid`. */
export async function branchesOf(view: View, task: string): Promise<readonly TaskBranch[]> {
  const branches = await loadBranches(view, `bloom:${task}`, RECORDED_STATE);
  for (const branch of branches) checkBranch(TASK_RUNS, branch);
  return branches;
}

export interface OthersRun {
  readonly run: TaskRun;
  readonly elsewhere: Elsewhere;
  readonly steps: readonly Step[];
}

/** What others recorded of a task's run. */
export interface Recorded {
  /** The run that others moved; null: the run here counts. */
  readonly others: OthersRun | null;
  /** The branches beside this checkout's own. */
  readonly aside: readonly AsideBranch[];
}

/** `isHere`: this checkout has a run of the task. Throws `records-forked` and `records-invalid`. */
export async function loadRecorded(view: View, task: string, isHere: boolean): Promise<Recorded> {
  try {
    const branches = await branchesOf(view, task);
    return { others: othersOf(task, branches), aside: setAside(branches) };
  } catch (thrown) {
    // Damaged records do not stop a checkout that has the run itself.
    if (isHere && thrown instanceof PawlError && thrown.code === "records-invalid")
      return { others: null, aside: [] };
    throw thrown;
  }
}

function othersOf(task: string, branches: readonly TaskBranch[]): OthersRun | null {
  const branch = countingBranch(`bloom:${task}`, branches);
  if (!branch?.recorded) return null;
  const { path, recordedState } = branch.recorded;
  // The table of a life is in the checkout that began the run.
  const reached =
    recordedState.life !== undefined ||
    attempt(() => {
      checkReachable(BLOOM, { state: recordedState.state, variables: recordedState.kept });
      return true;
    }, false);
  if (reached === false)
    throw new PawlError(
      "records-invalid",
      `${path} cannot be used: it says "${recordedState.state}", which no run of Bloom can reach that way. Nothing was changed.`,
      `Ask whoever committed it: \`git log -- ${path}\`.`,
    );
  return { run: runOf(task, recordedState), elsewhere: lastMoveOf(branch), steps: branch.steps };
}

/** The error for an attempt to change a task whose run others moved. */
function heldElsewhereError(task: string, { elsewhere }: OthersRun): PawlError {
  return elsewhereError(`bloom:${task}`, elsewhere);
}

/** The tasks that may have a run of others: a record exists, and they are neither done nor cancelled. */
export async function sharedTasks(view: View, tasks: readonly Task[]): Promise<readonly Task[]> {
  const recorded = placedTasks(tasks, await recordedIds(view, "bloom"));
  return recorded.map(({ task }) => task).filter(({ status }) => isOpenStatus(status));
}

/** Adds the tasks whose run others moved, as held, unless a person set another status since. */
export async function withOthers(view: View, tasks: readonly Task[], here: Runs): Promise<Runs> {
  const runs = new Map(here.runs);
  const held = new Map(here.held);
  for (const task of await sharedTasks(view, tasks)) {
    if (held.has(task.id)) continue;
    try {
      const { others } = await loadRecorded(view, task.id, runs.has(task.id));
      if (others === null) continue;
      const isSet = personsEvent(task, others.run) !== null;
      const isOpen = !isOver(others.run);
      if ((runs.delete(task.id) || !isSet) && isOpen) held.set(task.id, heldElsewhereError(task.id, others));
    } catch (thrown) {
      if (!(thrown instanceof PawlError)) throw thrown;
      runs.delete(task.id);
      held.set(task.id, thrown);
    }
  }
  return { runs, held };
}

/**
 * The records that the task's run lacks. Throws `run-elsewhere`, and `no-effect` if a database has the runs:
 * several machines share them there.
 */
export async function loadMissing(
  view: View,
  task: string,
  { settings: { stores } }: Pick<Context, "settings">,
): Promise<readonly Change[]> {
  if (stores.bloom === "postgres")
    throw new PawlError(
      "no-effect",
      `bloom:${task} is in the database, which shares it already.`,
      "`pawl worker list` shows who works on its tasks.",
    );
  const run = `bloom:${task}`;
  const isHere = (await loadState(view, TASK_RUNS, run)) !== null;
  const { others } = await loadRecorded(view, task, isHere);
  if (others && !isOver(others.run)) throw heldElsewhereError(task, others);
  if (others) return [];
  await checkRun(view, TASK_RUNS, run);
  return missingRecords(view, TASK_RUNS, run);
}
