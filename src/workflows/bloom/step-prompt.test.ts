import { describe, expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseTasks } from "../../tasks-file/parse.ts";
import type { Step, Task } from "../../tasks-file/task.ts";
import { buildStepPrompt, getTaskForAgent } from "./prompt.ts";

const parsed = parseTasks(`
tasks:
- id: T1
  title: Build the API
  instructions: |
    Build it well.
  acceptance_criteria: [It answers]
  ai_notes: ["the port is 8080"]
  repo: .
  branch: feat/api
  base_branch: develop
  merge_into: main
  steps:
  - {id: s1, instruction: Write the schema, acceptance_criteria: [The schema is valid]}
  - {id: s2, instruction: Write the handler}
  - {id: s3, instruction: Write the tests}
- id: T2
  title: Only a title
`);
if (!parsed.ok) throw new Error("the file of this test is wrong");
const [task, plain] = parsed.file.tasks as [Task, Task];
const git = { branch: "feat/api", baseBranch: "develop", mergeInto: "main" };
const promptOf = (index: number, fresh?: boolean) =>
  buildStepPrompt(task, task.steps[index] as Step, git, "bloom", fresh);

describe("Step Prompt Building", () => {
  test("first step includes full task context", () => {
    const prompt = promptOf(0);
    for (const part of [
      "T1",
      "Build the API",
      "Build it well.",
      "the port is 8080",
      "`feat/api`",
      "`main`",
      "`develop`",
      "It answers",
    ])
      expect(prompt).toContain(part);
  });
  test("subsequent steps include previous step summary", () => {
    const prompt = promptOf(2);
    expect(prompt).toContain("- s1: Write the schema\n- s2: Write the handler");
    expect(prompt).not.toContain("Build it well.");
    expect(prompt).not.toContain("- s3:");
  });
  test("step prompt includes acceptance criteria if present", () => {
    expect(promptOf(0)).toContain("## Acceptance criteria\n\n- The schema is valid");
    expect(promptOf(1)).toContain("## Acceptance criteria\n\n- It answers");
    const bare = { ...task, acceptance_criteria: [] };
    expect(buildStepPrompt(bare, bare.steps[1] as Step, git, "bloom")).not.toContain("riteria");
  });
  test("step prompt tells agent to run bloom step done", () => {
    expect(promptOf(1).split("\n").at(-1)).toBe("bloom step done s2");
    expect(
      buildStepPrompt(task, task.steps[1] as Step, null, "pawl")
        .split("\n")
        .at(-1),
    ).toBe("pawl step done s2");
  });
  test("last step prompt mentions task will complete", () => {
    promise("bloom.steps");
    expect(promptOf(2)).toContain("the task completes with it");
    expect(promptOf(1)).not.toContain("the task completes with it");
  });
  test("a fresh session in the middle gets the whole task and the earlier steps", () => {
    const prompt = promptOf(1, true);
    expect(prompt).toContain("Build it well.");
    expect(prompt).toContain("- s1: Write the schema");
  });
  test("the task for an agent says which step it is at and whether more follow", () => {
    expect(getTaskForAgent([task], "T1")).toMatchObject({
      taskId: "T1",
      hasMoreSteps: true,
      stepInfo: {
        stepId: "s1",
        stepIndex: 0,
        totalSteps: 3,
        instruction: "Write the schema",
        acceptanceCriteria: ["The schema is valid"],
        isFirstStep: true,
        previousSteps: [],
      },
    });
    const done = {
      ...task,
      steps: task.steps.map((step, n) => ({ ...step, status: n < 2 ? ("done" as const) : step.status })),
    };
    expect(getTaskForAgent([done], "T1")).toMatchObject({
      hasMoreSteps: false,
      stepInfo: {
        stepIndex: 2,
        isFirstStep: false,
        acceptanceCriteria: ["It answers"],
        previousSteps: [{ id: "s1" }, { id: "s2" }],
      },
    });
    expect(getTaskForAgent([task], "T9")).toBeNull();
  });
  test("a task without steps is one step: its instructions, ended by its own done", () => {
    const result = getTaskForAgent([plain], "T2");
    expect(result).not.toHaveProperty("stepInfo");
    expect(result?.prompt).toContain("Only a title");
    expect(result?.prompt.split("\n").at(-1)).toBe("bloom done T2");
  });
});
