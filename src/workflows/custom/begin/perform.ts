/**
 * Begins the runs that a rule's order names, and notes how they end.
 *
 * G1  The order is committed with the move. Its runs begin afterwards, each in a commit of its own (the tasks of
 *     Bloom in one), and the last commit notes them. Until then each call on the run continues where the previous
 *     call stopped.
 * G2  A run's id depends on its entry alone, so no run begins twice: an existing run is kept, unless it failed
 *     after an earlier order.
 * G3  If the entries cannot be used, nothing begins, and a person gets the reason.
 */
import { PawlError } from "../../../core/error.ts";
import { openIds } from "../../../core/id.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { Context, Proposal, Reply, Transaction } from "../../../runtime/module.ts";
import { stamped } from "../../../runtime/transaction/run-advanced.ts";
import type { RunContext, RunEvent } from "../../../runtime/transaction/run-event.ts";
import { withFailure } from "../../../runtime/transaction/transaction.ts";
import { changesOf, readTasksText, type TasksText } from "../../../tasks-file/grow.ts";
import { TASKS_RUN } from "../../../tasks-file/load.ts";
import { itemOf } from "../../../tasks-file/proposal.ts";
import { eachTask, idsIn } from "../../../tasks-file/task.ts";
import { BLOOM, type DefinitionSource } from "../definition/definition.ts";
import { loadRun, type OwnRun } from "../load-run.ts";
import { type BeginOrder, type RunFile, renderRun } from "../run-file.ts";
import { runsOfSources } from "../run-kind.ts";
import type { SendInput, SendTypes } from "../sent.ts";
import { type ChildState, childStates, taskState } from "./children.ts";
import { childId, type Entry, entriesOf } from "./entries.ts";

export type Send = RunEvent<SendTypes>;

// biome-ignore lint/suspicious/noExplicitAny: each has types of its own
type AnyPlan = Transaction<any, any, any, Reply>;

interface NextStep {
  readonly plan: AnyPlan;
  readonly input: unknown;
}

interface Planned {
  readonly entry: Entry;
  readonly id: string;
  /** It is to begin. */
  readonly isNew: boolean;
}

/** Runs the next step after the commit. If it fails, the move still counts, and the reply adds the failure. */
function followUp(next: NextStep) {
  const merge = (_: Reply, followed: Reply) => followed;
  return { ...next, merge, failed: (reply: Reply, error: PawlError) => withFailure(reply, error) };
}

/** The transaction as a link of the chain: it replies with the earlier text, and the next step follows it. */
function linked(plan: AnyPlan, text: string, next: NextStep): AnyPlan {
  return {
    ...plan,
    propose(snapshot, observations, input, context) {
      const { afterCommit: _, ...proposal } = plan.propose(snapshot, observations, input, context);
      return { ...proposal, reply: said(text), afterCommit: followUp(next) };
    },
  };
}

function said(text: string): Reply {
  return { text, data: { status: "success", message: text.trim() } };
}

/** The answer to a call on a run whose order has not begun all of its runs. `send`: to any run of the project. */
export async function beginRuns(
  parent: OwnRun,
  order: BeginOrder,
  { input, now, settings, view, ...context }: RunContext<SendInput>,
  send: Send,
): Promise<Proposal<Reply>> {
  const entries = await entriesOf(parent, order.begin, view);
  if ("fault" in entries) return heldBy(parent, order, entries.fault, now.time, input);
  const { run } = parent;
  const { done, event, workflow } = order.begin;
  const text = (input.said ?? []).join("\n");
  const last = (children: readonly string[]): NextStep => ({
    plan: noteBegun(parent.sources, send),
    input: { run, key: order.key, children, said: input.said ?? [] } satisfies NoteInput,
  });
  if (workflow === BLOOM) {
    const first = { plan: addTasks(parent.sources, text, last), input: { run, key: order.key } };
    return { reply: said(text), afterCommit: followUp(first) };
  }
  const stateOf = await childStates(workflow, done, {
    sources: parent.sources,
    settings,
    view,
    ...context,
  });
  const planned = await planOf(parent, order, entries, stateOf);
  let next = last(planned.map(({ id }) => id));
  for (const { entry, id, isNew } of planned.toReversed()) {
    const child = `${workflow}:${id}`;
    const step = (input: SendInput) => ({ plan: linked(send, text, next), input });
    const isUnmoved = isNew || (event !== undefined && (await hasNotMoved(parent.sources, view, child)));
    if (event !== undefined && isUnmoved) next = step({ run: child, event, isFirst: true });
    if (isNew) next = step({ run: child, begins: entry.text });
  }
  return { reply: said(text), afterCommit: followUp(next) };
}

