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
});
