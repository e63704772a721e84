import { describe, expect, it } from "vitest";
import { parseTasks } from "./parse.ts";
import { eachTask, findTask, placedTask, placedTasks, type Task } from "./task.ts";

function tasksOf(text: string): readonly Task[] {
  const parsed = parseTasks(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file.tasks;
}

describe("A list of tasks", () => {
  it("names each task with its parent, in the order of the file", () => {
    const tasks = tasksOf(
      "tasks:\n- {id: A, title: a, subtasks: [{id: A1, title: a1}, {id: A2, title: a2}]}\n- {id: B, title: b}\n",
    );
    const placed = (found: readonly { task: Task; parent: Task | null }[]) =>
      found.map(({ parent, task }) => [task.id, parent?.id]);
    expect(placed(eachTask(tasks))).toEqual([
      ["A", undefined],
      ["A1", "A"],
      ["A2", "A"],
      ["B", undefined],
    ]);
    expect(placed(placedTasks(tasks, ["B", "A1", "B", "none"]))).toEqual([
      ["A1", "A"],
      ["B", undefined],
    ]);
    expect(placedTasks(tasks, [])).toEqual([]);
    expect(placedTask(tasks, "A2")?.parent?.id).toBe("A");
    expect(placedTask(tasks, "none")).toBeUndefined();
    expect([findTask(tasks, "A2")?.title, findTask(tasks, "none")]).toEqual(["a2", null]);
  });

  it("is looked up again in a list in which one task changed", () => {
    const tasks = tasksOf("tasks:\n- {id: A, title: a}\n- {id: B, title: b}\n");
    expect(findTask(tasks, "B")?.title).toBe("b");
    const changed = tasks.with(1, { ...(tasks[1] as Task), title: "c" });
    expect(findTask(changed, "B")?.title).toBe("c");
    expect(eachTask(changed)[1]?.task.title).toBe("c");
  });
});
