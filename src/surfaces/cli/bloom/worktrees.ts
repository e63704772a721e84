import { toPawlError } from "../../../core/error.ts";
import type { Worktree, WorktreeState, Worktrees } from "../../../core/ports/worktrees.ts";
import type { Project } from "../../../runtime/project.ts";
import { branchOf, eachTask, type Task } from "../../../tasks-file/task.ts";
import { repoOf } from "../../../workflows/bloom/execution-context.ts";
import type { Host, Run } from "../line/command.ts";
import { clean, type Paint } from "../terminal/terminal.ts";
import { tasksOf } from "./repo.ts";

export interface WorktreeRow {
  readonly repo: string;
  readonly branch: string;
  /** Null: tasks.yaml no longer has a task for it. */
  readonly task: string | null;
  readonly status: string | null;
  readonly folder: string;
  readonly into: string | null;
  readonly uncommitted: number | null;
  readonly unmerged: number | null;
  readonly unpushed: number | null;
  /** An unfinished git operation there, such as a merge; null: none. */
  readonly unfinished: string | null;
  readonly problem: string | null;
}

/** Every workspace of a task, and the work in it that exists nowhere else. */
export const worktrees: Run = async (host) => {
  const rows = await worktreeRows(host, await host.projects.open());
  const text = rows.map((row) => render(row, host.terminal.paint)).join("");
  return { text: text === "" ? "No workspaces.\n" : text, data: { worktrees: rows } };
};

export async function worktreeRows(host: Host, project: Project): Promise<readonly WorktreeRow[]> {
  const tasks = eachTask(await tasksOf(project, host)).map(({ task }) => task);
  return rowsOf((await host.repositories.open(project.root)).worktrees, tasks, project.root);
}

type Looks = Pick<Worktrees, "list" | "state">;

export async function rowsOf(
  all: Looks,
  tasks: readonly Task[],
  root: string,
): Promise<readonly WorktreeRow[]> {
  const rows: WorktreeRow[] = [];
  for (const worktree of await all.list()) {
    const owner = tasks.find((task) => repoOf(task) === worktree.repo && branchOf(task) === worktree.branch);
    const row = await rowOf(all, worktree, owner ?? null, root);
    // A running loop may have removed it meanwhile.
    const isGone =
      row.problem !== null &&
      !(await all.list()).some(({ folder }) => folder.agentPath === worktree.folder.agentPath);
    if (!isGone) rows.push(row);
  }
  return rows;
}

async function rowOf(all: Looks, worktree: Worktree, task: Task | null, root: string): Promise<WorktreeRow> {
  const into = task?.merge_into ?? task?.base_branch ?? null;
  const { state, problem } = await stateOf(all, worktree, into);
  return {
    repo: worktree.repo,
    branch: worktree.branch,
    task: task?.id ?? null,
    status: task?.status ?? null,
    folder: shownFolder(worktree, root),
    into,
    uncommitted: state?.uncommitted.length ?? null,
    unmerged: state?.unmerged ?? null,
    unpushed: state?.unpushed ?? null,
    unfinished: state?.unfinished ?? null,
    problem,
  };
}

/** As a person in the project would write it. */
export function shownFolder({ folder: { agentPath } }: Worktree, root: string): string {
  return agentPath.startsWith(`${root}/`) ? agentPath.slice(root.length + 1) : agentPath;
}

async function stateOf(
  all: Looks,
  worktree: Worktree,
  into: string | null,
): Promise<{ readonly state: WorktreeState | null; readonly problem: string | null }> {
  try {
    return { state: await all.state(worktree, into ?? undefined), problem: null };
  } catch (thrown) {
    return { state: null, problem: toPawlError(thrown).message };
  }
}

function render(row: WorktreeRow, paint: Paint): string {
  const open = [
    ...(row.unfinished === null ? [] : [paint.red(`a ${row.unfinished} is unfinished`)]),
    ...(row.uncommitted ? [paint.yellow(`${row.uncommitted} uncommitted`)] : []),
    ...(row.unmerged ? [`${row.unmerged} not in ${clean(row.into ?? "")}`] : []),
    ...(row.unpushed ? [`${row.unpushed} not pushed`] : []),
  ];
  const owner = row.task === null ? paint.dim("no task") : `${clean(row.task)} ${row.status}`;
  const kept = row.unmerged === 0 ? `all in ${clean(row.into ?? "")}` : "nothing uncommitted";
  const state = row.problem === null ? open.join(", ") || kept : paint.red(clean(row.problem));
  return `${paint.bold(clean(row.branch))} of ${clean(row.repo)}  ${owner}\n  ${state}\n  ${clean(row.folder)}\n`;
}
