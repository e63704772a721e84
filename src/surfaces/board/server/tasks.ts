/** The tasks of agents, as columns, and what their runs cost. */
import { toPawlError } from "../../../core/error.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import { aroundOf } from "../../../runtime/around.ts";
import type { CostRow, Costs } from "../../../runtime/board.ts";
import type { WorkflowModule } from "../../../runtime/module.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import type { CostPage, Tasks } from "../wire.ts";
import { type Digest, openDigest } from "./digest.ts";
import { refused } from "./errors.ts";

/** `tail`: what the agent of a run said and did last. */
export async function tasksOf(project: Project, tail: (run: string) => readonly string[]): Promise<Tasks> {
  const view = project.runtime.store.view();
  const around = aroundOf(project.runtime, view);
  const found: { tasks: Tasks["tasks"][number][]; overlaps: Tasks["overlaps"][number][] } = {
    tasks: [],
    overlaps: [],
  };
  try {
    for (const { board, name } of await taskModules(project)) {
      const { tasks, overlaps } = await (await board()).load(view, around);
      found.overlaps.push(...overlaps);
      for (const task of tasks)
        found.tasks.push({
          ...task,
          run: `${name}:${task.id}`,
          tail: task.agentRun === null ? [] : tail(task.agentRun),
        });
    }
    return { ...found, problem: null };
  } catch (thrown) {
    return { tasks: [], overlaps: [], problem: refused(toPawlError(thrown)) };
  }
}

type TaskModule = WorkflowModule & Required<Pick<WorkflowModule, "board">>;

async function taskModules({ workflows }: Project): Promise<readonly TaskModule[]> {
  return (await loadWorkflows(workflows)).filter(
    (module): module is TaskModule => module.board !== undefined,
  );
}

export type Spending = Digest<Costs>;

/** Of the first workflow whose runs are tasks; null: there is none. */
export async function openSpending(project: Project): Promise<Spending | null> {
  const [module] = await taskModules(project);
  if (module === undefined) return null;
  const board = await module.board();
  const { containing } = board.costs();
  return openDigest<Costs>({
    containing,
    make: () => board.costs(),
    take: (costs, event) => costs.take(event),
  });
}

export async function costOf(spending: Spending | null, log: EventLog): Promise<CostPage> {
  return { rows: spending === null ? [] : merged((await spending.of(log)).rows()) };
}

/** One row for what differs in nothing but its figures: a page of tens of thousands of rows would say no more. */
function merged(rows: readonly CostRow[]): CostPage["rows"] {
  const found = new Map<string, CostPage["rows"][number]>();
  for (const row of rows) {
    const { accepted, agent, cause, day, task } = row;
    const key = JSON.stringify([day, task, agent, cause, accepted]);
    const known = found.get(key) ?? NOTHING;
    found.set(key, {
      ...row,
      usd: sum(known.usd, row.usd),
      tokens: sum(known.tokens, row.tokens),
      minutes: known.minutes + row.minutes,
      runs: known.runs + row.runs,
    });
  }
  return [...found.values()];
}

const NOTHING = { usd: null, tokens: null, minutes: 0, runs: 0 };

function sum(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : one + other;
}
