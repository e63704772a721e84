/**
 * The graph of waits: a task's work waits for the tasks that it depends on, for its parent's work and for the
 * phases before its own; a task's end waits for its work and its subtasks' ends.
 */
import { eachTask, type Task } from "./task.ts";

/** One cycle, as the ids of its tasks with the first repeated at the end; empty: there is none. */
export function findCycle(tasks: readonly Task[]): readonly (readonly string[])[] {
  let cycle: readonly string[] | null = null;
  walkCircles(waiting(tasks), (path, closes) => {
    cycle = [...path.slice(path.indexOf(closes)), closes];
    return "stop";
  });
  const order = new Map(eachTask(tasks).map(({ task }, index) => [task.id, index] as const));
  return cycle === null ? [] : [named(cycle, order)];
}

/**
 * Removes dependencies until no cycle is left. Removes only those that `mayDrop` permits, each as late in the
 * file as possible; a cycle of others stays.
 */
export function breakCircles(
  tasks: readonly Task[],
  mayDrop: (id: string, on: string) => boolean,
): readonly { readonly id: string; readonly on: string }[] {
  const dropped: { id: string; on: string }[] = [];
  walkCircles(waiting(tasks), (path, closes) => {
    const at = droppable(path, closes, mayDrop);
    if (at !== null) dropped.push(edgeOf(path[at] ?? "", path[at + 1] ?? closes));
    return at;
  });
  return dropped;
}

/**
 * Depth first without recursion, so that a long chain of dependencies cannot exhaust the stack. `onCircle` gets the path
 * whose last node leads back to `closes`, and says behind which index to leave it; null: nowhere.
 */
function walkCircles(
  waits: ReadonlyMap<string, readonly string[]>,
  onCircle: (path: readonly string[], closes: string) => number | null | "stop",
): void {
  const done = new Set<string>();
  for (const root of waits.keys()) {
    const path: { node: string; next: number }[] = done.has(root) ? [] : [{ node: root, next: 0 }];
    const open = new Set([root]);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = waits.get(top.node)?.[top.next++];
      if (next === undefined) {
        done.add(top.node);
        open.delete(top.node);
        path.pop();
      } else if (open.has(next)) {
        const nodes = path.map(({ node }) => node);
        const at = onCircle(nodes, next);
        if (at === "stop") return;
        if (at !== null) for (const { node } of path.splice(at + 1)) open.delete(node);
      } else if (!done.has(next) && waits.has(next)) {
        path.push({ node: next, next: 0 });
        open.add(next);
      }
    }
  }
}

/** The index on the path of the cycle's last edge that may be removed; null: there is none. */
function droppable(
  path: readonly string[],
  closes: string,
  mayDrop: (id: string, on: string) => boolean,
): number | null {
  for (let at = path.length - 1; at >= 0; at--) {
    const from = path[at] ?? "";
    const { id, on } = edgeOf(from, path[at + 1] ?? closes);
    if (id !== "" && mayDrop(id, on)) return at;
    if (from === closes) return null;
  }
  return null;
}

/** The dependency of the edge; an empty id: the edge is none. */
function edgeOf(from: string, to: string): { readonly id: string; readonly on: string } {
  const isDependency = from.startsWith("work ") && to.startsWith("end ");
  return isDependency ? { id: from.slice("work ".length), on: to.slice("end ".length) } : { id: "", on: "" };
}

function waiting(tasks: readonly Task[]): ReadonlyMap<string, readonly string[]> {
  const waits = new Map<string, string[]>();
  const phases = [...new Set(tasks.flatMap((task) => task.phase ?? []))].sort((a, b) => a - b);
  phases.forEach((phase, index) => {
    const members = tasks.filter((task) => task.phase === phase).map((task) => `end ${task.id}`);
    const before = index > 0 ? [`phase ${phases[index - 1]}`] : [];
    waits.set(`phase ${phase}`, [...members, ...before]);
  });
  for (const { task, parent } of eachTask(tasks)) {
    const earlier = phases.filter((phase) => phase < (task.phase ?? 0)).at(-1);
    waits.set(`work ${task.id}`, [
      ...task.depends_on.map((id) => `end ${id}`),
      ...(parent ? [`work ${parent.id}`] : earlier === undefined ? [] : [`phase ${earlier}`]),
    ]);
    waits.set(`end ${task.id}`, [`work ${task.id}`, ...task.subtasks.map((sub) => `end ${sub.id}`)]);
  }
  return waits;
}

/** The ids along the cycle, from the one that comes first in the file. */
function named(nodes: readonly string[], order: ReadonlyMap<string, number>): readonly string[] {
  const ids = nodes
    .slice(1)
    .map((node) => (node.startsWith("phase ") ? node : node.slice(node.indexOf(" ") + 1)));
  const circle = ids.filter((id, index) => id !== ids.at(index - 1));
  if (circle.length === 0) circle.push(ids[0] as string);
  const places = circle.map((id) => order.get(id) ?? Number.POSITIVE_INFINITY);
  const first = places.indexOf(Math.min(...places));
  return [...circle.slice(first), ...circle.slice(0, first), circle[first] as string];
}
