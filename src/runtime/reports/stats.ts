/** A project's costs and its waits for people, from its event log. */

import { loadWorkflows, type Project, type Workflows } from "../project.ts";
import { type CostGroup, type CostRow, type CostSum, type Costs, groupCosts, sumCosts } from "./costs.ts";
import { type GateWait, minutesOf, openGateWaits } from "./gate-waits.ts";
import { type Digest, openDigest, wholeLog } from "./log-digest.ts";

export type StatsBy = "task" | "agent" | "day";

export interface Stats {
  readonly by: StatsBy;
  readonly total: StatsSum;
  readonly groups: readonly (StatsSum & { readonly name: string })[];
}

export interface StatsSum extends CostSum {
  /** Null if grouped by agent: a gate waits for a person, so it belongs to no agent. */
  readonly gates: number | null;
  readonly gateMinutes: number | null;
}

export async function loadStats(
  project: Pick<Project, "workflows" | "eventLog" | "runtime">,
  by: StatsBy,
): Promise<Stats> {
  const figures = await openFigures(project.workflows);
  const { costs, waits } = await figures.of(await wholeLog(project));
  return statsOf(costs.rows(), waits, by);
}

export interface Figures {
  readonly costs: Costs;
  readonly waits: readonly GateWait[];
}

/** The rows and waits of a log. Tasks of the workflow with the costs are named by their ids alone. */
export async function openFigures(workflows: Workflows): Promise<Digest<Figures>> {
  const { openCosts, workflow } = await costsIn(workflows);
  return openDigest({
    containing: [...openCosts().containing, ...openGateWaits().containing],
    make: () => ({ costs: openCosts(), gates: openGateWaits(), waits: [] as GateWait[] }),
    take({ costs, gates, waits }, event) {
      costs.take(event);
      const wait = gates.take(event);
      if (wait) waits.push({ ...wait, run: ownName(wait.run, workflow) });
    },
  });
}

/** The run of a wait in the form of the rows. */
export function statsOf(rows: readonly CostRow[], waits: readonly GateWait[], by: StatsBy): Stats {
  const keyOf = (wait: GateWait) => (by === "task" ? wait.run : wait.to.slice(0, 10));
  const waited = by === "agent" ? null : Map.groupBy(waits, keyOf);
  const groups = groupCosts(rows, by);
  const groupNames = new Set(groups.map(({ name }) => name));
  const only = [...(waited?.keys() ?? [])].filter((name) => !groupNames.has(name));
  const all: CostGroup[] = [...groups, ...only.map((name) => ({ name, ...sumCosts([]) }))];
  if (by === "day") all.sort((one, other) => (one.name < other.name ? 1 : -1));
  return {
    by,
    total: { ...sumCosts(rows), ...sumWaits(waits) },
    groups: all.map((group) => ({
      ...group,
      ...(waited ? sumWaits(waited.get(group.name) ?? []) : { gates: null, gateMinutes: null }),
    })),
  };
}

function sumWaits(waits: readonly GateWait[]) {
  return { gates: waits.length, gateMinutes: waits.reduce((sum, wait) => sum + minutesOf(wait), 0) };
}

/** The costs of the first workflow whose runs are tasks of agents, in that workflow's own way. */
export async function costsIn(
  workflows: Workflows,
): Promise<{ openCosts(): Costs; readonly workflow: string | null }> {
  const workflow = (await loadWorkflows(workflows)).find(({ board }) => board !== undefined);
  const board = await workflow?.board?.();
  return { openCosts: () => board?.costs() ?? NONE, workflow: workflow?.name ?? null };
}

const NONE: Costs = { containing: [], take() {}, rows: () => [] };

function ownName(run: string, workflow: string | null): string {
  return workflow !== null && run.startsWith(`${workflow}:`) ? run.slice(workflow.length + 1) : run;
}
