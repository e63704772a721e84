/**
 * A task's state, resolved from this checkout's own state and the records. The own state counts unless a
 * record is ahead of it. A run that others continued is theirs until a person adopts it; a checkout without a
 * state of the task continues from the records.
 */
import { PawlError } from "../../../core/error.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { loadBranches as loadLogBranches, missingRecords } from "../../../runtime/run-log/log-records.ts";
import type { Step } from "../../../runtime/run-log/step.ts";
import {
  countingBranch,
  elsewhereError,
  invalidRecordsError,
  lastMoveOf,
  type RunBranch,
  setAside,
} from "../../../runtime/run-log/team-records.ts";
import type { AsideBranch, Elsewhere } from "../../../runtime/transaction/transaction.ts";
import { findOwn, isBegun, NEVER } from "./live-state.ts";
import { isDelivery, nameOf } from "./records.ts";
import { newTaskState, RECORDED_STATE, type RecordedState, type TaskState } from "./state-file.ts";
import { NEXT_TOOL } from "./status.ts";
import { verdictWords } from "./verdicts.ts";

export type ToolBranch = RunBranch<RecordedState>;

export interface ResolvedTask {
  readonly state: TaskState;
  /** Who continued it in another checkout, while this one has a state of it; null: no one else did. */
  readonly elsewhere: Elsewhere | null;
  /** The branches beside this checkout's own. */
  readonly aside: readonly AsideBranch[];
}

/**
 * The task's branches; empty: nothing is recorded. `present`: the checkout's own state; null: only what git shares
 * counts. Throws `records-invalid`.
 */
export async function loadBranches(
  view: View,
  id: string,
  present: TaskState | null,
): Promise<readonly ToolBranch[]> {
  try {
    const branches = await loadLogBranches(view, nameOf(id), RECORDED_STATE, present !== null);
    for (const branch of branches) checkRuns(branch);
    return branches;
  } catch (thrown) {
    // Damaged records do not stop a checkout that has the task itself.
    if (present === null || !(thrown instanceof PawlError) || thrown.code !== "records-invalid") throw thrown;
    return [];
  }
}

/** Throws `records-invalid` if the record's state has an artifact or a verdict that none of the steps has. */
function checkRuns({ recorded, steps }: ToolBranch): void {
  // A person may have accepted a state with others.
  if (recorded === null || steps.some(({ kind }) => kind === "accepted")) return;
  const { task_status } = recorded.recordedState;
  const [led, isDelivered] = statusAfterSteps(steps);
  if (task_status !== led && !(isDelivered && task_status === "done"))
    throw invalidRecordsError(
      recorded.path,
      `it says that the task is ${task_status}; its steps lead to ${led}`,
    );
  const ids = new Set(
    steps.flatMap(({ artifact, machine, verdict }) => [`${machine} ${artifact}`, `${machine} ${verdict}`]),
  );
  for (const [tool, { accepted, verdicts }] of Object.entries(recorded.recordedState.finished)) {
    const named = [...accepted.map(({ sha256 }) => sha256), ...verdicts.map(verdictWords)];
    if (named.some((each) => !ids.has(`${tool} ${each}`)))
      throw invalidRecordsError(recorded.path, `the run of ${tool} in it is not the one of its steps`);
  }
}

/** The status that the steps' last finished tool left, and whether a delivery began after it. */
function statusAfterSteps(steps: readonly Step[]): readonly [status: string, isDelivered: boolean] {
  let status = "new";
  let isDelivered = false;
  for (const { kind, machine, status: left, to } of steps) {
    if (kind === "begun") isDelivered = isDelivery(machine);
    else if (kind !== "moved") [status, isDelivered] = [left ?? to, false];
    else if (left !== undefined) status = left;
  }
  return [status, isDelivered];
}

/** Throws `state-unreadable`, `records-forked` and `records-invalid`. */
export async function resolveTask(view: View, id: string): Promise<ResolvedTask> {
  const present = await findOwn(view, id);
  const branches = await loadBranches(view, id, present);
  const branch = countingBranch(nameOf(id), branches);
  if (!branch?.recorded)
    return { state: present ?? newTaskState(id, NEVER), elsewhere: null, aside: setAside(branches) };
  return { state: stateOf(id, branch, present), elsewhere: present && lastMoveOf(branch), aside: [] };
}

/** The task's state at the end of that branch: no tool is active. */
export function stateOf(id: string, { recorded, steps }: ToolBranch, present: TaskState | null): TaskState {
  const { finished = {}, task_status = "new" } = recorded?.recordedState ?? {};
  return {
    ...newTaskState(id, steps.at(-1)?.time ?? NEVER),
    ...(present?.base && { base: present.base }),
    task_status,
    completed_tool_outputs: finished,
  };
}

/** The task's state for display. Throws like `loadActing`, but also returns a run that others continued. */
export async function loadShown(view: View, id: string): Promise<ResolvedTask> {
  const resolved = await resolveTask(view, id);
  await checkOwn(view, resolved.elsewhere ? await findOwn(view, id) : resolved.state);
  return resolved;
}

/**
 * The task's state for a change. Throws `state-unreadable`, `state-tampered`, `records-forked`,
 * `records-invalid`, and `run-elsewhere` if the task is open and others continued it.
 */
export async function loadActing(view: View, id: string): Promise<ResolvedTask> {
  const resolved = await loadShown(view, id);
  const { elsewhere, state } = resolved;
  if (elsewhere && NEXT_TOOL[state.task_status] !== null) throw elsewhereError(nameOf(id), elsewhere);
  return resolved;
}

/** The records that the task lacks. Throws like `loadActing`. */
export async function loadMissing(view: View, id: string): Promise<readonly Change[]> {
  const { elsewhere } = await loadActing(view, id);
  if (elsewhere) return [];
  const { TASK_RUNS } = await import("./run-kind.ts");
  return missingRecords(view, TASK_RUNS, nameOf(id));
}

/** The state of `loadActing` alone. */
export async function loadState(view: View, id: string): Promise<TaskState> {
  return (await loadActing(view, id)).state;
}

/**
 * The state that counts in this checkout, even if records are ahead: the scope follows from it. Throws
 * `state-tampered`.
 */
export async function loadHere(view: View, id: string): Promise<TaskState> {
  const state = await findHere(view, id);
  await checkOwn(view, state);
  return state;
}

/** The same without the check of its log. */
export async function findHere(view: View, id: string): Promise<TaskState> {
  return (await findOwn(view, id)) ?? (await resolveTask(view, id)).state;
}

export async function checkOwn(view: View, state: TaskState | null): Promise<void> {
  if (state !== null && isBegun(state)) await (await import("./run-kind.ts")).checkTask(view, state);
}
