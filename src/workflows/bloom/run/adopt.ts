/** A person adopts a task's run that others moved, or chooses which of its branches counts. */
import { PawlError } from "../../../core/error.ts";
import { loopDonePath, loopRunPath } from "../../../core/loop-record.ts";
import type { FindLife } from "../../../core/ports/loop.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { checkReachable } from "../../../engine/reach.ts";
import type { AdoptInput, Context, Reply, RunRecords, Transaction } from "../../../runtime/module.ts";
import { adoptRun } from "../../../runtime/run-log/adopt-run.ts";
import { fromStored } from "../../../runtime/run-log/history.ts";
import { loadTasks, TASKS_RUN, taskOf } from "../../../tasks-file/load.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { heldTasks } from "../lease.ts";
import { keptLife, type LifeNamed, type LifeRef, nameOfTable, openFoundLives, tableOf } from "./life.ts";
import { TASK_RUNS } from "./run-kind.ts";
import { branchesOf, loadMissing, runOf, type TaskBranch } from "./shared.ts";
import { findRun, isOver, newRun, renderRun, type TaskRun } from "./task-run.ts";

interface LoadedBranches {
  readonly task: Task;
  readonly own: TaskRun | null;
  readonly branches: readonly TaskBranch[];
  /** The run of its previous life is kept. */
  readonly hasKept: boolean;
  /** What keeps the lives of the branches here. */
  readonly lives: readonly Change[];
}

export const RECORDS: RunRecords = { missing: loadMissing, adopt };

/** `find`: absent, the program knows no lives. */
function adopt(find?: FindLife): Transaction<AdoptInput, LoadedBranches, ReadonlySet<string>, Reply> {
  const named = openFoundLives(find);
  return {
    runs: TASK_RUNS,
    run: () => TASKS_RUN,
    read: (view, input, context) => readBranches(view, input, context, named),
    observe: (_, __, { leases }, { now }) => heldTasks(leases, now.time),
    propose(seen, atWork, input, context) {
      const { own, branches, hasKept, lives, task } = seen;
      if (atWork.has(task.id))
        throw new PawlError(
          "invalid-action",
          `A worker in this checkout works on ${task.id}: its reports would be about another run. Nothing was changed.`,
          `End \`pawl run\` with Ctrl-C, then run \`pawl adopt bloom:${task.id}\` again.`,
        );
      const runAt = (branch: TaskBranch) => taken(task, branch, own);
      return adoptRun(
        {
          ...{ run: `bloom:${task.id}`, branches },
          describe(branch) {
            const run = runAt(branch);
            checkReachable(tableOf(run), fromStored(run));
            const machine = nameOfTable(run.life);
            return { machine, state: run.state, isOver: isOver(run), notes: notesOn(run, branch) };
          },
        },
        input,
        (branch) => {
          const text = renderRun(runAt(branch));
          const kept: readonly Change[] = hasKept ? [{ type: "remove", path: loopDonePath(task.id) }] : [];
          return [{ type: "write", path: loopRunPath(task.id), text }, ...kept, ...lives];
        },
        context,
      );
    },
  };
}

async function readBranches(
  view: View,
  { id }: AdoptInput,
  context: Context,
  named: LifeNamed,
): Promise<LoadedBranches> {
  const { file } = await loadTasks(view, context);
  const task = taskOf(file.tasks, id);
  const present = await findRun(view, task.id);
  const recorded = await branchesOf(view, task.id);
  const lived = recorded.flatMap(({ recorded: record }) => record?.recordedState.life ?? []);
  for (const life of lived) await foundHere(view, task.id, life, context, named);
  // Their steps can be checked now that their tables are known.
  const branches = lived.length > 0 ? await branchesOf(view, task.id) : recorded;
  const lives = (await Promise.all(lived.map((life) => keptLife(view, life)))).flat();
  const hasKept = (await view.read(loopDonePath(task.id))) !== null;
  return { task, own: present, branches, hasKept, lives };
}

/** Others keep the life's text where the run began; git has brought the file that it was made of. */
async function foundHere(
  view: View,
  task: string,
  { hash, name }: LifeRef,
  { settings }: Context,
  named: LifeNamed,
): Promise<void> {
  const here = await named(view, settings.workflows, name);
  if (here.hash === hash) return;
  throw new PawlError(
    "invalid-action",
    `bloom:${task} began with the life ${name} as its file was then, and the file here is another by now. Nothing was changed.`,
    `Check out the commit that has that file, and adopt the run there. Or begin it anew here: \`pawl task reset ${task}\`.`,
  );
}

/**
 * The evidence of another checkout is shown but does not count here. So all steps are verified again, and
 * whether the work was merged is checked again. A session is not adopted.
 */
function taken(task: Task, branch: TaskBranch, present: TaskRun | null): TaskRun {
  if (branch.recorded === null) return present ?? newRun(task, branch.steps.at(-1)?.time ?? "");
  const { recordedState } = branch.recorded;
  const run = { ...runOf(task.id, recordedState), ...(recordedState.life && { life: recordedState.life }) };
  return {
    ...run,
    evidence: present?.evidence ?? [],
    spent: present?.spent ?? run.spent,
    costs: present?.costs ?? [],
  };
}

function notesOn({ pullRequest, reason, work }: TaskRun, { recorded }: TaskBranch): readonly string[] {
  return [
    ...(reason === null ? [] : [`Its reason: ${reason}`]),
    ...(work ? [`Its work is on ${work.branch}, at ${work.commit.slice(0, 12)}.`] : []),
    ...(pullRequest ? [`Its pull request is ${pullRequest.url}.`] : []),
    ...(recorded ? ["Its evidence does not count here: what is not merged yet is verified again."] : []),
  ];
}
