/** The orders to agents in the runs of the project's own workflows, and the commits that bring one forward. */
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Settings } from "../../../core/settings.ts";
import type { Context, Reply, Transaction } from "../../../runtime/module.ts";
import {
  type AccountOf,
  type AccountReport,
  type Accounts,
  accountChanges,
  loadAccounts,
  withReport,
} from "../../../scheduler/agent-rest.ts";
import type { RunUsage } from "../../../scheduler/costs.ts";
import { TASKS_RUN } from "../../../tasks-file/load.ts";
import { type ChildContext, loadChildren } from "../begin/children.ts";
import { agentCommands, beginCommands, type DefinitionSource } from "../definition/definition.ts";
import { govern, heldRunError } from "../govern.ts";
import { loadRun, type OwnRun } from "../load-run.ts";
import { checkMayMove } from "../proved.ts";
import { loadOwn } from "../resolve-run.ts";
import { type AgentOrder, type BeginOrder, listRuns, type OrderWork, renderRun } from "../run-file.ts";
import { runsOfSources } from "../run-kind.ts";
import { limitsOf } from "./answer.ts";
import { UNBEGUN } from "./order-state.ts";
import { withRunCost } from "./outcome.ts";
import { nextPrompt, promptOf, promptValues } from "./prompt.ts";

/** A run whose order an agent has. */
export interface Ordered {
  readonly own: OwnRun;
  readonly order: AgentOrder;
  readonly work: OrderWork;
}

export interface Pending {
  /** Every run whose order an agent has, oldest first. */
  readonly orders: readonly Ordered[];
  /**
   * The runs that continue without an agent: a command has no known end, runs are to begin, or all runs that it
   * began are idle.
   */
  readonly commands: readonly string[];
  /** The runs that wait for those that they began. */
  readonly gathering: readonly string[];
  /**
   * Those that wait for a person: at a gate, with an order to begin runs that waits, or with one of which nothing can be
   * read.
   */
  readonly held: readonly { readonly run: string; readonly reason: string }[];
}

interface LoadedSources {
  /** The workflows whose runs the loop brings forward: those with agents, and those that begin others or are begun. */
  readonly workedOn: readonly DefinitionSource[];
  /** The runs with an order of workflows that cannot be read. */
  readonly held: Pending["held"];
}

export async function loadSources(sources: readonly DefinitionSource[], view: View): Promise<LoadedSources> {
  const loaded = await Promise.all(sources.map((source) => source.load(view).catch(() => null)));
  const held: { run: string; reason: string }[] = [];
  for (const [at, { name }] of sources.entries()) {
    if (loaded[at]) continue;
    const reason = `${name} cannot be used: \`pawl check ${name}\` says why`;
    for (const id of await listRuns(view, name))
      if (await hasOrder(view, name, id)) held.push({ run: `${name}:${id}`, reason });
  }
  const begins = loaded.flatMap((each) => (each ? beginCommands(each.definition) : []));
  const begun = new Set(begins.map(({ command }) => command.workflow));
  const workedOn = sources.filter(({ name }, at) => {
    const definition = loaded[at]?.definition;
    if (!definition) return false;
    return begun.has(name) || agentCommands(definition).length + beginCommands(definition).length > 0;
  });
  return { workedOn, held };
}

async function hasOrder(view: View, workflow: string, id: string): Promise<boolean> {
  const file = await loadOwn(view, workflow, id).catch(() => null);
  return file?.pending != null;
}

/** A run that cannot be read waits for a person, if it has an order. */
export async function listPending(
  sources: readonly DefinitionSource[],
  view: View,
  settings: Settings,
): Promise<Pending> {
  const orders: Ordered[] = [];
  const commands: string[] = [];
  const gathering: string[] = [];
  const { workedOn, held: unusable } = await loadSources(sources, view);
  const held = [...unusable];
  for (const source of workedOn) {
    for (const id of await listRuns(view, source.name)) {
      const loaded = await loadRun(sources, view, `${source.name}:${id}`).catch(toPawlError);
      if (loaded instanceof PawlError) {
        const [reason = ""] = loaded.message.split("\n");
        if (await hasOrder(view, source.name, id)) held.push({ run: `${source.name}:${id}`, reason });
        continue;
      }
      const ordered = orderedBy(loaded);
      if (ordered) orders.push(ordered);
      if (loaded.file?.awaits === "human" && !loaded.order && !loaded.elsewhere)
        held.push({ run: loaded.run, reason: loaded.file.next });
      if (ordered || !loaded.order || loaded.elsewhere) continue;
      const { order, run } = loaded;
      if (order.begin === undefined) commands.push(run);
      else if (order.recorded.held) held.push({ run, reason: order.recorded.held.words });
      else if (await waitsForRuns(loaded, order, { settings, sources, view })) gathering.push(run);
      else commands.push(run);
    }
  }
  orders.sort((one, other) => (one.order.since < other.order.since ? -1 : 1));
  return { orders, commands, gathering, held };
}

