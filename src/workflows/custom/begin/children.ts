/** The runs that a run's last `begin` began, and their states. */
import { PawlError } from "../../../core/error.ts";
import { loopRunPath, parseLoopRecord } from "../../../core/loop-record.ts";
import type { View } from "../../../core/ports/store.ts";
import { isFinal } from "../../../engine/lookup.ts";
import type { Context } from "../../../runtime/module.ts";
import { loadTasks } from "../../../tasks-file/load.ts";
import { findTask, type Task } from "../../../tasks-file/task.ts";
import { BLOOM, type DefinitionSource } from "../definition/definition.ts";
import { loadRun } from "../load-run.ts";
import type { StoredRun } from "../run-file.ts";

/** `stuck`: it waits for one that failed. */
export type ChildState = "done" | "failed" | "missing" | "open" | "stuck";

export interface Child {
  /** `bloom:T1` */
  readonly run: string;
  readonly state: ChildState;
}

export interface Children {
  /** The fact's value. */
  readonly value: "none" | "open" | "failed" | "all-done";
  readonly all: readonly Child[];
}

export interface ChildContext extends Pick<Context, "cache" | "settings"> {
  readonly sources: readonly DefinitionSource[];
  readonly view: View;
}

type Begun = NonNullable<StoredRun["children"]>[number];

type Parent = Pick<StoredRun, "children" | "pending"> | null;

/** Those of its last `begin`. */
function begunLast(file: Parent): readonly Begun[] {
  const { children = [], pending } = file ?? {};
  const key = pending?.begin === undefined ? children.at(-1)?.order : pending.key;
  return children.filter((each) => each.order === key);
}

export async function loadChildren(file: Parent, loaders: ChildContext): Promise<Children> {
  const all: Child[] = [];
  for (const { done, id, workflow } of begunLast(file))
    all.push({ run: `${workflow}:${id}`, state: await (await childStates(workflow, done, loaders))(id) });
  return { all, value: inAll(all.map(({ state }) => state)) };
}

/** The same for displays; empty if a run cannot be read. */
export async function childrenShown(file: Parent, loaders: ChildContext): Promise<readonly Child[]> {
  try {
    return (await loadChildren(file, loaders)).all;
  } catch (thrown) {
    if (thrown instanceof PawlError) return [];
    throw thrown;
  }
}

function inAll(all: readonly ChildState[]): Children["value"] {
  if (all.length === 0) return "none";
  if (all.includes("open")) return "open";
  return all.every((each) => each === "done") ? "all-done" : "failed";
}

/** The states of the workflow's runs, by id. `done`: where one of an own workflow is done; absent: in each of its ends. */
export async function childStates(
  workflow: string,
  done: readonly string[] | undefined,
  loaders: ChildContext,
): Promise<(id: string) => ChildState | Promise<ChildState>> {
  if (workflow !== BLOOM) return (id) => ownRunState(`${workflow}:${id}`, done, loaders);
  const tasks = await loadTasks(loaders.view, loaders).then(
    ({ file }) => file.tasks,
    (thrown: unknown) => {
      if (thrown instanceof PawlError && thrown.code === "tasks-missing") return [];
      throw thrown;
    },
  );
  return async (id) => {
    const state = taskState(tasks, id);
    return state === "done" && (await isUnderway(loaders.view, id)) ? "open" : state;
  };
}

/** Whether the task's run has not ended: then it is its agent, or another, that calls it done. */
async function isUnderway(view: View, id: string): Promise<boolean> {
  const path = loopRunPath(id);
  const text = await view.read(path);
  return text !== null && parseLoopRecord(path, text).state !== "done";
}

export function taskState(tasks: readonly Task[], id: string): ChildState {
  const task = findTask(tasks, id);
  if (task === null) return "missing";
  if (task.status === "done") return "done";
  if (task.status === "blocked" || task.status === "cancelled") return "failed";
  const open = [...task.depends_on];
  const seen = new Set(open);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const before = findTask(tasks, next);
    if (before === null || before.status === "blocked" || before.status === "cancelled") return "stuck";
    if (before.status === "done") continue;
    for (const each of before.depends_on.filter((on) => !seen.has(on))) {
      seen.add(each);
      open.push(each);
    }
  }
  return "open";
}

/** A run that cannot be read counts as open: it waits for a person. */
async function ownRunState(
  run: string,
  done: readonly string[] | undefined,
  { sources, view }: ChildContext,
): Promise<ChildState> {
  try {
    const { configuration, file, workflow } = await loadRun(sources, view, run);
    if (file === null) return "missing";
    if (!isFinal(workflow, configuration.state)) return "open";
    return done === undefined || done.includes(configuration.state) ? "done" : "failed";
  } catch (thrown) {
    if (thrown instanceof PawlError) return "open";
    throw thrown;
  }
}

const WORDS = {
  done: "done",
  failed: "failed",
  missing: "gone",
  open: "open",
  stuck: "waiting for one that failed",
};

/** As a Markdown list. */
export function childrenList(all: readonly Child[]): string {
  return all.map(({ run, state }) => `- ${run}: ${WORDS[state]}`).join("\n");
}

/** `3 runs: 1 done, 2 open`. */
export function childrenWords(all: readonly Child[]): string {
  const counts = Object.entries(WORDS).flatMap(([state, words]) => {
    const count = all.filter((each) => each.state === state).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return `${all.length} ${all.length === 1 ? "run" : "runs"}: ${counts.join(", ")}`;
}
