/** The runs of tasks that others moved, read from their records. */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { Settings } from "../../../core/settings.ts";
import { checkReachable } from "../../../engine/reach.ts";
import { loadState } from "../../../runtime/run-log/kind.ts";
import { codecOf, loadBranches, missingRecords } from "../../../runtime/run-log/log-records.ts";
import { checkRun } from "../../../runtime/run-log/read.ts";
import type { Step } from "../../../runtime/run-log/step.ts";
import {
  elsewhereError,
  forked,
  type RunBranch,
  recordedIds,
} from "../../../runtime/run-log/team-records.ts";
import type { Elsewhere } from "../../../runtime/transaction/transaction.ts";
import { isOpenStatus, placedTasks, type Task } from "../../../tasks-file/task.ts";
import { personsEvent } from "./persons-event.ts";
import { RECORDED_STATE, type RecordedState, sharedIn } from "./recorded-state.ts";
import { TASK_RUNS } from "./run-kind.ts";
import { BLOOM } from "./table.ts";
import { isOver, newRun, type Runs, type TaskRun } from "./task-run.ts";

export type TaskBranch = RunBranch<Step, RecordedState>;

/** The run as others recorded it: for display, until a person adopts it. */
export function runOf(task: string, recordedState: RecordedState): TaskRun {
  const { evidence, pullRequest, title, work, ...rest } = recordedState;
  return {
    ...newRun({ id: task, title, status: recordedState.status, steps: [] }, recordedState.since),
    ...rest,
    evidence: evidence.map((each) => ({ ...each, log: "" })),
    work: work && { ...work, merged: null },
    pullRequest,
  };
}

/** The branches of a task's run; empty: nothing is recorded. Throws `records-invalid`. */
export function branchesOf(view: View, task: string): Promise<readonly TaskBranch[]> {
  return loadBranches(view, `bloom:${task}`, codecOf(RECORDED_STATE));
}

export interface OthersRun {
  readonly run: TaskRun;
  readonly elsewhere: Elsewhere;
  readonly steps: readonly Step[];
}

/**
 * The run that others moved; null: the run here counts. `isHere`: this checkout has a run of the task. Throws
 * `records-forked` and `records-invalid`.
 */
export async function findOthers(view: View, task: string, isHere: boolean): Promise<OthersRun | null> {
  try {
    return othersOf(task, await branchesOf(view, task));
  } catch (thrown) {
    // Damaged records do not stop a checkout that has the run itself.
    if (isHere && thrown instanceof PawlError && thrown.code === "records-invalid") return null;
    throw thrown;
  }
}

function othersOf(task: string, branches: readonly TaskBranch[]): OthersRun | null {
  if (branches.length > 1) throw forked(`bloom:${task}`, branches);
  const [branch] = branches;
  if (!branch?.recorded) return null;
  const { path, recordedState } = branch.recorded;
  const reached = attempt(
    () => checkReachable(BLOOM, { state: recordedState.state, variables: recordedState.kept }),
    false,
  );
  if (reached === false)
    throw new PawlError(
      "records-invalid",
      `${path} cannot be used: it says "${recordedState.state}", which no run of Bloom can reach that way. Nothing was changed.`,
      `Ask whoever committed it: \`git log -- ${path}\`.`,
    );
  const last = branch.steps.at(-1);
  const elsewhere = { by: last?.by?.who ?? last?.by?.channel ?? "", time: last?.time ?? "" };
  return { run: runOf(task, recordedState), elsewhere, steps: branch.steps };
}

/** The error for an attempt to change a task whose run others moved. */
function heldElsewhere(task: string, { elsewhere }: OthersRun): PawlError {
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
      const others = await findOthers(view, task.id, runs.has(task.id));
      if (others === null) continue;
      const isSet = personsEvent(task, others.run) !== null;
      const isOpen = !isOver(others.run);
      if ((runs.delete(task.id) || !isSet) && isOpen) held.set(task.id, heldElsewhere(task.id, others));
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
  { stores }: Settings,
): Promise<readonly Change[]> {
  if (stores.bloom === "postgres")
    throw new PawlError(
      "no-effect",
      `bloom:${task} is in the database, which shares it already.`,
      "`pawl workers` shows who works on its tasks.",
    );
  const run = `bloom:${task}`;
  const state = await loadState(view, TASK_RUNS, run);
  const others = await findOthers(view, task, state !== null);
  if (others && !isOver(others.run)) throw heldElsewhere(task, others);
  if (state === null || others) return [];
  await checkRun(view, TASK_RUNS, run);
  const shared = sharedIn(state.text);
  return shared ? missingRecords(view, run, shared.recordedState) : [];
}
