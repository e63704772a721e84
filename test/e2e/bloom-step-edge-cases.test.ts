/** The source's edge cases of step execution. */
import { describe, expect, test } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";

describe("Step Edge Cases", () => {
  test("task with empty steps array uses instructions", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks:
        "tasks:\n- id: T1\n  title: t\n  steps: []\n  instructions: |\n    RUN: echo done > out.txt\n    RUN: bloom done T1\n",
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(project.read("out.txt")).toBe("done\n");
    expect(project.runs()[0]?.prompt.split("\n").at(-1)).toBe("bloom done T1");
    expect(ran.of("step:started")).toEqual([]);
    expect(project.tasks()[0]?.status).toBe("done");
  });

  test("task with all steps done proceeds to git ops", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks:
        "tasks:\n- id: T1\n  title: t\n  repo: .\n  branch: ready\n  merge_into: main\n  steps:\n  - {id: s1, instruction: x, status: done}\n",
    });
    project.git("switch", "-qc", "ready");
    project.git("commit", "-qm", "Made by hand", "--allow-empty");
    project.git("switch", "-q", "main");
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(project.runs()).toEqual([]);
    expect(ran.of("run:advanced").map(({ to }) => to)).toEqual([
      "verifying",
      "committing",
      "merging",
      "cleaning",
      "done",
    ]);
    expect(project.git("log", "--topo-order", "--format=%s", "main")).toBe(
      "Merge T1: t\nMade by hand\nBegin",
    );
  });

  test("agent exit without step done marks step complete", { timeout: 60_000 }, async () => {
    const tasks = "tasks:\n- id: T1\n  title: t\n  steps:\n  - {id: s1, instruction: 'SAY: enough'}\n";
    using project = bloomProject({ tasks });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("step:assumed_done")).toEqual([
      expect.objectContaining({
        taskId: "T1",
        stepId: "s1",
        reason: expect.stringContaining("left s1 unmarked"),
      }),
    ]);
    expect(ran.of("step:completed")).toEqual([expect.objectContaining({ stepId: "s1" })]);
    expect(project.tasks()[0]?.steps[0]).toMatchObject({ status: "done", completed_at: expect.any(String) });
  });

  test("an unmarked step is asked about, or blocks, where the configuration says so", {
    timeout: 60_000,
  }, async () => {
    const tasks = "tasks:\n- id: T1\n  title: t\n  steps:\n  - {id: s1, instruction: 'SAY: enough'}\n";
    using asking = bloomProject({
      tasks,
      settings: { on_unmarked_step: "ask" },
      answers: { "is not marked done": "RUN: bloom step done s1" },
    });
    expect((await asking.run()).of("step:assumed_done")).toEqual([]);
    expect(asking.runs().map(({ resumed }) => resumed)).toEqual([false, true]);
    expect(asking.tasks()[0]?.status).toBe("done");
    using blocking = bloomProject({ tasks, settings: { on_unmarked_step: "block" } });
    expect((await blocking.run()).code).toBe(1);
    expect(blocking.tasks()[0]).toMatchObject({ status: "blocked", steps: [{ status: "in_progress" }] });
  });

  test("step without acceptance_criteria uses task criteria", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks:
        "tasks:\n- id: T1\n  title: t\n  acceptance_criteria: [The whole works]\n  steps:\n  - {id: s1, instruction: a, acceptance_criteria: [The part works]}\n  - {id: s2, instruction: b}\n",
    });
    await project.run();
    const [first, second] = project
      .runs()
      .map(({ prompt }) => /## Acceptance criteria\n\n(.*)/.exec(prompt)?.[1]);
    expect([first, second]).toEqual(["- The part works", "- The whole works"]);
  });

  test("mixed tasks (with/without steps) handled correctly", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks: `tasks:
- {id: A, title: a, steps: [{id: a1, instruction: "RUN: echo a >> log.txt"}]}
- {id: B, title: b, instructions: "RUN: echo b >> log.txt", depends_on: [A]}
- {id: C, title: "RUN: echo c >> log.txt", depends_on: [B]}
- {id: D, title: d, depends_on: [C], subtasks: [{id: D1, title: d1, instructions: "RUN: echo d1 >> log.txt"}]}
`,
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(project.read("log.txt")).toBe("a\nb\nd1\n");
    expect(project.tasks().map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
  });

  test("several steps done in one go complete with one event each", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: t
  steps:
  - id: s1
    instruction: |
      RUN: bloom step done s1
      RUN: bloom step done s2
  - {id: s2, instruction: never run}
  - {id: s3, instruction: "RUN: bloom step done s3"}
`,
    });
    await project.run();
    expect(project.runs()).toHaveLength(2);
    expect(
      project
        .stored()
        .filter(({ type }) => type === "step:completed")
        .map(({ stepId }) => stepId),
    ).toEqual(["s1", "s2", "s3"]);
  });
});
