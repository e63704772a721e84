/**
 * Runs the orders of agents in the project's own workflows, in the work loop. These agents work in the project's
 * folder, so only one works at a time on each machine, under the lease that tasks without a repository take, too.
 *
 * N1  An order begins only under its run's lease, and by what was read under it.
 * N2  Memory holds nothing that the run's file does not: the next loop ends what a dead loop left, and resumes its
 *     session.
 * N3  Each run of an agent is counted before it starts, and its cost in the commit that records its end.
 */
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller, ProjectEvent } from "../../../core/event.ts";
import type { AgentEnd, AgentEvent } from "../../../core/ports/agents.ts";
import type { Backlog, Candidate, Driver, Hold, LoopHandle } from "../../../core/ports/driver.ts";
import { rootLease } from "../../../core/ports/leases.ts";
import type { DriverSetup, OpenDriver } from "../../../core/ports/loop.ts";
import type { BloomSettings } from "../../../core/settings.ts";
import { orderOf } from "../../../core/trust.ts";
import { permissionOf, permitted } from "../../../runtime/agent-order.ts";
import { stamped } from "../../../runtime/transaction/run-advanced.ts";
import { type Runtime, runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import {
  type AgentRest,
  accountsHere,
  activeRests,
  loadAccounts,
  type Rests,
  restLeft,
  restsIn,
  shownRest,
  showsAccount,
} from "../../../scheduler/agent-rest.ts";
import { agentEnded, agentLost, endOrStop, showAgent } from "../../../scheduler/agent-run.ts";
import { added, exceeded, limitsLeft, minutesLeft } from "../../../scheduler/budget.ts";
import { forAbandoned } from "../../../scheduler/leftovers.ts";
import { withRetries } from "../../../scheduler/retry-policy.ts";
import type { DefinitionSource } from "../definition/definition.ts";
import type { OrderWork } from "../run-file.ts";
import { sendTo } from "../send.ts";
import { limitsOf } from "./answer.ts";
import {
  listPending,
  loadSources,
  type NoteInput,
  noteOrder,
  type Ordered,
  orderPrompt,
  type Pending,
  reportAccount,
} from "./orders.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

export interface OrdersSetup extends DriverSetup {
  readonly runtime: Runtime;
  readonly sources: readonly DefinitionSource[];
}

/** One driver if any source has agents, begins runs, or has unreadable runs; else none. `setup` overrides the loop's. */
export async function driversOfOrders(
  runtime: Runtime,
  all: readonly DefinitionSource[],
  setup: Partial<DriverSetup> = {},
): Promise<readonly OpenDriver[]> {
  const { held, workedOn } = await loadSources(all, runtime.store.view());
  if (workedOn.length === 0 && held.length === 0) return [];
  // The loop's own runtime overrides this one.
  return [(loop, handle) => openOrders({ runtime, ...loop, ...setup, sources: all }, handle)];
}

interface Orders extends OrdersSetup, Pick<LoopHandle, "retries"> {}

export function openOrders(setup: OrdersSetup, { retries }: LoopHandle): Driver {
  const orders: Orders = { ...setup, retries };
  const { runtime, show, sources } = setup;
  const backlog = async () => backlogOf(orders, await loadOrders(orders));
  return {
    owns: (run) => sources.some(({ name }) => run.startsWith(`${name}:`)),
    async start() {
      const view = runtime.store.view();
      const { orders: all } = await listPending(sources, view, await runtime.settings(view));
      const left = all.filter(({ work }) => work.underway !== undefined);
      const end = async ({ work }: Ordered) => {
        await setup.ports.agents.endLeftovers(work.underway ?? "");
      };
      await forAbandoned(setup, left, ({ own }) => own.run, end);
    },
    load: backlog,
    reload: backlog,
    agentBegins: async () => {},
    say({ run, type, ...more }) {
      show({ type: `task:${type}`, taskId: run, ...more } as Parameters<typeof show>[0]);
    },
    isBusy: () => false,
    ended: async () => {},
  };
}

// ── Which may begin ────────────────────────────────────────────────────────────────────────────────────────

interface LoadedOrders extends Omit<Pending, "orders"> {
  readonly all: readonly Ordered[];
  readonly settings: BloomSettings;
  /** The rests of this machine's accounts that have not ended. */
  readonly rests: Rests;
  readonly now: string;
}

async function loadOrders({ clock, runtime, sources, ...orders }: Orders): Promise<LoadedOrders> {
  const view = runtime.store.view();
  const now = clock.now().toISOString();
  const settings = await runtime.settings(view);
  const { orders: all, ...others } = await listPending(sources, view, settings);
  const rests = activeRests(restsIn(await loadAccounts(view), now, accountsHere(orders.ports)), now);
  return { all, ...others, settings: settings.bloom, rests, now };
}

const agentOf = ({ order }: Ordered, settings: Pick<BloomSettings, "agent">): string =>
  order.entry.agent ?? settings.agent;

function backlogOf(orders: Orders, loaded: LoadedOrders): Backlog {
  const { all, commands, gathering, now, rests, settings } = loaded;
  const { noWait, once } = orders;
  const open = all.filter(({ work }) => work.held === undefined);
  const restOf = (each: Ordered): AgentRest | null => rests.get(agentOf(each, settings)) ?? null;
  const waitOf = (each: Ordered): number => {
    const { after } = each.work;
    const rest = restOf(each);
    const until = after === undefined ? 0 : Date.parse(after) - Date.parse(now);
    return Math.max(0, until, rest === null ? 0 : restLeft(rest, each.own.run, now));
  };
  const isGivenUp = (each: Ordered) => {
    const rest = restOf(each);
    return once && rest !== null && (noWait === true || rest.mend !== undefined);
  };
  const held = [
    ...all.flatMap(({ order, own, work }) =>
      work.held ? [{ run: own.run, reason: `${order.agent}: ${work.held.words}` }] : [],
    ),
    ...loaded.held,
  ];
  const isHeld = new Set(held.map(({ run }) => run));
  return {
    ...{ outgrown: [], unwritable: new Map(), exclusive: [] },
    *candidates(isLeftAlone) {
      for (const each of open)
        if (!isLeftAlone(each.own.run) && waitOf(each) === 0) yield candidateFor(orders, each, settings);
      for (const run of commands) if (!isLeftAlone(run)) yield commandCandidate(orders, run);
    },
    missingAgentError: ({ agent, why }, runs) =>
      new PawlError(
        "agent-missing",
        `${runs.join(", ")} cannot go on: ${agent} is not there: ${why}`,
        "`pawl config agents` shows which agents this machine has.",
      ),
    waiting: () => held,
    wakesIn(isLeftAlone) {
      const times = open.flatMap((each) => {
        const wait = waitOf(each);
        return wait === 0 || isLeftAlone(each.own.run) || isGivenUp(each) ? [] : [wait];
      });
      return times.length === 0 ? null : Math.min(...times);
    },
    ask: () => null,
    end: (untrusted) => ({
      ...{ done: [], cancelled: [], blocked: [], red: [], byHand: [] },
      open: [
        ...all.map(({ own }) => own.run),
        ...commands,
        ...gathering,
        ...loaded.held.map(({ run }) => run),
      ],
      waiting: [
        ...new Set([...isHeld, ...all.map(({ own }) => own.run).filter((run) => untrusted.has(run))]),
      ],
      resting: [...rests].flatMap(([agent, rest]) => {
        const tasks = open.filter((each) => agentOf(each, settings) === agent).map(({ own }) => own.run);
        return tasks.length === 0 ? [] : [{ ...shownRest(rest), tasks, others: [] }];
      }),
    }),
  };
}

/** For a run whose command outlasted the call or the caller that started it, or that has runs to begin. */
function commandCandidate(orders: Orders, run: string): Candidate {
  return {
    ...{ run, folder: rootLease(orders.ports.host) },
    isServedBy: () => true,
    lacksAgent: () => null,
    lacksTrust: async () => null,
    wanted: () => null,
    work: (hold) => workOn(orders, run, hold),
  };
}

function candidateFor(orders: Orders, ordered: Ordered, settings: BloomSettings): Candidate {
  const { own } = ordered;
  const agent = agentOf(ordered, settings);
  return {
    run: own.run,
    folder: rootLease(orders.ports.host),
    isServedBy: (labels) =>
      !labels.some((label) => label.startsWith("agent:")) || labels.includes(`agent:${agent}`),
    lacksAgent() {
      const why = orders.ports.agents.missing(agent);
      return why === null ? null : { agent, why };
    },
    async lacksTrust() {
      const prompt = promptFor(ordered, agent);
      // A prompt that cannot be rendered starts nothing: the order is held.
      if (prompt instanceof PawlError) return null;
      return (await orders.lacksTrust?.(orderOf(own.run, ordered.order.entry.agent, prompt))) ?? null;
    },
    wanted: () => null,
    work: (hold) => workOn(orders, own.run, hold),
  };
}

// ── Work on one ────────────────────────────────────────────────────────────────────────────────────────────

/** Works on the run's orders, one after the other, until none can continue. */
async function workOn(orders: Orders, run: string, hold: Hold): Promise<void> {
  const { name, ports, show } = orders;
  show({ type: "task:claimed", taskId: run, worker: name, takenOver: hold.abandoned });
  try {
    for (;;) {
      if (hold.stop.aborted || !(await hold.slot.take(hold.stop))) return;
      const now = await loadOrders(orders);
      if (now.commands.includes(run)) {
        await continueCommand(orders, run);
        continue;
      }
      const ordered = now.all.find(({ own }) => own.run === run);
      if (!ordered || !mayBegin(ordered, now)) return;
      const recovered = await recover(orders, ordered, now.settings);
      // An edit, a pull or a merge may have changed the prompt.
      const lacking = await candidateFor(orders, recovered, now.settings).lacksTrust();
      if (lacking) throw lacking;
      // The loop reports a missing agent.
      if (ports.agents.missing(agentOf(recovered, now.settings)) !== null) return;
      await runAgent(orders, recovered, now.settings, hold);
    }
  } finally {
    show({ type: "task:released", taskId: run, worker: name });
  }
}

/** Does what `pawl cast RUN` does: sends the command's end once it has one, or begins runs and notes which rest. */
async function continueCommand(orders: Orders, run: string): Promise<void> {
  const { runtime, show, sources } = orders;
  const done = await withRetries(orders.retries, () =>
    runTransaction(runtime, sendTo(sources), { run }, caller(orders)),
  );
  for (const each of done.events ?? []) show(each);
  const after = done.reply.data.after_commit as Pick<PawlError, "code" | "fix" | "message"> | undefined;
  if (after) throw new PawlError(after.code, after.message, after.fix);
  if (done.reply.refused)
    throw new PawlError("invalid-action", done.reply.text.trim(), `\`pawl show ${run}\` says more.`);
}

/** What the agent gets, or why it cannot be rendered. */
function promptFor(ordered: Ordered, agent: string): string | PawlError {
  try {
    return orderPrompt(ordered, sessionFor(ordered, agent) !== null);
  } catch (thrown) {
    return toPawlError(thrown);
  }
}

function mayBegin(ordered: Ordered, { now, rests, settings }: LoadedOrders): boolean {
  const { after, held } = ordered.work;
  if (held || (after !== undefined && after > now)) return false;
  return !rests.has(agentOf(ordered, settings));
}

async function runAgent(orders: Orders, before: Ordered, settings: BloomSettings, hold: Hold): Promise<void> {
  const { clock, ports } = orders;
  const { order, own, work } = before;
  const { entry, key } = order;
  const { run } = own;
  const agent = agentOf(before, settings);
  const id = runName(run, key, work.runs + 1);
  const began = clock.now().toISOString();
  const session = sessionFor(before, agent);
  const prompt = promptFor(before, agent);
  if (prompt instanceof PawlError) {
    const held = { why: "failed", words: prompt.message, since: began };
    await note(orders, { run, key, workAfter: (now) => ({ ...now, held }) }, []);
    return;
  }
  const started: ProjectEvent = {
    ...{ type: "agent:started", taskId: run, purpose: order.agent, agent, run: id },
    ...{ permission: permissionOf(entry), resumed: session !== null },
  };
  const begins = { ...work, runs: work.runs + 1, underway: id };
  const noted = await note(orders, { run, key, begins: true, workAfter: () => begins }, [started]);
  if (noted === null) return;
  const { budget } = entry;
  const following = follow(orders, run, id, noted, hold.stop);
  const going = ports.agents.start(
    {
      run: id,
      agent,
      folder: ports.root,
      prompt,
      session: session === null ? { type: "new" } : { type: "resume", id: session },
      ...permitted(entry),
      ...(entry.model === undefined ? {} : { model: entry.model }),
      environment: ports.environment,
      limits: {
        inactivity: settings.limits.silence * 60_000,
        total: Math.min(settings.limits.run, minutesLeft(budget, work.spent)) * 60_000,
        ...limitsLeft(budget, work.spent),
      },
    },
    following.onEvent,
  );
  const { end, stop } = await endOrStop(going, following.stop);
  following.forget();
  const outcome = outcomeOf(
    noted.work,
    { end, stop, now: clock.now().toISOString() },
    {
      ...{ budget, answers: order.answers, limits: limitsOf(own.loaded.definition, order.agent) },
      agent,
      tries: settings.tries,
      backoff: settings.backoff,
    },
  );
  await recordEnd(orders, noted, { agent, began, end, id, outcome, stopped: stop, stop: hold.stop });
}

interface AgentRunEnd {
  /** Its program. */
  readonly agent: string;
  readonly began: string;
  readonly end: AgentEnd;
  /** The agent's run. */
  readonly id: string;
  readonly outcome: Outcome;
  /** Why the loop stopped it; null: it ended by itself. */
  readonly stopped: "interrupted" | "budget" | null;
  readonly stop: AbortSignal;
}

/** Records the run's end, with the event of its answer if there is one. */
async function recordEnd(orders: Orders, ordered: Ordered, ended: AgentRunEnd): Promise<void> {
  const { agent, began, end, id, outcome, stopped } = ended;
  const { run } = ordered.own;
  const { key } = ordered.order;
  const event = agentEnded(run, id, end);
  const cost = { usage: end.usage, milliseconds: end.duration };
  const work = await answered(orders, ordered, ended, event);
  if (work !== null) await note(orders, { run, key, workAfter: () => work, cost }, [event]);
  if (outcome.limited === undefined && !showsAccount({ end, stop: stopped })) return;
  const report = { agent, began, limited: outcome.limited ?? null };
  const input = { report, accountOf: accountsHere(orders.ports) };
  await withRetries(orders.retries, () =>
    runTransaction(orders.runtime, reportAccount, input, caller(orders)),
  );
}

/** Sends the event of the agent's answer. Returns null if the run moved, else the order's state. */
async function answered(
  orders: Orders,
  { order, own: { run } }: Ordered,
  { agent, end, outcome: { answer, refused, work }, stop }: AgentRunEnd,
  event: ProjectEvent,
): Promise<OrderWork | null> {
  if (!answer || !refused) return work;
  const input = {
    run,
    answer: {
      ...{ key: order.key, event: answer.event, texts: answer.texts, events: [event] },
      ended: {
        ...{ command: agent, agent: order.agent, exit_code: 0 },
        ...{ milliseconds: end.duration, tail: end.text },
      },
      cost: { usage: end.usage, milliseconds: end.duration },
      ...(work.session && { session: work.session }),
    },
  };
  for (;;) {
    const { events, reply } = await withRetries(orders.retries, () =>
      runTransaction(orders.runtime, sendTo(orders.sources), input, caller(orders)),
    );
    for (const each of events ?? []) orders.show(each);
    if (reply.data.outcome === "moved") return null;
    // A command that answers a fact may outlast one wait. If the loop is stopped, the agent answers again later.
    if (reply.data.status !== "running") return refused(reply.text.trim());
    if (stop.aborted) return work;
  }
}

/** Ends and counts what a dead loop left. */
async function recover(orders: Orders, ordered: Ordered, settings: BloomSettings): Promise<Ordered> {
  const { clock, ports } = orders;
  const { order, own, work } = ordered;
  const { underway } = work;
  if (underway === undefined) return ordered;
  const usage = await ports.agents.spentBy(underway);
  const session = await ports.agents.sessionOf(underway);
  const at = (await ports.agents.lastSignOf(underway)) ?? clock.now().toISOString();
  await ports.agents.endLeftovers(underway);
  const lost = agentLost(own.run, underway, usage, { at, duration: 0 });
  const cost = { usage, milliseconds: 0 };
  const workAfter = ({ underway: _, ...rest }: OrderWork): OrderWork => ({
    ...rest,
    ...(session && { session: { id: session.id, agent: agentOf(ordered, settings) } }),
    spent: added(rest.spent, usage, 0),
  });
  return (await note(orders, { run: own.run, key: order.key, workAfter, cost }, [lost])) ?? ordered;
}

/** Null: the run has another order by now. */
async function note(
  orders: Orders,
  input: NoteInput,
  events: readonly ProjectEvent[],
): Promise<Ordered | null> {
  const plan = noteOrder(orders.sources, (now) => stamped(events, { now }));
  const done = await withRetries(orders.retries, () =>
    runTransaction(orders.runtime, plan, input, caller(orders)),
  );
  for (const event of done.events ?? []) orders.show(event);
  return done.reply.ordered;
}

const caller = ({ name }: Orders): Caller => ({ channel: "library", who: name });

/** The session that the order continues; null: it begins a new one. */
function sessionFor({ order, own, work }: Ordered, agent: string): string | null {
  const kept = order.session === "same" ? own.file?.sessions?.[order.agent] : undefined;
  const session = work.session ?? kept;
  return session?.agent === agent ? session.id : null;
}

/** Unique among the runs of all agents, and an id. */
function runName(run: string, key: string, count: number): string {
  return `${run.replace(":", "-").slice(0, 70).replace(/\.+$/, "")}.${key.slice(0, 8)}.${count}`;
}

/** Shows what the agent does. `stop` settles when it has to end. */
function follow({ show }: Orders, taskId: string, run: string, { order, work }: Ordered, stop: AbortSignal) {
  const why = Promise.withResolvers<"budget" | "interrupted">();
  const interrupt = () => why.resolve("interrupted");
  if (stop.aborted) interrupt();
  stop.addEventListener("abort", interrupt);
  return {
    stop: why.promise,
    forget: () => stop.removeEventListener("abort", interrupt),
    onEvent(event: AgentEvent) {
      showAgent(show, taskId, run, event);
      if (event.type !== "usage") return;
      const spent = added(work.spent, event.usage, 0);
      if (exceeded(order.entry.budget, spent) !== null) why.resolve("budget");
    },
  };
}
