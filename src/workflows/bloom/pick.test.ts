import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseTasks } from "../../tasks-file/parse.ts";
import { findTask, type Task } from "../../tasks-file/task.ts";
import { doneWith, heldByCancelled, isDone, nowReady, takeable, waitingFor } from "./pick.ts";
import type { SchedulingStatuses } from "./run/scheduling-status.ts";

function tasksOf(text: string): readonly Task[] {
  const parsed = parseTasks(`tasks:\n${text.trim()}\n`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file.tasks;
}
const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id);
const NONE: SchedulingStatuses = new Map();

describe("What may be worked on", () => {
  it("makes a todo ready once everything that it depends on is done, merge included", () => {
    const tasks = tasksOf(`
- {id: A, title: a, status: done}
- {id: B, title: b, status: done_pending_merge}
- {id: C, title: c, depends_on: [A]}
- {id: D, title: d, depends_on: [B]}`);
    expect(ids(nowReady(tasks, NONE))).toEqual(["C"]);
    expect(waitingFor(tasks, "D", NONE)).toBe("it depends on B");
  });

  it("opens the lowest phase with open tasks only, and leaves tasks without a phase alone", () => {
    const tasks = tasksOf(`
- {id: A, title: a, phase: 1, status: done}
- {id: B, title: b, phase: 2, status: blocked}
- {id: C, title: c, phase: 2}
- {id: D, title: d, phase: 3}
- {id: E, title: e}`);
    expect(ids(nowReady(tasks, NONE))).toEqual(["C", "E"]);
  });

  it("lets a task that a person made ready wait for its dependencies, not for its phase", () => {
    const tasks = tasksOf(`
- {id: A, title: a, phase: 1}
- {id: B, title: b, phase: 2, status: ready_for_agent}
- {id: C, title: c, status: ready_for_agent, depends_on: [A]}`);
    expect(ids(takeable(tasks, NONE))).toEqual(["B"]);
  });

  it("counts a cancelled task as closed for its parent and later phases, and never as done for what depends on it", () => {
    promise("bloom.cancelled");
    const tasks = tasksOf(`
- {id: A, title: a, phase: 1, status: cancelled}
- {id: B, title: b, phase: 2}
- {id: C, title: c, status: ready_for_agent, depends_on: [A]}
- {id: D, title: d, depends_on: [C]}
- {id: P, title: p, status: done, subtasks: [{id: S, title: s, status: cancelled}]}
- {id: E, title: e, depends_on: [P]}
- {id: X, title: x, status: cancelled, subtasks: [{id: Y, title: y}]}`);
    expect(ids(nowReady(tasks, NONE))).toEqual(["B", "E"]);
    expect(takeable(tasks, NONE)).toEqual([]);
    expect(waitingFor(tasks, "C", NONE)).toBe("it depends on A, which is cancelled");
    expect(waitingFor(tasks, "D", NONE)).toBe("it depends on C");
    expect([...heldByCancelled(tasks, NONE)]).toEqual([
      ["C", "it depends on A, which is cancelled"],
      ["Y", "X is cancelled"],
    ]);
  });

  it("takes subtasks after their parent's own work, merge included", () => {
    const family = (status: string) =>
      tasksOf(`- {id: P, title: p, status: ${status}, subtasks: [{id: S, title: s}]}`);
    // A parent without steps or instructions is the sum of its subtasks.
    expect(ids(nowReady(family("todo"), NONE))).toEqual(["S"]);
    const worker = (status: string) =>
      tasksOf(`- {id: P, title: p, instructions: x, status: ${status}, subtasks: [{id: S, title: s}]}`);
    expect(ids(nowReady(worker("todo"), NONE))).toEqual(["P"]);
    expect(ids(nowReady(worker("done_pending_merge"), new Map([["P", "merging"]])))).toEqual([]);
    expect(ids(nowReady(worker("done_pending_merge"), new Map([["P", "done"]])))).toEqual(["S"]);
  });

  it("counts a parent as done only with all its subtasks", () => {
    const [parent] = tasksOf("- {id: P, title: p, status: done, subtasks: [{id: S, title: s}]}");
    expect(isDone(parent as Task)).toBe(false);
  });

  it("completes the parents whose last open subtask it was", () => {
    const tasks = tasksOf(`
- id: P
  title: p
  instructions: x
  status: done_pending_merge
  subtasks:
  - {id: S1, title: s, status: done}
  - {id: S2, title: s, status: in_progress}`);
    expect(ids(doneWith(tasks, "S2", new Map([["P", "done"]])))).toEqual(["P"]);
    expect(ids(doneWith(tasks, "S2", new Map([["P", "merging"]])))).toEqual([]);
    expect(ids(doneWith(tasks, "S1", new Map([["P", "done"]])))).toEqual([]);
  });

  it("goes on first with what was begun, and leaves to a person what a person began or must decide", () => {
    const tasks = tasksOf(`
- {id: A, title: a, status: ready_for_agent}
- {id: B, title: b, status: in_progress}
- {id: C, title: c, status: in_progress}
- {id: D, title: d, status: in_progress}
- {id: E, title: e, status: done_pending_merge}`);
    const states: SchedulingStatuses = new Map([
      ["C", "verifying"],
      ["D", "waiting_for_human"],
    ]);
    expect(ids(takeable(tasks, states))).toEqual(["C", "E", "A"]);
  });

  it("gives a named worker its own group's tasks and those of none, and what is assigned to it", () => {
    const tasks = tasksOf(`
- {id: A, title: a, status: ready_for_agent}
- {id: B, title: b, status: ready_for_agent, agent_name: web}
- {id: C, title: c, status: ready_for_agent, agent_name: api}
- {id: D, title: d, status: assigned, agent_name: web}
- {id: E, title: e, status: assigned, agent_name: api}`);
    expect(ids(takeable(tasks, NONE, { name: "web", only: null }))).toEqual(["A", "B", "D"]);
    expect(ids(takeable(tasks, NONE, { name: null, only: "E" }))).toEqual(["E"]);
    expect(findTask(tasks, "E")?.id).toBe("E");
  });
});
