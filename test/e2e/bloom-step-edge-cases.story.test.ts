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

  const TWO_STEPS = (first: string) => `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  steps:
  - id: s1
    instruction: |
${first.replace(/^/gm, "      ")}
  - id: s2
    instruction: |
      RUN: echo 2 > two.txt; git add -A; git commit -qm two; bloom step done s2
`;

  test("an agent that changed nothing and ends with a question waits for its answer", {
    timeout: 60_000,
  }, async () => {
    using project = bloomProject({
      tasks: TWO_STEPS("SAY: Two ways are open. Shall the server listen on 80 or 8080?"),
      answers: {
        "The answer: 8080": "RUN: echo 8080 > port; git add -A; git commit -qm port; bloom step done s1",
      },
    });
    const asked = await project.run();
    expect(asked.code).toBe(3);
    expect(asked.of("question:asked")).toEqual([
      expect.objectContaining({
        taskId: "T1",
        questionId: "q1",
        text: "Two ways are open. Shall the server listen on 80 or 8080?",
        blocking: true,
      }),
    ]);
    expect(asked.of("step:assumed_done")).toEqual([]);
    expect((await project.bloom("status")).out).toContain("q1: Two ways are open.");
    expect((await project.bloom("answer", "q1", "8080")).code).toBe(0);
    expect((await project.run()).code).toBe(0);
    expect(project.runs().map(({ resumed }) => resumed)).toEqual([false, true, true]);
    expect(project.read("port")).toBe("8080\n");
    expect(project.tasks()[0]?.status).toBe("done");
  });

  test("an agent that changed nothing is asked before its step counts as done", {
    timeout: 60_000,
  }, async () => {
    using project = bloomProject({
      tasks: TWO_STEPS("SAY: I looked around."),
      answers: { "s1 is not marked done": "RUN: bloom step done s1" },
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("step:assumed_done")).toEqual([]);
    expect(project.runs()[1]?.prompt).toContain("You ended your turn, and s1 is not marked done.");
  });

  test("what an agent changed counts as done, and its last words are shown", {
    timeout: 60_000,
  }, async () => {
    using project = bloomProject({
      tasks: TWO_STEPS("RUN: echo 1 > one.txt; git add -A; git commit -qm one\nSAY: Done. Shall I go on?"),
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("step:assumed_done")).toEqual([
      expect.objectContaining({ stepId: "s1", reason: expect.stringContaining("Done. Shall I go on?") }),
    ]);
  });
});
