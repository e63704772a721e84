/** The loop is killed by SIGKILL, or told to stop: the next run ends where an undisturbed one does. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { killAtMoves, openProof, runToEnd, SCENARIOS, type Scenario } from "../rig/loop-proof.ts";
import { promise } from "../rig/promise.ts";
import { hangs, shellUntil, until } from "../rig/until.ts";

const LONG = { timeout: 180_000 };

describe("A loop that is killed", () => {
  // All of them, at each move and each of git's commands: `npm run proofs loop`.
  for (const [name, side] of [
    ["dependent", "before"],
    ["conflict", "after"],
  ] as const)
    it(`just ${side} every fifth move goes on as if nothing had been (${name})`, LONG, async () => {
      promise("git.once");
      const scenario = SCENARIOS[name] as Scenario;
      await using calm = await openProof(scenario);
      await runToEnd(calm, () => calm.project.run());
      await using struck = await openProof(scenario);
      expect(await killAtMoves(struck, side, 5)).toBeGreaterThanOrEqual(3);
      expect(struck.faults(calm)).toEqual([]);
    });

  it.each(["before", "after"] as const)(
    "just %s it takes away the branch whose workspace is gone takes it away in the next run",
    LONG,
    async (side) => {
      const scenario = SCENARIOS.repair as Scenario;
      const tasks = scenario.tasks.replace("true}", "true, auto_cleanup_merged: true}");
      await using proof = await openProof({ ...scenario, tasks });
      const { project } = proof;
      const branches = () => project.hub("branch", "--format=%(refname:short)");
      expect((await project.runStruck({ side, at: "push .*--force-with-lease" })).signal).toBe("SIGKILL");
      expect(existsSync(project.workspace("bloom/T1"))).toBe(false);
      expect(branches()).toBe("bloom/T1");
      expect((await project.bloom("worktrees")).out).toBe("No workspaces.\n");
      expect((await project.run()).code).toBe(0);
      expect(branches()).toBe("");
      expect(project.tasks()[0]?.status).toBe("done");
      expect(proof.faults(proof)).toEqual([]);
    },
  );

  it(
    "in the middle of an agent's run leaves no process, and the next run takes over in its session",
    LONG,
    async () => {
      const [forgotten, waited] = [hangs(), hangs()];
      using project = bloomProject({
        tasks: `tasks:
- id: T1
  title: t
  steps:
  - {id: s1, instruction: "RUN: bloom step done s1"}
  - id: s2
    instruction: |
      RUN: test -f second || { touch second; setsid ${forgotten} >/dev/null 2>&1 & ${waited}; }
      RUN: bloom step done s2
`,
      });
      const child = project.start("--once");
      await until(() => project.read("second") !== null);
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
      const ran = await project.run();
      expect(ran.code).toBe(0);
      expect(ran.of("session:lost")).toEqual([]);
      expect([...processes(forgotten), ...processes(waited)]).toEqual([]);
      expect(project.runs().map(({ resumed }) => resumed)).toEqual([false, true, true]);
      expect(project.runs()[2]?.prompt).toContain("Continue task T1: t");
      expect(leftBehind(project)).toEqual([]);
    },
  );

  it(
    "by SIGINT stops its agents at once, keeps where the task stands, and the next run resumes the session",
    LONG,
    async () => {
      const hung = hangs();
      using project = bloomProject({
        tasks: `tasks:
- id: T1
  title: t
  instructions: |
    RUN: test -f begun || { touch begun; ${hung}; }
    RUN: bloom done T1
`,
      });
      const child = project.start();
      await until(() => project.read("begun") !== null);
      child.kill("SIGINT");
      const code = await new Promise((resolve) => child.once("close", resolve));
      expect(code).toBe(130);
      expect(processes(hung)).toEqual([]);
      expect(project.tasks()[0]?.status).toBe("in_progress");
      expect((await project.run()).code).toBe(0);
      expect(project.runs().map(({ resumed }) => resumed)).toEqual([false, true]);
    },
  );

  it("shares the work with a second run on the same project: each task runs once", LONG, async () => {
    const ids = ["A", "B", "C", "D", "E", "F"];
    // Each has two at once: where three have begun, both are at work.
    const third = shellUntil('"$(ls "$PAWL_PROJECT/.pawl" | grep -c begun-)" -ge 3');
    using project = bloomProject({
      tasks: `tasks:\n${ids.map((id) => `- id: ${id}\n  title: t\n  repo: .\n  merge_into: main\n  instructions: |\n    RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}; touch "$PAWL_PROJECT/.pawl/begun-${id}"; ${third}\n    RUN: bloom done ${id}\n`).join("")}`,
    });
    const [one, two] = await Promise.all([project.run("--agents", "2"), project.run("--agents", "2")]);
    expect([one, two].map(({ code, of }) => [code, of("task:failed")])).toEqual([
      [0, []],
      [0, []],
    ]);
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
