/**
 * A task's state, resolved from this checkout's own state and the records. The own state counts unless a
 * record is ahead of it. A run that others continued is theirs until a person adopts it; a checkout without a
 * state of the task continues from the records.
 */
import { PawlError } from "../../../core/error.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { hashOfStep } from "../../../runtime/run-log/history.ts";
import {
  branchesOf,
  elsewhereError,
  loadRecords,
  onlyBranch,
  type RunBranch,
  recordedByName,
  recordNames,
} from "../../../runtime/run-log/team-records.ts";
import type { Elsewhere } from "../../../runtime/transaction/transaction.ts";
import { statusAfter } from "./chain.ts";
import { findOwn, isBegun, NEVER } from "./live-state.ts";
import { finishedRuns, missingRecords, nameOf, runsIn, type Shared, TOOL_RECORDS } from "./records.ts";
import {
  newTaskState,
  type RecordedRun,
  type RecordedState,
  type TaskState,
  type ToolStep,
} from "./state-file.ts";
import { NEXT_TOOL } from "./status.ts";

export type ToolBranch = RunBranch<ToolStep, RecordedState>;

export interface TaskBranches extends Shared {
  /** This checkout's own state; null: none. */
  readonly own: TaskState | null;
  /** Empty: nothing is recorded, and nothing was done here. */
  readonly branches: readonly ToolBranch[];
}

export interface ResolvedTask {
  readonly state: TaskState;
  /** Who continued it in another checkout, while this one has a state of it; null: no one else did. */
  readonly elsewhere: Elsewhere | null;
  readonly shared: Shared;
}

/** `own`: the checkout's own state; null: only what git shares counts. Throws `records-invalid`. */
export async function loadBranches(view: View, id: string, own: TaskState | null): Promise<TaskBranches> {
  const names = await recordNames(view, nameOf(id));
  const chain = own?.chain ?? [];
  if (own && chain.length > 0 && recordedByName(names, chain).isAll) {
    const branch = { head: hashOfStep(chain.at(-1) as ToolStep), steps: chain, recorded: null };
    return { own, branches: [branch], chain, recorded: namedIn(names, chain), runs: new Map() };
  }
  try {
    const records = await loadRecords(view, nameOf(id), names, TOOL_RECORDS);
    const recorded = new Set(records.flatMap(({ steps }) => steps.map(hashOfStep)));
    return { own, branches: branchesOf(nameOf(id), records, chain), chain, recorded, runs: runsIn(records) };
  } catch (thrown) {
    // Damaged records do not stop a checkout that has the task itself.
    if (own === null || !(thrown instanceof PawlError) || thrown.code !== "records-invalid") throw thrown;
    const branches = branchesOf<ToolStep, RecordedState>(nameOf(id), [], chain);
    return { own, branches: branches, chain, recorded: namedIn(names, chain), runs: new Map() };
  }
}

/** The recorded ones of the steps, judged only by the records' names. */
function namedIn(names: readonly string[], steps: readonly ToolStep[]): ReadonlySet<string> {
  return new Set(steps.slice(0, recordedByName(names, steps).recorded).map(hashOfStep));
}

/** Throws `state-unreadable`, `records-forked` and `records-invalid`. */
export async function resolveTask(view: View, id: string): Promise<ResolvedTask> {
  const { own, branches, ...shared } = await loadBranches(view, id, await findOwn(view, id));
  if (branches.length === 0) return { state: own ?? newTaskState(id, NEVER), elsewhere: null, shared };
  const branch = onlyBranch(nameOf(id), branches);
  if (own && branch.recorded === null) return { state: own, elsewhere: null, shared };
  const last = branch.steps.at(-1);
  const by = last?.by?.who ?? last?.by?.channel ?? "somebody";
  return {
    state: stateOf(id, branch, shared.runs, own),
    elsewhere: own && { by, time: last?.time ?? "" },
    shared: { ...shared, chain: branch.steps },
  };
}

/** The task's state at the end of that branch: no tool is active. */
export function stateOf(
  id: string,
  { steps }: ToolBranch,
  runs: ReadonlyMap<string, RecordedRun>,
  own: TaskState | null,
): TaskState {
  const outputs = finishedRuns(steps, runs).map(({ tool_name, ...run }) => [tool_name, run] as const);
  return {
    ...newTaskState(id, steps.at(-1)?.time ?? NEVER),
    ...(own?.base && { base: own.base }),
    task_status: statusAfter(steps),
    completed_tool_outputs: Object.fromEntries(outputs),
    chain: steps,
  };
}

/** The task's state for display. Throws like `loadActing`, but also returns a run that others continued. */
export async function loadShown(view: View, id: string): Promise<ResolvedTask> {
  const standing = await resolveTask(view, id);
  await checkOwn(view, standing.elsewhere ? await findOwn(view, id) : standing.state);
  return standing;
}

/**
 * The task's state for a change. Throws `state-unreadable`, `state-tampered`, `records-forked`,
 * `records-invalid`, and `run-elsewhere` if the task is open and others continued it.
 */
export async function loadActing(view: View, id: string): Promise<ResolvedTask> {
  const standing = await loadShown(view, id);
  const { elsewhere, state } = standing;
  if (elsewhere && NEXT_TOOL[state.task_status] !== null) throw elsewhereError(nameOf(id), elsewhere);
  return standing;
}

/** The records that the task lacks. Throws like `loadActing`. */
export async function loadMissing(view: View, id: string): Promise<readonly Change[]> {
  const { shared, state } = await loadActing(view, id);
  return missingRecords(state, shared.chain, shared);
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