/** False for an unreadable run, too: a person handles it. */
async function hasNotMoved(sources: readonly DefinitionSource[], view: View, run: string): Promise<boolean> {
  try {
    return (await loadRun(sources, view, run)).file?.history.length === 0;
  } catch (thrown) {
    if (thrown instanceof PawlError) return false;
    throw thrown;
  }
}

/** Each entry with its run: one that is there, or a new one. */
async function planOf(
  parent: OwnRun,
  { begin: { workflow }, key }: BeginOrder,
  entries: readonly Entry[],
  stateOf: (id: string) => ChildState | Promise<ChildState>,
): Promise<readonly Planned[]> {
  const earlier = new Map(
    (parent.file?.children ?? []).map((each) => [`${each.workflow}:${each.id}`, each.order]),
  );
  const planned = new Map<string, Planned>();
  for (const entry of entries) {
    const base = childId(parent, workflow, entry);
    let id = base;
    let state = await stateOf(id);
    for (let count = 2; state !== "missing"; count++) {
      const next = `${base}-${count}`;
      const after = await stateOf(next);
      const isOver = state === "failed" && (earlier.get(`${workflow}:${id}`) ?? key) !== key;
      if (after === "missing" && !isOver) break;
      [id, state] = [next, after];
    }
    // Equal entries begin one run.
    if (!planned.has(entry.id)) planned.set(entry.id, { entry, id, isNew: state === "missing" });
  }
  return [...planned.values()];
}

// ── Tasks of Bloom ─────────────────────────────────────────────────────────────────────────────────────────

interface OrderInput {
  readonly run: string;
  /** The order's key. If the run has another order by now, nothing is done. */
  readonly key: string;
}

interface LoadedTasks {
  readonly parent: OwnRun;
  readonly order: BeginOrder | null;
  readonly tasks: TasksText;
  readonly planned: readonly Planned[];
}

/** Adds the tasks that are missing, all in one commit. */
function addTasks(
  sources: readonly DefinitionSource[],
  text: string,
  last: (children: readonly string[]) => NextStep,
): Transaction<OrderInput, LoadedTasks, undefined, Reply> {
  return {
    run: () => TASKS_RUN,
    async read(view, { key, run }, context) {
      const parent = await loadRun(sources, view, run);
      const order = orderIn(parent, key);
      const tasks = await readTasksText(view, context);
      const entries = order === null ? [] : await entriesOf(parent, order.begin, view);
      // The next call handles entries that changed meanwhile.
      if (order === null || "fault" in entries) return { parent, order: null, tasks, planned: [] };
      const planned = await planOf(parent, order, entries, (id) => taskState(tasks.tasks, id));
      return { parent, order, tasks, planned };
    },
    propose({ order, parent, planned, tasks }, _, __, context) {
      if (order === null) return { reply: said(text) };
      const made = orFault(() => added(parent, order, planned, tasks, context));
      if (typeof made === "string") {
        const input = { run: parent.run, key: order.key, words: made, said: [text] };
        return { reply: said(text), afterCommit: followUp({ plan: noteHeld(sources), input }) };
      }
      const { changes, events } = made;
      const next = last(planned.map(({ id }) => id));
      return { reply: said(text), changes, events, afterCommit: followUp(next) };
    },
  };
}

/** The result, or why the tasks cannot be added to the tasks file. */
function orFault<T>(make: () => T): T | string {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof PawlError) || thrown.code !== "tasks-invalid") throw thrown;
    // The place is in a file that was not written.
    return `its tasks cannot be added: ${thrown.message.replace(/^.*?:\d+:\d+: /s, "")}`;
  }
}

interface HeldInput extends OrderInput {
  readonly words: string;
  readonly said: readonly string[];
}

function noteHeld(sources: readonly DefinitionSource[]) {
  return noting<HeldInput>(sources, (parent, _, { key, run, said: before, words }, { now }) => {
    const order = orderIn(parent, key);
    if (order === null || order.recorded.begun !== undefined) return { reply: said(before.join("\n")) };
    return heldBy(parent, order, words, now.time, { run, said: before });
  });
}

