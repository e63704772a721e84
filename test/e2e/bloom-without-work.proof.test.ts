/** What is told as done has been done: no commit and no word of why is not done. */
import { describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const LONG = { timeout: 120_000 };

const task = (id: string, work: string, more = "") => `- id: ${id}
  title: t
  repo: .
  merge_into: main
${more}  instructions: |
    ${work}
`;

describe("A task whose agent does nothing", () => {
  it(
    "is asked for its work, then blocked: nothing is told as merged, and nothing follows",
    LONG,
    async () => {
      promise("bloom.not-without-work");
      using project = bloomProject({
        tasks: `tasks:\n${task("T1", "RUN: bloom done T1")}${task("T2", "RUN: true", "  depends_on: [T1]\n")}`,
      });
      const ran = await project.run();
      expect(ran.code).toBe(1);
      expect(ran.of("merge:completed")).toEqual([]);
      expect(ran.of("task:blocked")).toMatchObject([
        { taskId: "T1", reason: "nothing was committed on bloom/T1 that main lacks" },
      ]);
      const [, ...asked] = project.runs();
      expect(asked).toHaveLength(2);
      for (const { run, prompt } of asked) {
        expect(run).toMatch(/^T1\./);
        expect(prompt).toContain("## Nothing was committed");
        expect(prompt).toContain('bloom done T1 --nothing "why"');
      }
    },
  );

  it(
    "declares that there is nothing to do, and why: it is done, and nothing is told as merged",
    LONG,
    async () => {
      promise("bloom.not-without-work");
      using project = bloomProject({
        tasks: `tasks:\n${task("T1", "RUN: bloom done T1")}`,
        answers: { "## Nothing was committed": 'RUN: bloom done T1 --nothing "it is there already"' },
      });
      const ran = await project.run();
      expect(ran.code).toBe(0);
      expect(ran.of("merge:completed")).toEqual([]);
      expect(ran.of("merge:not_needed")).toMatchObject([{ taskId: "T1", branch: "bloom/T1", into: "main" }]);
      expect(project.stored().filter(({ type }) => type === "task:nothing_to_do")).toMatchObject([
        { taskId: "T1", reason: "it is there already", by: expect.stringMatching(/^T1\./) },
      ]);
    },
  );

  it("does its work when it is asked: that is verified and merged", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n${task("T1", "RUN: bloom done T1", '  verify: ["test -f a.txt || test ! -f asked"]\n')}`,
      answers: { "## Nothing was committed": "RUN: echo a > a.txt; git add -A; git commit -qm a" },
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("merge:completed")).toHaveLength(1);
    expect(project.git("show", "main:a.txt")).toBe("a");
  });

  it("but moves the target itself is not merged by that, and the move is told", LONG, async () => {
    const moves =
      'RUN: echo a > a.txt; git add -A; git commit -qm a; at=$PWD; cd "$PAWL_PROJECT"; git fetch -q "$at" HEAD; git update-ref refs/heads/main FETCH_HEAD';
    using project = bloomProject({ tasks: `tasks:\n${task("T1", moves)}` });
    const from = project.git("rev-parse", "main");
    const ran = await project.run();
    const to = project.git("rev-parse", "main");
    expect(ran.code).toBe(1);
    expect(ran.of("git:branch_moved")[0]).toMatchObject({ run: "T1.1", branch: "main", from, to });
    expect(ran.of("task:blocked")).toMatchObject([
      { taskId: "T1", reason: "nothing was committed on bloom/T1 that main lacks" },
    ]);
    expect([...ran.of("merge:completed"), ...ran.of("merge:not_needed")]).toEqual([]);
  });

  it("has `.pawl/` removed in the middle of its run: it is not done before its work is", LONG, async () => {
    promise("bloom.not-without-work");
    using project = bloomProject({
      tasks: `tasks:\n${task("T1", 'RUN: test -f "$PAWL_PROJECT/gone" || { touch "$PAWL_PROJECT/gone"; rm -rf "$PAWL_PROJECT/.pawl"; }')}`,
      answers: {
        "is not marked done": "RUN: bloom done T1",
        "## Nothing was committed": "RUN: echo a > a.txt; git add -A; git commit -qm a",
      },
    });
    const ran = await project.run();
    expect(project.tasks()[0]?.status === "done", JSON.stringify(ran.events.slice(-4))).toBe(
      project.git("ls-tree", "--name-only", "main").includes("a.txt"),
    );
    expect(ran.code).toBe(0);
    expect(ran.of("merge:completed")).toHaveLength(1);
  });
});
