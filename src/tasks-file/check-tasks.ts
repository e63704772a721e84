import { branchFault } from "../core/id.ts";
import { pathFault } from "../core/path.ts";
import { findCycle } from "./cycle.ts";
import type { KeyPath, Problem, Where } from "./problem.ts";
import { branchOf, type Step, type Task, type TasksFile } from "./task.ts";

interface Placed {
  readonly task: Task;
  readonly path: KeyPath;
}

/** Checks that the schema cannot express: ids, dependencies, branches, repositories. */
export function checkTasks(file: TasksFile, where: Where): readonly Problem[] {
  const tasks = [...placed(file.tasks, ["tasks"])];
  const at = (path: KeyPath, message: string, fix: string): Problem => ({ ...where(path), message, fix });
  return [
    ...checkIds(tasks, where, at),
    ...checkDependencies(tasks, at),
    ...findCycle(file.tasks).map((cycle) => {
      const first = tasks.find(({ task }) => task.id === cycle[0]);
      const key = first?.task.depends_on.length ? "depends_on" : "id";
      return at(
        [...(first?.path ?? []), key],
        `No order of work exists: ${cycle.join(" waits for ")}.`,
        "Take one of these dependencies away (a parent waits for its subtasks, a phase for the phases before it).",
      );
    }),
    ...tasks.flatMap((item) => checkGit(item, file, at)),
    ...checkBranches(tasks, at),
  ];
}

type At = (path: KeyPath, message: string, fix: string) => Problem;

function* placed(tasks: readonly Task[], path: KeyPath): Generator<Placed> {
  for (const [index, task] of tasks.entries()) {
    yield { task, path: [...path, index] };
    yield* placed(task.subtasks, [...path, index, "subtasks"]);
  }
}

function checkIds(tasks: readonly Placed[], where: Where, at: At): readonly Problem[] {
  const paths = new Map<string, KeyPath>();
  const problems: Problem[] = [];
  const checkFree = (id: string, path: KeyPath) => {
    const before = paths.get(id);
    if (before === undefined) return paths.set(id, path);
    const { line } = where(before);
    return problems.push(
      at(
        path,
        `The id ${id} is used twice: it stands in line ${line} already (tasks, subtasks and steps share one set of ids).`,
        `Give this one another id, such as ${id}-2.`,
      ),
    );
  };
  for (const { task, path } of tasks) {
    checkFree(task.id, [...path, "id"]);
    task.steps.forEach((step: Step, index) => {
      checkFree(step.id, [...path, "steps", index, "id"]);
    });
  }
  return problems;
}

function checkDependencies(tasks: readonly Placed[], at: At): readonly Problem[] {
  const ids = new Set(tasks.map(({ task }) => task.id));
  const steps = new Map(tasks.flatMap(({ task }) => task.steps.map((step) => [step.id, task.id] as const)));
  return tasks.flatMap(({ task, path }) =>
    task.depends_on.flatMap((id, index) => {
      if (ids.has(id)) return [];
      const owner = steps.get(id);
      const found = owner ? `is a step of ${owner}` : "is nowhere in the file";
      const fix = owner ? `Depend on ${owner}.` : "Correct the id, or add the task.";
      return [
        at(
          [...path, "depends_on", index],
          `${task.id} depends on ${id}, which ${found}; expected a task's id.`,
          fix,
        ),
      ];
    }),
  );
}

const GIT_KEYS = ["branch", "base_branch", "merge_into", "open_pr"] as const;

function checkGit({ task, path }: Placed, file: TasksFile, at: At): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (key: string, message: string, fix: string) => problems.push(at([...path, key], message, fix));
  for (const key of GIT_KEYS)
    if (task[key] !== undefined && task[key] !== false && task.repo === undefined)
      add(
        key,
        `${task.id} has ${key} but no repo.`,
        "Add `repo: .` (the project's own repository), or take it away.",
      );
  for (const key of ["branch", "base_branch", "merge_into"] as const) {
    const name = task[key];
    const fault = name === undefined ? null : nameFault(name);
    if (fault)
      add(
        key,
        `${task.id} ${key}: ${JSON.stringify(name)} is no branch name: ${fault}.`,
        "Use a name such as feature/login.",
      );
  }
  if (task.open_pr && !file.git.push_to_remote)
    add(
      "open_pr",
      `${task.id} opens a pull request, but nothing is pushed.`,
      "Set `git: {push_to_remote: true}`.",
    );
  if (task.open_pr && task.checkpoint)
    add(
      "checkpoint",
      `${task.id} is a checkpoint and opens a pull request; expected one of the two.`,
      "Take `open_pr` away.",
    );
  if (task.repo !== undefined && task.merge_into === branchOf(task))
    add(
      "merge_into",
      `${task.id} would be merged into its own branch ${branchOf(task)}.`,
      "Name another branch.",
    );
  const fault = task.repo === undefined ? null : repoFault(task.repo);
  if (fault)
    add(
      "repo",
      `${task.id} repo: ${JSON.stringify(task.repo)} cannot be used: ${fault}.`,
      "Give a name, or a path inside the project such as `services/api`; `.` is the project itself.",
    );
  return problems;
}

function repoFault(repo: string): string | null {
  const path = repo.startsWith("./") ? repo.slice(2) : repo;
  return path === "." || path === "" ? null : pathFault(path);
}

/** Git keeps a branch as a file named after it, so `feature` and `feature/x` cannot both exist. */
function checkBranches(tasks: readonly Placed[], at: At): readonly Problem[] {
  const uses = tasks.flatMap(({ task, path }) => {
    if (task.repo === undefined) return [];
    const named = (["base_branch", "merge_into"] as const).flatMap((key) =>
      task[key] === undefined ? [] : [{ repo: task.repo, name: task[key], task, path: [...path, key] }],
    );
    const own = {
      repo: task.repo,
      name: branchOf(task),
      task,
      path: [...path, task.branch === undefined ? "id" : "branch"],
    };
    return [own, ...named];
  });
  const byName = new Map(uses.map((use) => [`${use.repo}\0${use.name}`, use]));
  return uses.flatMap((use) => {
    const parts = use.name.split("/");
    for (let count = 1; count < parts.length; count++) {
      const prefix = parts.slice(0, count).join("/");
      const other = byName.get(`${use.repo}\0${prefix}`);
      if (other)
        return [
          at(
            use.path,
            `The branch ${use.name} of ${use.task.id} cannot exist beside the branch ${prefix} of ${other.task.id}: git keeps one as a folder, the other as a file.`,
            `Rename one of them, such as ${prefix}-${parts.slice(count).join("-")}.`,
          ),
        ];
    }
    return [];
  });
}

/** Also why a shell would need it quoted. */
function nameFault(name: string): string | null {
  const isPlain = /^[A-Za-z0-9._/+=@#%-]*$/.test(name);
  return isPlain ? branchFault(name) : "expected only A-Z a-z 0-9 . _ / + = @ # % -";
}
