/** A target whose own check is red, with real git and real commands: who waits, what is said, and how all go on. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const LONG = 60_000;
const RED = "`sh check.sh` exited with 1 in a fresh checkout of main too, without this task's work, since ";

const task = (id: string, verify = "sh check.sh") => `  - id: ${id}
    title: Build ${id}
    repo: .
    merge_into: main
    verify: ["${verify}"]
    instructions: |
      RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}
      RUN: bloom done ${id}
`;

/** Main's own check prints what is wrong, and fails. */
function red(tasks: string, git = ""): BloomProject {
  const project = bloomProject({ tasks: `${git}tasks:\n${tasks}` });
  project.write(
    "check.sh",
    'echo "checking $(ls | wc -l) files in $PWD"\ntest -f good || { echo "good is missing"; exit 1; }\n',
  );
  project.git("add", "-A");
  project.git("commit", "-qm", "A check");
  if (git !== "") project.git("push", "-q");
  return project;
}

function mend({ git, write }: BloomProject): void {
  write("good", "");
  git("add", "-A");
  git("commit", "-qm", "Good again");
}

describe("A target whose own check fails", () => {
  it("lets its tasks wait, says so once and everywhere in the same words, and is checked once", {
    timeout: LONG,
  }, async () => {
    promise("bloom.target-red");
    using project = red(task("T1") + task("T2"));
    const since = project.git("rev-parse", "--short=12", "main");
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(project.runs()).toHaveLength(2);
    const waits = `${RED}${since}`;
    expect(ran.of("target:red").map(({ first, reason }) => [first, reason])).toEqual([
      [true, waits],
      [false, waits],
    ]);
    expect(ran.of("task:blocked")).toEqual([]);
    const status = await project.bloom("status", "--json");
    const runs = JSON.parse(status.out).runs as readonly Record<string, unknown>[];
    expect(runs.map(({ next, state }) => [state, next])).toEqual([
      ["target_red", waits],
      ["target_red", waits],
    ]);
    expect((await project.bloom("list")).out).toContain(`(target_red: ${waits})`);
    expect((await project.bloom("show", "T1")).out).toContain(`In the loop: target_red (${waits})`);
    // Nothing of the check on its own is left.
    expect(project.git("worktree", "list")).not.toContain("@base");
    expect(existsSync(join(project.root, ".pawl/worktrees/@project/@base"))).toBe(false);
  });

  it("lets all of them go on once it is mended, with no agent asked again", { timeout: LONG }, async () => {
    promise("bloom.target-red");
    using project = red(task("T1") + task("T2"));
    await project.run();
    mend(project);
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(project.runs()).toHaveLength(2);
    expect(project.tasks().map(({ status }) => status)).toEqual(["done", "done"]);
    expect(ran.of("check:failed")).toEqual([]);
    // Main came into each workspace first.
    const subjects = project.git("log", "--format=%s", "main").split("\n");
    expect(subjects.filter((each) => each.startsWith("Merge main into bloom/"))).toHaveLength(2);
  });

  it("is looked at again by the next loop, though it has not moved: the task's checks may have", {
    timeout: LONG,
  }, async () => {
    promise("bloom.target-red");
    using project = red(task("T1"));
    await project.run();
    expect((await project.bloom("show", "T1")).out).toContain("unless `setup` in pawl.yaml makes them");
    expect((await project.run()).code).toBe(1);
    project.write("tasks.yaml", (project.read("tasks.yaml") ?? "").replace("sh check.sh", "test -f T1.txt"));
    await project.person("policy", "T1", "--accept");
    expect((await project.run()).code).toBe(0);
    expect(project.runs()).toHaveLength(1);
  });

  it("is the remote's if branches go there", { timeout: LONG }, async () => {
    promise("bloom.target-red");
    using project = red(task("T1"), "git: {push_to_remote: true}\n");
    expect((await project.run()).of("target:red")).toHaveLength(1);
    mend(project);
    project.git("push", "-q");
    project.git("reset", "-q", "--hard", "HEAD~1");
    expect((await project.run()).code).toBe(0);
    expect(project.runs()).toHaveLength(1);
    expect(project.remoteGit("log", "-1", "--format=%s", "main")).toBe("Merge T1: Build T1");
  });

  it("is taken as it is now by `ready` and by `reset`", { timeout: LONG }, async () => {
    promise("bloom.target-red");
    using project = red(task("T1") + task("T2"));
    await project.run();
    mend(project);
    expect((await project.person("ready", "T1")).out).toContain("T1 continues, with main as it is now.");
    await project.person("reset", "T2");
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("check:failed")).toEqual([]);
    expect(project.runs().map(({ run }) => run.slice(0, 2))).toEqual(["T1", "T2", "T2"]);
  });

  it("is not to blame for what a task has yet to make", { timeout: LONG }, async () => {
    promise("bloom.target-red");
    using project = red(task("T1", "grep -q made T1.txt"));
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(ran.of("target:red")).toEqual([]);
    expect(ran.of("agent:started").map(({ purpose }) => purpose)).toEqual(["step", "repair", "repair"]);
  });
});

describe("A check that fails once", () => {
  it("is flaky if it passes on the same files: told, kept as evidence, and nobody repairs it", {
    timeout: LONG,
  }, async () => {
    promise("bloom.flaky");
    const once = "test -f ../once || { touch ../once; echo no luck; exit 3; }";
    using project = bloomProject({ tasks: `tasks:\n${task("T1", once)}` });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("check:flaky")).toMatchObject([{ taskId: "T1", exit: 3 }]);
    expect(ran.of("check:failed")).toEqual([]);
    expect(project.runs()).toHaveLength(1);
    expect((await project.bloom("show", "T1")).out).toContain("flaky (3, then passed)");
  });
});
