/** Steps in one resumed session: the loop, a scripted agent and git, all real processes. */
import { describe, expect, test } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";

const steps = (...bodies: readonly string[]) =>
  bodies
    .map((body, n) => `      - id: s${n + 1}\n        instruction: |\n${body.replace(/^/gm, "          ")}`)
    .join("\n");
const task = (rest: string, ...bodies: readonly string[]) =>
  `tasks:\n  - id: T1\n    title: Build\n    instructions: All of it\n${rest.replace(/^(?=.)/gm, "    ")}    steps:\n${steps(...bodies)}\n`;

const commits = (name: string) => `RUN: echo ${name} > ${name}.txt; git add -A; git commit -qm ${name}`;

describe("Step Execution Flow", () => {
  test("task with steps executes steps sequentially", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks: task(
        "",
        "RUN: echo 1 >> order.txt\nRUN: bloom step done s1",
        "RUN: echo 2 >> order.txt\nRUN: bloom step done s2",
        "RUN: echo 3 >> order.txt\nRUN: bloom step done s3",
      ),
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(project.read("order.txt")).toBe("1\n2\n3\n");
    expect(ran.of("step:assumed_done")).toEqual([]);
    expect(
      ran
        .of("step:started")
        .map(({ stepId, stepIndex, totalSteps, taskId }) => [taskId, stepId, stepIndex, totalSteps]),
    ).toEqual([
      ["T1", "s1", 0, 3],
      ["T1", "s2", 1, 3],
      ["T1", "s3", 2, 3],
    ]);
    const completed = project.stored().filter(({ type }) => type === "step:completed");
    expect(completed.map(({ stepId }) => stepId)).toEqual(["s1", "s2", "s3"]);
    for (const { duration } of completed) expect(duration).toBeGreaterThan(0);
    expect(project.tasks()[0]).toMatchObject({ status: "done" });
  });

  test("session is preserved between steps", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks: task("", "RUN: bloom step done s1", "RECALL:\nRUN: bloom step done s2"),
    });
    const ran = await project.run();
    expect(project.runs().map(({ resumed }) => resumed)).toEqual([false, true]);
    expect(ran.of("agent:said").map(({ text }) => text)).toContain("I recall 1 prompt(s): # Task T1: Build");
    expect(ran.of("session:opened")).toHaveLength(1);
    expect(project.runs()[1]?.prompt).not.toContain("All of it");
  });

  test("git operations only run after all steps", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks: `git: {push_to_remote: true}\n${task("repo: .\nbranch: feat/x\nmerge_into: main\n", `${commits("a")}\nRUN: bloom step done s1`, `${commits("b")}\nRUN: bloom step done s2`)}`,
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    const moves = ran.of("run:advanced").map(({ to }) => to);
    expect(moves).toEqual([
      "working",
      "verifying",
      "working",
      "verifying",
      "committing",
      "pushing",
      "merging",
      "cleaning",
      "done",
    ]);
    expect(project.git("log", "--format=%s", "--first-parent", "main")).toBe("Merge T1: Build\nBegin");
    expect(project.remoteGit("log", "--topo-order", "--format=%s", "feat/x")).toBe("b\na\nBegin");
    expect(project.remoteGit("rev-parse", "main")).toBe(project.git("rev-parse", "main"));
    expect(project.read("b.txt")).toBe("b\n");
  });

  test("session corruption clears session_id", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks: task(
        "",
        'RUN: bloom step done s1\nRUN: rm -f "$PAWL_SCRIPTED_HOME"/*.json',
        "RUN: bloom step done s2",
      ),
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("session:lost")).toEqual([
      expect.objectContaining({ taskId: "T1", reason: expect.stringContaining("No conversation found") }),
    ]);
    expect(project.runs().map(({ resumed }) => resumed)).toEqual([false, true, false]);
    const [, , fresh] = project.runs();
    expect(fresh?.prompt).toContain("All of it");
    expect(fresh?.prompt).toContain("- s1:");
    expect(project.tasks()[0]).not.toHaveProperty("session_id");
    expect(new Set(ran.of("session:opened").map(({ session }) => session)).size).toBe(2);
  });
});