async function waitsForRuns(
  { file }: OwnRun,
  { recorded: stands }: BeginOrder,
  loaders: ChildContext,
): Promise<boolean> {
  if (stands.begun === undefined) return false;
  // Where it cannot be read how they stand, the error is theirs.
  const children = await loadChildren(file, loaders).catch(() => null);
  return children === null || children.value === "open" || children.value === stands.gathered;
}

function orderedBy(run: OwnRun): Ordered | null {
  const { elsewhere, order } = run;
  return order?.agent === undefined || elsewhere ? null : { own: run, order, work: order.work ?? UNBEGUN };
}

export interface NoteInput {
  readonly run: string;
  /** The order's key. If the run has another order by now, nothing is written. */
  readonly key: string;
  /** Begins a run of the agent: refused if the workflow was loosened since, or may move no run. */
  readonly begins?: true;
  /** How far it is. */
  readonly workAfter: (work: OrderWork) => OrderWork;
  /** Of the agent's run that has ended. */
  readonly cost?: RunUsage;
}

interface LoadedOrder {
  readonly ordered: Ordered | null;
  readonly view: View;
}

/** `ordered`: null if the run has another order by now. */
export interface Noted extends Reply {
  readonly ordered: Ordered | null;
}

/** `eventsAt`: what is stored with it. */
export function noteOrder(
  sources: readonly DefinitionSource[],
  eventsAt: (now: Context["now"]) => readonly PawlEvent[],
): Transaction<NoteInput, LoadedOrder, undefined, Noted> {
  return {
    runs: runsOfSources(sources),
    run: ({ run }) => run,
    async read(view, { begins, run }) {
      const ordered = orderedBy(await loadRun(sources, view, run));
      if (begins && ordered) await checkMayMove(ordered.own, view);
      return { ordered, view };
    },
    async observe({ ordered, view }, { begins }, outside: Outside, { settings }: Context) {
      if (!begins || ordered === null) return undefined;
      const governed = await govern(ordered.own, outside, { settings, view }, false);
      if (governed && governed.ignored.length > 0) throw heldRunError(ordered.own, governed.ignored);
      return undefined;
    },
    propose({ ordered }, _, { begins, cost, key, workAfter }, { now }) {
      if (ordered === null || ordered.order.key !== key || ordered.own.file === null)
        // An agent that worked has its end in the history, also if its run was removed meanwhile.
        return {
          reply: { text: "", data: {}, ordered: null },
          ...(begins ? {} : { events: eventsAt(now) }),
        };
      const { file, path } = ordered.own;
      const { agent, row, since } = ordered.order;
      const costs = cost && { costs: withRunCost(file.costs, agent, cost) };
      const work = workAfter(ordered.work);
      const text = renderRun({ ...file, ...costs, pending: { row, key, since, work }, updated_at: now.time });
      return {
        reply: { text: "", data: {}, ordered: { ...ordered, order: { ...ordered.order, work }, work } },
        changes: [{ type: "write", path, text }],
        events: eventsAt(now),
      };
    },
  };
}

/** What a run shows about its agent's account. */
export const reportAccount: Transaction<
  { readonly report: AccountReport; readonly accountOf: AccountOf },
  Accounts,
  undefined,
  boolean
> = {
  run: () => TASKS_RUN,
  read: loadAccounts,
  propose(accounts, _, { accountOf, report }, { now }) {
    const changes = accountChanges(accounts, withReport(accounts, report, accountOf, now.time));
    return { reply: changes.length > 0, changes };
  },
};

/**
 * The prompt of the agent's next run for its order. `isResumed`: it continues the order's own session. Throws
 * `template-invalid`.
 */
export function orderPrompt({ order, own, work }: Ordered, isResumed: boolean): string {
  const { definition } = own.loaded;
  if (isResumed && work.session !== undefined && work.runs > 0)
    return nextPrompt(order, own.workflow, limitsOf(definition, order.agent), work);
  return promptOf({ definition, order, hint: work.hint, values: promptValues(own) });
}