function added(
  { run }: OwnRun,
  { begin }: BeginOrder,
  planned: readonly Planned[],
  tasks: TasksText,
  context: Context,
) {
  const idOf = new Map(planned.map(({ entry, id }) => [entry.id, id]));
  const openId = openIds(idsIn(tasks.tasks));
  const waitsFor = ({ depends_on }: Entry) => depends_on.flatMap((on) => idOf.get(on) ?? []);
  const begun = planned.filter(({ isNew }) => isNew);
  const items = begun.map(({ entry, id }) =>
    itemOf(entry.task, { id, depends_on: waitsFor(entry), more: begin.with ?? {}, openId }),
  );
  // Tasks that waited for a failed task now wait for its replacement.
  const present = new Map(eachTask(tasks.tasks).map(({ task }) => [task.id, task]));
  const moved = planned.flatMap(({ entry, id, isNew }) => {
    const value = waitsFor(entry);
    const task = present.get(id);
    const isRight = task === undefined || value.every((on) => task.depends_on.includes(on));
    return isNew || isRight ? [] : [{ type: "put", id, key: "depends_on", value } as const];
  });
  const adds = items.length === 0 ? [] : [{ type: "add-items", into: null, list: "tasks", items } as const];
  const edits = [...adds, ...moved];
  const events = items.map(
    ({ id: taskId, title }) => ({ type: "task:added", taskId, title, by: run }) as const,
  );
  const changes = edits.length === 0 ? [] : changesOf(tasks, edits, context.settings);
  return { changes, events: stamped(events, context) };
}

// ── The order's end ────────────────────────────────────────────────────────────────────────────────────────

interface NoteInput extends OrderInput {
  readonly children: readonly string[];
  readonly said: readonly string[];
}

/** Notes that all runs have begun; then sends the run their present states. */
function noteBegun(sources: readonly DefinitionSource[], send: Send) {
  return noting<NoteInput>(sources, (parent, _, { children, key, run, said: before }, { now }) => {
    const order = orderIn(parent, key);
    const afterCommit = followUp({ plan: send, input: { run, said: before } satisfies SendInput });
    const reply = said(before.join("\n"));
    if (order === null || parent.file === null || order.recorded.begun !== undefined)
      return { reply, afterCommit };
    const { done, workflow } = order.begin;
    const kept = (parent.file.children ?? []).filter(
      (each) => each.workflow !== workflow || !children.includes(each.id),
    );
    const all = [...kept, ...children.map((id) => ({ workflow, id, order: key, ...(done && { done }) }))];
    const changes = fileWith(parent, order, { begun: now.time }, now.time, { children: all });
    return { reply, changes, afterCommit };
  });
}

type Noting<Input> = Transaction<Input, OwnRun, undefined, Reply>;

/** A transaction that writes the order's progress into the run's file. */
function noting<Input extends OrderInput>(
  sources: readonly DefinitionSource[],
  propose: Noting<Input>["propose"],
): Noting<Input> {
  return {
    runs: runsOfSources(sources),
    run: ({ run }) => run,
    read: (view, { run }) => loadRun(sources, view, run),
    propose,
  };
}

function orderIn({ order }: OwnRun, key: string): BeginOrder | null {
  return order?.begin !== undefined && order.key === key ? order : null;
}

function heldBy(
  parent: OwnRun,
  order: BeginOrder,
  words: string,
  time: string,
  { said: before = [] }: SendInput,
): Proposal<Reply> {
  const message = [...before, `${parent.run} began nothing: ${words}`].join("\n");
  const data = { status: "success", message, run: parent.run };
  const changes = fileWith(parent, order, { held: { words, since: time } }, time);
  return { reply: { text: `${message}\n`, data, waits: true }, changes };
}

/** The change of the run's file that notes the order's progress. */
function fileWith(
  { file, path }: Pick<OwnRun, "file" | "path">,
  { key, row, since }: BeginOrder,
  begin: BeginOrder["recorded"],
  time: string,
  more: Partial<RunFile> = {},
): readonly Change[] {
  if (file === null) return [];
  const text = renderRun({ ...file, ...more, pending: { row, key, since, begin }, updated_at: time });
  return [{ type: "write", path, text }];
}
