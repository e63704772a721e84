/** A person adopts a task's run that others moved, or chooses which of its branches counts. */
import { PawlError } from "../../../core/error.ts";
import { loopDonePath, loopRunPath } from "../../../core/loop-record.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { checkReachable } from "../../../engine/reach.ts";
import type { AdoptInput, Context, Reply, Transaction } from "../../../runtime/module.ts";
import { adoptRun } from "../../../runtime/run-log/adopt-run.ts";
import { fromStored } from "../../../runtime/run-log/history.ts";
import { loadTasks, TASKS_RUN, taskOf } from "../../../tasks-file/load.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { heldTasks } from "../lease.ts";
import { TASK_RUNS } from "./run-kind.ts";
import { branchesOf, runOf, type TaskBranch } from "./shared.ts";
import { BLOOM } from "./table.ts";
import { findRun, isOver, newRun, renderRun, type TaskRun } from "./task-run.ts";

interface LoadedBranches {
  readonly task: Task;
  readonly own: TaskRun | null;
  readonly branches: readonly TaskBranch[];
  /** The run of its previous life is kept. */
  readonly hasKept: boolean;
}

export const adopt: Transaction<AdoptInput, LoadedBranches, ReadonlySet<string>, Reply> = {
  runs: TASK_RUNS,
  run: () => TASKS_RUN,
  read: readBranches,
  observe: (_, __, { leases }, { now }) => heldTasks(leases, now.time),
  propose(seen, atWork, input, context) {
    const { own, branches, hasKept, task } = seen;
    if (atWork.has(task.id))
      throw new PawlError(
        "invalid-action",
        `A worker in this checkout works on ${task.id}: its reports would be about another run. Nothing was changed.`,
        `End \`pawl run\` with Ctrl-C, then run \`pawl adopt bloom:${task.id}\` again.`,
      );
    const runAt = (branch: TaskBranch) => taken(task, branch, own);
    return adoptRun(
      {
        ...{ run: `bloom:${task.id}`, machine: "bloom", branches: branches },
        look(branch) {
          const run = runAt(branch);
          const life = branch.recorded?.recordedState.life;
          if (life) throw ofOtherLife(task.id, life.name);
          checkReachable(BLOOM, fromStored(run));
          return { state: run.state, isOver: isOver(run), notes: notesOn(run, branch) };
        },
      },
      input,
      (branch, overruled) => {
        const run = runAt(branch);
        const written: Change = { type: "write", path: loopRunPath(task.id), text: renderRun(run) };
        return {
          changes: [written, ...(hasKept ? [{ type: "remove", path: loopDonePath(task.id) } as const] : [])],
          logged: {
            ...overruled,
            ...(branch.recorded === null ? {} : { branch: branch.steps }),
          },
        };
      },
      context,
    );
  },
};

async function readBranches(view: View, { id }: AdoptInput, context: Context): Promise<LoadedBranches> {
  const { file } = await loadTasks(view, context);
  const task = taskOf(file.tasks, id);
  const own = await findRun(view, task.id);
  const branches = await branchesOf(view, task.id);
  const hasKept = (await view.read(loopDonePath(task.id))) !== null;
  return { task, own, branches, hasKept };
}

function ofOtherLife(task: string, life: string): PawlError {
  return new PawlError(
    "invalid-action",
    `bloom:${task} began with the life ${life}, whose table is kept in the checkout where it began. Nothing was changed.`,
    `Let it end there, or begin it anew here: \`pawl task reset ${task}\`.`,
  );
}

/**
 * The evidence of another checkout is shown but does not count here. So all steps are verified again, and
 * whether the work was merged is checked again. A session is not adopted.
 */
function taken(task: Task, branch: TaskBranch, own: TaskRun | null): TaskRun {
  if (branch.recorded === null) return own ?? newRun(task, branch.steps.at(-1)?.time ?? "");
  const run = runOf(task.id, branch.recorded.recordedState);
  return { ...run, evidence: own?.evidence ?? [], spent: own?.spent ?? run.spent, costs: own?.costs ?? [] };
}

function notesOn({ pullRequest, reason, work }: TaskRun, { recorded }: TaskBranch): readonly string[] {
  return [
    ...(reason === null ? [] : [`Its reason: ${reason}`]),
    ...(work ? [`Its work is on ${work.branch}, at ${work.commit.slice(0, 12)}.`] : []),
    ...(pullRequest ? [`Its pull request is ${pullRequest.url}.`] : []),
    ...(recorded ? ["Its evidence does not count here: what is not merged yet is verified again."] : []),
  ];
}
