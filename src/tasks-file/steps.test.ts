import { describe, expect, test } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { buildStepPrompt } from "../workflows/bloom/prompt.ts";
import { parseTasks } from "./parse.ts";
import { findStep, getCurrentStepForTask, getNextPendingStep } from "./steps.ts";
import type { Step, StepStatus, Task } from "./task.ts";

function taskOf(text: string): Task {
  const parsed = parseTasks(`tasks:\n- ${text}\n`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file.tasks[0] as Task;
}

const withSteps = (...statuses: StepStatus[]) =>
  taskOf(
    `{id: T1, title: Build it, instructions: All of it, steps: [${statuses
      .map((status, n) => `{id: s${n + 1}, instruction: Do part ${n + 1}, status: ${status}}`)
      .join(", ")}]}`,
  );
const stepAt = (task: Task, index: number) => task.steps[index] as Step;

describe("Step Helpers", () => {
  test("getCurrentStepForTask returns first pending step", () => {
    promise("bloom.steps");
    expect(getCurrentStepForTask(withSteps("pending", "pending"))?.id).toBe("s1");
    expect(getCurrentStepForTask(withSteps("in_progress", "pending"))?.id).toBe("s1");
  });
  test("getCurrentStepForTask returns null when all steps done", () => {
    expect(getCurrentStepForTask(withSteps("done", "done"))).toBeNull();
    expect(getCurrentStepForTask(withSteps())).toBeNull();
  });
  test("getCurrentStepForTask skips done steps", () => {
    expect(getCurrentStepForTask(withSteps("done", "done", "pending"))?.id).toBe("s3");
    expect(getCurrentStepForTask(withSteps("done", "pending", "done", "pending"))?.id).toBe("s2");
  });
  test("getNextPendingStep returns step after current", () => {
    expect(getNextPendingStep(withSteps("done", "in_progress", "pending", "pending"))?.id).toBe("s3");
    expect(getNextPendingStep(withSteps("pending", "done", "pending"))?.id).toBe("s3");
  });
  test("getNextPendingStep returns null on last step", () => {
    expect(getNextPendingStep(withSteps("done", "pending"))).toBeNull();
    expect(getNextPendingStep(withSteps("done", "done"))).toBeNull();
  });
  test("buildStepPrompt includes context from previous steps", () => {
    const task = withSteps("done", "pending");
    expect(buildStepPrompt(task, stepAt(task, 1), null, "bloom")).toContain("- s1: Do part 1");
  });
  test("buildStepPrompt omits context on first step", () => {
    const task = withSteps("pending", "pending");
    expect(buildStepPrompt(task, stepAt(task, 0), null, "bloom")).not.toContain("Steps before this one");
  });
  test("findStep finds a subtask's step, with its task and place", () => {
    const task = taskOf(
      "{id: T1, title: t, subtasks: [{id: T2, title: u, steps: [{id: a, instruction: x}, {id: b, instruction: y}]}]}",
    );
    expect(findStep([task], "b")).toMatchObject({ task: { id: "T2" }, step: { id: "b" }, stepIndex: 1 });
    expect(findStep([task], "c")).toBeNull();
  });
});
