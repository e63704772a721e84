import { describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const COUNT = 8;

describe("many agents", () => {
  it("claim, run, merge and complete each of many short tasks once, and a task that waits for its merge says so once", async () => {
    promise("bloom.each-once");
    const tasks = Array.from(
      { length: COUNT },
      (_, n) => `- id: T${n}
  title: Task ${n}
  repo: .
  merge_into: main
  verify: ["true"]
  instructions: "RUN: echo ${n} > f${n}.txt; git add -A; git commit -qm T${n}"
`,
    );
    using project = bloomProject({ tasks: `tasks:\n${tasks.join("")}` });
    const ran = await project.run("--agents", "4");
    expect(ran.code).toBe(0);
    const ids = Array.from({ length: COUNT }, (_, n) => `T${n}`).sort();
    for (const type of ["task:claimed", "agent:started", "merge:completed", "task:completed"])
      expect(
        ran
          .of(type)
          .map(({ taskId }) => taskId)
          .sort(),
        type,
      ).toEqual(ids);
    const waited = ran.of("merge:waiting").map(({ taskId }) => taskId);
    expect(new Set(waited).size).toBe(waited.length);
    expect(project.git("log", "--merges", "--format=%s", "main").split("\n")).toHaveLength(COUNT);
  }, 120_000);
});
