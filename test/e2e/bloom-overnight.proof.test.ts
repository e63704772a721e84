/** A run that is left alone: what it waits out, what it costs, and what it does when it is stopped. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bloomProject, ranOf } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";
import { hangs, shellUntil, until } from "../rig/until.ts";

const LONG = { timeout: 90_000 };

describe("A run that is left alone", () => {
  it.each([
    ["tasks.yaml", "tasks-invalid", "tasks: [\n"],
    ["pawl.yaml", "config-invalid", "bloom: {agents: none}\n"],
  ] as const)(
    "waits while a person is in the middle of editing %s, and nothing that was done meanwhile is done again",
    LONG,
    async (path, code, broken) => {
      promise("bloom.idle");
      using project = bloomProject({
        tasks: `tasks:
- id: T1
  title: t
  instructions: |
    RUN: touch begun; ${shellUntil("-f broken")}; echo ran >> ran.txt
- id: T2
  title: u
  depends_on: [T1]
  instructions: "RUN: echo two > two.txt"
`,
      });
      const child = project.start();
      let told = "";
      child.stdout?.on("data", (chunk) => {
        told += chunk;
      });
      const ran = ranOf(child);
      await until(() => project.read("begun") !== null);
      const good = project.read(path) ?? "";
      project.write(path, broken);
      await until(() => told.includes("loop:paused"));
      expect(told).toContain(`"code":"${code}"`);
      project.write("broken", "");
      await until(() => project.read("ran.txt") !== null);
      expect(project.read(path)).toBe(broken);
      project.write(path, good);
      await until(
        () => project.read("two.txt") !== null && project.tasks().every(({ status }) => status === "done"),
      );
      child.kill("SIGINT");
      const { code: exit, of } = await ran;
      expect(exit).toBe(0);
      // A save is not atomic: a look in the midst of it finds something else.
      expect(new Set(of("loop:paused").map((each) => each.code))).toEqual(new Set([code]));
      expect(of("loop:resumed").length).toBeGreaterThan(0);
      expect(project.read("ran.txt")).toBe("ran\n");
      expect(project.runs()).toHaveLength(2);
    },
  );

  it("ends with the error where a file cannot be read from the beginning, or with --once", LONG, async () => {
    using project = bloomProject({ tasks: "tasks: [\n" });
    const ran = await ranOf(project.start());
    expect(ran.code).toBe(1);
    expect(ran.of("loop:paused")).toEqual([]);
  });

  it("ends its agents where an error ends it, and nothing of theirs lives on", LONG, async () => {
    const hung = hangs();
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: touch begun; ${hung}\n`,
    });
    const ran = ranOf(project.start("--once"));
    await until(() => project.read("begun") !== null);
    project.write("tasks.yaml", "tasks: [\n");
    expect((await ran).code).toBe(1);
    expect(spawnSync("pgrep", ["-f", hung]).status).toBe(1);
  });

  it(
    "leaves a task as it is that something unforeseen stops, goes on with the others, and ends with that error",
    LONG,
    async () => {
      promise("bloom.idle");
      using project = bloomProject({
        tasks: `tasks:
- {id: T1, title: t, instructions: "RUN: true"}
- {id: T2, title: u, instructions: "RUN: echo two > two.txt"}
`,
      });
      // Where its agent's output would go.
      mkdirSync(join(project.root, ".pawl/agents"), { recursive: true });
      project.write(".pawl/agents/T1.1", "");
      const ran = await project.run();
      expect(ran.code).toBe(1);
      expect(ran.of("task:failed")).toEqual([
        expect.objectContaining({
          taskId: "T1",
          code: "path-outside-project",
          reason: expect.stringContaining(".pawl/agents/T1.1 is not a folder"),
        }),
      ]);
      expect(project.read("two.txt")).toBe("two\n");
      expect(project.tasks().map(({ status }) => status)).toEqual(["in_progress", "done"]);
      rmSync(join(project.root, ".pawl/agents/T1.1"));
      expect((await project.run()).code).toBe(0);
      expect(project.tasks().map(({ status }) => status)).toEqual(["done", "done"]);
    },
  );

  it("says at once what waited for a person before it began", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: t
  instructions: "RUN: bloom ask T1 'Which one?' --blocking"
`,
    });
    expect((await project.run()).code).toBe(3);
    const again = await project.run();
    expect(again.of("task:waiting")).toEqual([
      { type: "task:waiting", taskId: "T1", reason: "q1: Which one?" },
    ]);
    expect(again.of("loop:progress")).toEqual([
      {
        type: "loop:progress",
        done: 0,
        open: 1,
        blocked: [],
        waiting: ["T1"],
        red: [],
        resting: [],
        idle: true,
      },
    ]);
  });
});
