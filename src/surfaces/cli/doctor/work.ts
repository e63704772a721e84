/** Checks workflows, runs and tasks, and what dead processes left of them. */
import { toPawlError } from "../../../core/error.ts";
import { ownFile } from "../../../core/own-file.ts";
import type { Settings } from "../../../core/settings.ts";
import { check } from "../../../engine/check.ts";
import type { Project } from "../../../runtime/project.ts";
import { overview } from "../../../runtime/reports/overview.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { isOpenStatus } from "../../../tasks-file/task.ts";
import { heldTasks } from "../../../workflows/bloom/lease.ts";
import { listUnderway } from "../../../workflows/bloom/run/task-run.ts";
import { validate } from "../../../workflows/bloom/verbs/show.ts";
import { type WorktreeRow, worktreeRows } from "../bloom/worktrees.ts";
import type { Host } from "../line/command.ts";
import { tablesOf } from "../project/tables.ts";
import { type Finding, fault, findingsOr, good, hint } from "./finding.ts";

export async function workflows(
  host: Host,
  project: Project,
  settings: Settings,
): Promise<readonly Finding[]> {
  const names = settings.workflows.map((path) => ownFile(path).name);
  const tables: Finding[] = [];
  for (const name of names) tables.push(...(await findingsOr(name, () => proof(host, name))));
  return [...tables, ...(await findingsOr("runs", () => runs(project, names)))];
}

async function proof({ workflows }: Host, name: string): Promise<readonly Finding[]> {
  const { faults, tables } = await tablesOf(workflows, name);
  const count = tables.flatMap((table) => check(table).violations).length;
  if (faults.length === 0 && count === 0) return [good(name, "proved")];
  const words =
    faults.length > 0 ? "its file cannot be used" : `its table is refused, with ${count} violations`;
  return [fault(name, words, { command: `pawl check ${name}` })];
}

async function runs(project: Project, names: readonly string[]): Promise<readonly Finding[]> {
  const all = await overview(project);
  const faults = all.flatMap(({ name, problem, runs: each }) => [
    ...(problem && !names.includes(name) ? [fault(name, problem.message, { fix: problem.fix })] : []),
    ...each.flatMap(({ problem, run }) =>
      problem ? [fault(run, problem.message, { fix: problem.fix })] : [],
    ),
  ]);
  const count = all.flatMap((workflow) => workflow.runs).length;
  return faults.length > 0 ? faults : [good("runs", `${count}, and every one can be read`)];
}

export async function tasks(host: Host, project: Project): Promise<readonly Finding[]> {
  return [
    ...(await findingsOr("tasks", () => tasksFile(host, project))),
    ...(await findingsOr("loop", () => deadLoops(project))),
    ...(await findingsOr("worktrees", async () => (await rowsOf(host, project)).flatMap(worktree))),
  ];
}

async function tasksFile({ person }: Host, { runtime }: Project): Promise<readonly Finding[]> {
  try {
    const { reply } = await runTransaction(runtime, validate, {}, person.caller());
    const [first = ""] = reply.text.split("\n");
    if (reply.refused) return [fault("tasks", reply.text, { command: "pawl task validate" })];
    const odd = (reply.data.warnings as readonly unknown[]).length;
    return [
      odd > 0
        ? hint("tasks", `${first} ${odd} warnings.`, { command: "pawl task validate" })
        : good("tasks", first),
    ];
  } catch (thrown) {
    if (toPawlError(thrown).code !== "tasks-missing") throw thrown;
    return [good("tasks", "there is no tasks file")];
  }
}

/** The tasks that a worker holds, by their run or by a lease, without a recent renewal. */
async function deadLoops({ runtime }: Project): Promise<readonly Finding[]> {
  const { leases } = runtime.outside;
  const held = await heldTasks(leases, runtime.now().toISOString());
  const underway = (await listUnderway(runtime.store.view())).map(({ task }) => task);
  const leased = ((await leases?.list()) ?? []).map(({ what }) => what);
  const dead = [...new Set([...underway, ...leased])].filter((what) => !held.has(what));
  if (dead.length === 0) return [];
  return [
    hint("loop", `a worker died, and left ${dead.join(", ")}`, { command: "pawl run", fix: "resumes them" }),
  ];
}

async function rowsOf(host: Host, project: Project): Promise<readonly WorktreeRow[]> {
  try {
    return await worktreeRows(host, project);
  } catch (thrown) {
    // The check of the tasks already reports that.
    if (/^tasks-/.test(toPawlError(thrown).code)) return [];
    throw thrown;
  }
}

function worktree(row: WorktreeRow): readonly Finding[] {
  const { branch, folder, problem, status, task, uncommitted, unfinished, unmerged } = row;
  const command = "pawl task worktrees";
  if (problem !== null) return [fault(folder, problem, { command })];
  if (unfinished !== null)
    return [hint(folder, `a ${unfinished} was begun there and not finished`, { command })];
  if (task !== null && (status === null || isOpenStatus(status))) return [];
  const owner = task === null ? "no task" : `${task}, which is ${status},`;
  if (uncommitted || unmerged)
    return [hint(folder, `${owner} left work there that is nowhere else`, { command })];
  return [
    hint(folder, `${owner} no longer needs ${branch}`, { fix: "Remove the folder: its work is elsewhere." }),
  ];
}
