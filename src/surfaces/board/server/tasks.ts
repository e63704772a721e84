/** The agents' tasks as columns, and the costs of their runs. */
import { toPawlError } from "../../../core/error.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import type { WorkflowModule } from "../../../runtime/module.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { type Costs, mergeCosts } from "../../../runtime/reports/costs.ts";
import { type Digest, openDigest } from "../../../runtime/reports/log-digest.ts";
import { aroundOf } from "../../../runtime/reports/overview-context.ts";
import { costsIn } from "../../../runtime/reports/stats.ts";
import type { CostPage, Tasks } from "../wire.ts";
import { refused } from "./errors.ts";

/** `tail`: the latest output of an agent's run. */
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

export async function openSpending({ workflows }: Project): Promise<Spending> {
  const { openCosts } = await costsIn(workflows);
  const { containing } = openCosts();
  return openDigest<Costs>({ containing, make: openCosts, take: (costs, event) => costs.take(event) });
}

export async function costOf(spending: Spending, log: EventLog): Promise<CostPage> {
  return { rows: mergeCosts((await spending.of(log)).rows()) };
}
