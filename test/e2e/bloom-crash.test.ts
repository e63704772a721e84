/**
 * The loop is killed by SIGKILL at every move of a task in its table, just before the commit that tells of it (all that
 * it tells of is done) and just after. The next run ends where an undisturbed one does, and nothing was done twice.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";

const LONG = { timeout: 90_000 };

const TASKS = `# Ours
git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
- id: T1
  title: Build # it
  repo: .
  branch: feat/x
  merge_into: main
  verify: ["test -f a.txt"]
  steps:
  - id: s1
    instruction: |
      RUN: echo s1 >> "$PAWL_PROJECT/.pawl/ran.txt"
      RUN: echo a > a.txt; git add -A; git commit -qm a
      RUN: bloom step done s1
  - id: s2
    instruction: |
      RUN: echo s2 >> "$PAWL_PROJECT/.pawl/ran.txt"
      RUN: echo b > b.txt; git add -A; git commit -qm b
      RUN: bloom step done s2
`;
const MOVES = [
  "working",
  "verifying",
  "working",
  "verifying",
  "committing",
  "pushing",
  "merging",
  "cleaning",
  "done",
];

describe("A loop that is killed", () => {
  for (const side of ["before", "after"] as const)
    it(`just ${side} each move goes on as if nothing had been`, LONG, async () => {
      using calm = bloomProject({ tasks: TASKS });
      expect((await calm.run()).code).toBe(0);
      using struck = bloomProject({ tasks: TASKS });
      let kills = 0;
      // Each run is killed at its first move, so that the runs together are killed at each.
      for (let runs = 0; runs < 2 * MOVES.length; runs++) {
        const ran = await struck.runKilledAt(1, side);
        if (ran.signal !== "SIGKILL") {
          expect(ran.code).toBe(0);
          break;
        }
        kills += 1;
        // Killed before it, the move is still ahead: one run makes it, and is killed after it.
        if (side === "before") expect((await struck.runKilledAt(1, "after")).signal).toBe("SIGKILL");
      }
      expect(kills).toBeGreaterThanOrEqual(MOVES.length);
      expect(endOf(struck)).toEqual(endOf(calm));
      // A step that its agent had marked never runs again.
      const ranSteps = (struck.read(".pawl/ran.txt") ?? "").trim().split("\n");
      expect([...new Set(ranSteps)]).toEqual(["s1", "s2"]);
      expect(struck.stored().filter(({ type }) => type === "step:completed")).toHaveLength(2);
      for (const type of ["merge:completed", "task:completed"])
        expect(
          struck.stored().filter((event) => event.type === type),
          type,
        ).toHaveLength(1);
      expect(leftBehind(struck)).toEqual([]);
    });

  it(
    "in the middle of an agent's run leaves no process, and the next run takes over with a fresh session",
    LONG,
    async () => {
      using project = bloomProject({
        tasks: `tasks:
- id: T1
  title: t
  steps:
  - {id: s1, instruction: "RUN: bloom step done s1"}
  - id: s2
    instruction: |
      RUN: test -f second || { touch second; setsid sleep 4377 >/dev/null 2>&1 & sleep 4378; }
      RUN: bloom step done s2
`,
      });
      const child = project.start("--once");
      await until(() => project.read("second") !== null);
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
      expect(processes("sleep 437")).not.toEqual([]);
      const ran = await project.run();
      expect(ran.code).toBe(0);
      expect(ran.of("agent:leftovers_ended").length + ran.of("session:lost").length).toBeGreaterThan(0);
      expect(processes("sleep 437")).toEqual([]);
      expect(project.runs().map(({ resumed }) => resumed)).toEqual([false, true, false]);
      expect(project.runs()[2]?.prompt).toContain("# Task T1: t");
      expect(leftBehind(project)).toEqual([]);
    },
  );

  it(
    "by SIGINT stops its agents at once, keeps where the task stands, and the next run resumes the session",
    LONG,
    async () => {
      using project = bloomProject({
        tasks: `tasks:
- id: T1
  title: t
  instructions: |
    RUN: test -f begun || { touch begun; sleep 4379; }
    RUN: bloom done T1
`,
      });
      const child = project.start();
      await until(() => project.read("begun") !== null);
      const begun = Date.now();
      child.kill("SIGINT");
      await new Promise((resolve) => child.once("close", resolve));
      expect(Date.now() - begun).toBeLessThan(10_000);
      expect(processes("sleep 4379")).toEqual([]);
      expect(project.tasks()[0]?.status).toBe("in_progress");
      expect((await project.run()).code).toBe(0);
      expect(project.runs().map(({ resumed }) => resumed)).toEqual([false, true]);
    },
  );

  it("shares the work with a second run on the same project: each task runs once", LONG, async () => {
    const ids = ["A", "B", "C", "D", "E", "F"];
    using project = bloomProject({
      tasks: `tasks:\n${ids.map((id) => `- id: ${id}\n  title: t\n  repo: .\n  merge_into: main\n  instructions: |\n    RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}; sleep 0.3\n    RUN: bloom done ${id}\n`).join("")}`,
    });
    const [one, two] = await Promise.all([project.run("--agents", "2"), project.run("--agents", "2")]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(
      project
        .runs()
        .map(({ run }) => run)
        .sort(),
    ).toEqual(ids.map((id) => `${id}.1`));
    expect(
      new Set([...one.of("task:claimed"), ...two.of("task:claimed")].map(({ taskId }) => taskId)).size,
    ).toBe(6);
    expect(one.of("agent:started").length).toBeGreaterThan(0);
    expect(two.of("agent:started").length).toBeGreaterThan(0);
    expect(project.git("log", "--first-parent", "--format=%s", "main").split("\n")).toHaveLength(7);
    expect(leftBehind(project)).toEqual([]);
  });
});

/** What two runs of the same work have in common: trees, history and tasks.yaml, without times, sessions and hashes. */
function endOf(project: BloomProject) {
  const tasks = (project.read("tasks.yaml") ?? "")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/session_id: .*/g, "session_id: ID");
  return {
    tasks: tasks.split("\n").sort(),
    tree: project.git("rev-parse", "main^{tree}"),
    history: project.git("log", "--topo-order", "--format=%s %p", "main").replace(/\b[0-9a-f]{7,}\b/g, "x"),
    remote: project.remoteGit("log", "--topo-order", "--format=%s", "--all"),
    worktrees: project.git("worktree", "list").split("\n").length,
    branches: project.git("branch", "--format=%(refname:short)"),
  };
}

/** Claims that nobody holds, runs that are not over, processes of the project. */
function leftBehind(project: BloomProject): readonly string[] {
  const claims = readdirSync(join(project.root, ".pawl/claims"));
  const runs = readdirSync(join(project.root, ".pawl/runs"));
  return [...claims, ...runs, ...processes(project.root)];
}

function processes(words: string): readonly string[] {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(words));
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 600) throw new Error("It did not come to that.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
