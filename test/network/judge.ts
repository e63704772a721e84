/** What must hold in the end, whatever happened to the network. */
import type { BloomProject } from "../rig/bloom-project.ts";
import type { Member } from "./crew.ts";
import type { Cluster } from "./database.ts";

export interface Outcome {
  readonly ids: readonly string[];
  readonly crew: readonly Pick<Member, "name" | "heard" | "faults">[];
  readonly cluster: Pick<Cluster, "ask">;
  readonly remoteGit: BloomProject["remoteGit"];
}

export async function judge({ cluster, crew, ids, remoteGit }: Outcome): Promise<readonly string[]> {
  const stored = await cluster.ask<{ text: string }>("select text from pawl.event order by place");
  const events = stored.map(({ text }) => JSON.parse(text) as Event);
  return [
    ...crew.flatMap(({ faults }) => faults),
    ...doneOnce(ids, events),
    ...mergedOnce(ids, remoteGit),
    ...kept(crew, events),
    ...ordered(events),
  ];
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly taskId?: string;
  readonly [key: string]: unknown;
}

function doneOnce(ids: readonly string[], events: readonly Event[]): readonly string[] {
  return ids.flatMap((id) => {
    const count = events.filter(({ taskId, type }) => taskId === id && type === "task:completed").length;
    const bad = events.filter(
      ({ reason, taskId, type }) =>
        taskId === id &&
        (["task:blocked", "task:waiting"].includes(type) || (type === "task:retried" && !isAway(reason))),
    );
    return [
      ...(count === 1 ? [] : [`${id} was completed ${count} times`]),
      ...bad.map((event) => `${id} did not come through: ${JSON.stringify(event)}`),
    ];
  });
}

/** While the git remote cannot be reached, a task may be tried again. */
const isAway = (reason: unknown) => /cannot be reached/.test(String(reason));

function mergedOnce(ids: readonly string[], git: Outcome["remoteGit"]): readonly string[] {
  const subjects = git("log", "--format=%s", "main").split("\n");
  const merges = git("log", "--merges", "--first-parent", "--format=%s", "main").split("\n");
  const files = git("ls-tree", "--name-only", "main").split("\n");
  const times = (id: string) => subjects.filter((each) => each === id).length;
  return [
    ...ids.filter((id) => times(id) !== 1).map((id) => `main has ${times(id)} commits of ${id}`),
    ...ids
      .filter((id) => !files.includes(`${id}.txt`) || git("show", `main:${id}.txt`) !== id)
      .map((id) => `main lacks the work of ${id}`),
    ...(merges.length === ids.length ? [] : [`main has ${merges.length} merges for ${ids.length} tasks`]),
    ...git("for-each-ref", "--format=%(refname)", "refs/pawl/wip")
      .split("\n")
      .filter(Boolean)
      .map((ref) => `the remote still has ${ref}`),
  ];
}

/** Workers show an event once the database has said that it has it. */
function kept(crew: Outcome["crew"], events: readonly Event[]): readonly string[] {
  const there = new Set(events.map(({ id }) => id));
  return crew.flatMap(({ heard, name }) =>
    heard()
      .split("\n")
      .flatMap((line) =>
        line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line) as Partial<Event>] : [],
      )
      .filter(({ id }) => id !== undefined && !there.has(id))
      .map((event) => `${name} was told that this is kept, and it is gone: ${JSON.stringify(event)}`),
  );
}

/** Nobody begins an agent at a task that is done. */
function ordered(events: readonly Event[]): readonly string[] {
  const over = new Set<string>();
  return events.flatMap(({ taskId = "", type }) => {
    if (type === "task:completed") over.add(taskId);
    return type === "agent:started" && over.has(taskId)
      ? [`an agent began at ${taskId} after it was done`]
      : [];
  });
}
