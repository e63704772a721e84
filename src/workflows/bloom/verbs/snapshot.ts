/** Shared by every verb over tasks.yaml: what it reads, and how it reports what it did. */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { PawlEvent, RunAdvanced } from "../../../core/event.ts";
import { isId } from "../../../core/id.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type {
  Context,
  HumanQuestion,
  Proposal,
  Reply,
  Transaction,
  Verdict,
} from "../../../runtime/module.ts";
import { isPersonHere } from "../../../runtime/transaction/person.ts";
import {
  type AccountOf,
  type Accounts,
  loadAccounts,
  type Quota,
  quotasIn,
  type Rests,
  restsIn,
} from "../../../scheduler/agent-rest.ts";
import { changeTasks, type LoadedTasks, loadTasks, TASKS_RUN } from "../../../tasks-file/load.ts";
import type { TaskEdit } from "../../../tasks-file/splice.ts";
import { placedTasks } from "../../../tasks-file/task.ts";
import { resetSpent } from "../run/run-changes.ts";
import { TASK_RUNS } from "../run/run-kind.ts";
import { type SchedulingStatuses, schedulingStatuses } from "../run/scheduling-status.ts";
import { withOthers } from "../run/shared.ts";
import { listRuns, loadRuns, type Runs } from "../run/task-run.ts";

export interface Snapshot extends LoadedTasks, Runs {
  readonly states: SchedulingStatuses;
  readonly accounts: Accounts;
  readonly rests: Rests;
  readonly quotas: ReadonlyMap<string, Quota>;
}

export function loadSnapshot(view: View, context: Context): Promise<Snapshot> {
  return loadSnapshotFor(undefined, view, context);
}

/** `accountOf`: only the rests of this machine's accounts count. */
export async function loadSnapshotFor(
  accountOf: AccountOf | undefined,
  view: View,
  context: Context,
): Promise<Snapshot> {
  const loaded = await loadTasks(view, context);
  const { tasks } = loaded.file;
  // Any status counts here: a person may have written another one while the run was active.
  const ids = placedTasks(tasks, await listRuns(view)).map(({ task }) => task.id);
  const { runs, held } = await withOthers(view, tasks, await loadRuns(view, ids));
  const accounts = await loadAccounts(view);
  const rests = restsIn(accounts, context.now.time, accountOf);
  const states = schedulingStatuses(tasks, runs, context.now.time, rests);
  // A held task is not taken, and no task that depends on it begins.
  const all = held.size === 0 ? states : new Map([...states, ...[...held.keys()].map(blocked)]);
  return { ...loaded, runs, held, states: all, accounts, rests, quotas: quotasIn(accounts, accountOf) };
}

export interface Renewable extends Snapshot {
  /** Resets the task's spending; empty unless a person at a terminal restarts it. */
  readonly unspent: readonly Change[];
}

export async function loadRenewable(
  view: View,
  context: Context,
  { id }: { readonly id?: string },
): Promise<Renewable> {
  const snapshot = await loadSnapshot(view, context);
  const isPersons = isPersonHere(context);
  return { ...snapshot, unspent: isPersons && isId(id) ? await resetSpent(view, id) : [] };
}

const blocked = (id: string) => [id, "blocked"] as const;

/** Throws if the call, or its consequence, is about a held task. */
function checkHeld(seen: LoadedTasks & Partial<Runs>, input: unknown, { edits = [] }: Done): void {
  if (!seen.held?.size) return;
  const { id, task } = (input ?? {}) as { readonly id?: unknown; readonly task?: unknown };
  for (const each of [id, task, ...edits.map((edit) => edit.id)]) {
    const fault = typeof each === "string" ? seen.held.get(each) : undefined;
    if (fault) throw fault;
  }
}

export interface Done {
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly refused?: true;
  readonly waits?: true;
  /** The gate's verdict, if this is one. */
  readonly verdict?: Verdict;
  /** A person must agree to this first; until then, the rest of the result does not count. */
  readonly ask?: HumanQuestion;
  readonly edits?: readonly TaskEdit[];
  readonly changes?: readonly Change[];
  readonly events?: readonly (BloomEvent | RunAdvanced)[];
}

/** A read-only verb. */
export function readOnly<Input, Loaded extends LoadedTasks, Found = undefined>(
  read: (view: View, context: Context, input: Input) => Promise<Loaded>,
  render: (seen: Loaded, input: Input, context: Context, observed: Found) => Done,
  observe?: (seen: Loaded, input: Input, outside: Outside) => Promise<Found>,
): Transaction<Input, Loaded, Found, Reply> {
  return {
    run: () => null,
    read: (view, input, context) => read(view, context, input),
    ...(observe && { observe }),
    propose: (seen, observed, input, context) => ({
      reply: replyOf(render(seen, input, context, observed)),
      cacheEntries: seen.cacheEntries,
    }),
  };
}

/** A verb that changes tasks.yaml and its companions, in one commit. `observe`: what it looks up outside before. */
export function changing<Input, Loaded extends LoadedTasks, Found = undefined>(
  read: (view: View, context: Context, input: Input) => Promise<Loaded>,
  decide: (seen: Loaded, input: Input, context: Context, observed: Found) => Done,
  observe?: (seen: Loaded, input: Input, outside: Outside, context: Context) => Promise<Found>,
): Transaction<Input, Loaded, Found, Reply> {
  return {
    runs: TASK_RUNS,
    run: () => TASKS_RUN,
    read: (view, input, context) => read(view, context, input),
    ...(observe && { observe }),
    propose: (seen, observed, input, context) =>
      prepared(seen, input, decide(seen, input, context, observed), context),
  };
}

function prepared(seen: LoadedTasks, input: unknown, done: Done, context: Context): Proposal<Reply> {
  checkHeld(seen, input, done);
  if (done.ask) return { reply: replyOf(done), ask: done.ask };
  const { changes, cacheEntries } = changeTasks(seen, done.edits ?? [], context.settings);
  return {
    reply: replyOf(done),
    changes: [...changes, ...(done.changes ?? [])],
    cacheEntries,
    ...(done.verdict && { verdict: done.verdict }),
    events: (done.events ?? []).map((event, index) => eventOf(context, event, index)),
  };
}

export function eventOf(
  context: Pick<Context, "now">,
  event: BloomEvent | RunAdvanced,
  index: number,
): PawlEvent {
  return { id: `${context.now.id}-${index}`, time: context.now.time, ...event } as PawlEvent;
}

function replyOf({ text, data = {}, refused, waits }: Done): Reply {
  return { text, data, ...(refused ? { refused } : {}), ...(waits ? { waits } : {}) };
}
