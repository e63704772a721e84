import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTasks } from "./parse.ts";
import {
  countCancelled,
  eachTask,
  findTask,
  openTasks,
  placedTask,
  placedTasks,
  TASK_STATUSES,
  type Task,
  withTasks,
} from "./task.ts";

const status = fc.constantFrom(...TASK_STATUSES);
const subtasks = fc.array(status, { maxLength: 2 });
const list = fc.array(fc.tuple(status, fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, subtasks)), {
  minLength: 1,
  maxLength: 8,
});

function tasksOf(rows: readonly (readonly [string, readonly string[]])[]): readonly Task[] {
  const line = (id: string, own: string, subs: readonly string[]) =>
    `{id: ${id}, title: t, status: ${own}, subtasks: [${subs.map((sub, at) => `{id: ${id}${at}, title: t, status: ${sub}}`).join(", ")}]}`;
  const parsed = parseTasks(
    `tasks:\n${rows.map(([own, subs], at) => `- ${line(`T${at}`, own, subs)}`).join("\n")}\n`,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file.tasks;
}

/** What is told of a list of which nothing is known yet. */
const told = (tasks: readonly Task[]) => {
  const ids = ["T3", "T10", "T0", "none", "T3"];
  return {
    each: eachTask(tasks),
    placed: placedTasks(tasks, ids),
    one: ids.map((id) => placedTask(tasks, id)),
    found: ids.map((id) => findTask(tasks, id)),
    open: openTasks(tasks),
    cancelled: countCancelled(tasks),
  };
};

describe("What is known of a list of tasks", () => {
  it("holds for the list with other tasks in their places, whatever was asked before", () => {
    const change = fc.tuple(fc.nat(7), status, fc.boolean());
    fc.assert(
      fc.property(list, fc.array(change, { maxLength: 6 }), (rows, changes) => {
        let tasks = tasksOf(rows);
        for (const [place, next, isAsked] of changes) {
          const at = place % tasks.length;
          if (isAsked) told(tasks);
          tasks = withTasks(tasks, new Map([[at, { ...(tasks[at] as Task), status: next }]]));
          if (isAsked) expect(told(tasks)).toEqual(told([...tasks]));
        }
        expect(told(tasks)).toEqual(told([...tasks]));
      }),
      { numRuns: 300 },
    );
  });

  it("holds where many tasks change at once", () => {
    const tasks = tasksOf(
      Array.from({ length: 30 }, (_, at) => [at % 3 === 0 ? "done" : "todo", []] as const),
    );
    told(tasks);
    const changed = tasks.map((task, at): [number, Task] => [
      at,
      { ...task, status: at % 2 ? "cancelled" : "done" },
    ]);
    for (const count of [1, 20, 21, 30]) {
      const after = withTasks(tasks, new Map(changed.slice(0, count)));
      expect(told(after)).toEqual(told([...after]));
      expect(openTasks(after)).toHaveLength(after.filter(({ status }) => status === "todo").length);
    }
  });

  it("does not hold where a task gets another id, or subtasks", () => {
    const tasks = tasksOf([
      ["todo", []],
      ["done", []],
    ]);
    told(tasks);
    const [first] = tasks as [Task, Task];
    for (const other of [
      { ...first, id: "X" },
      { ...first, subtasks: [{ ...first, id: "X" }] },
    ]) {
      const changed = withTasks(tasks, new Map([[0, other]]));
      expect(told(changed)).toEqual(told([...changed]));
      expect(placedTask(changed, "X")?.task.id).toBe("X");
    }
  });

  it("names several tasks once, in the order of the file, with their parents", () => {
    const tasks = tasksOf([
      ["done", ["todo", "cancelled"]],
      ["cancelled", []],
      ["blocked", []],
    ]);
    expect(
      placedTasks(tasks, ["T2", "T01", "T2", "none"]).map(({ task, parent }) => [task.id, parent?.id]),
    ).toEqual([
      ["T01", "T0"],
      ["T2", undefined],
    ]);
    expect(openTasks(tasks).map(({ task }) => task.id)).toEqual(["T00", "T2"]);
    expect(countCancelled(tasks)).toBe(2);
    expect(placedTasks(tasks, [])).toEqual([]);
  });
});
