/** A target that fails a task's check by itself, and checks that fail by chance. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import {
  openStage,
  type Stage,
  type StageOptions,
  type StageRun,
} from "../../../../test/rig/schedule/stage.ts";
import { reset } from "../verbs/person.ts";
import { ready } from "../verbs/status.ts";

const task = (id: string) =>
  `- {id: ${id}, title: t, instructions: i, repo: ., merge_into: main, verify: [check]}\n`;
const THREE = `tasks:\n${task("T1")}${task("T2")}${task("T3")}`;

/** Main fails the check from its first commit on. */
function red(more: Partial<StageOptions> = {}): Stage {
  const stage: Stage = openStage({
    tasks: THREE,
    exit: (_, folder) => (stage.git.isRed(folder) ? 1 : 0),
    ...more,
  });
  stage.git.breaks.add(stage.git.heads.get("main") as string);
  return stage;
}

function mend({ git }: Stage): void {
  git.commit("main");
  git.mends.add(git.heads.get("main") as string);
}

const tries = (stage: Stage, id: string) => JSON.parse(stage.read(`.pawl/runs/${id}.json`) ?? "{}").tries;
const purposes = (stage: Stage) => stage.of("agent:started").map(({ purpose }) => purpose);
const runsOn = (stage: Stage) => [...new Set(stage.git.checkedOut)];

describe("A target that fails the check of its tasks", () => {
  it("blames nobody: they wait in a state of their own, with no try spent, and no agent runs again", async () => {
    promise("bloom.target-red");
    const stage = red({ once: true });
    const end = await stage.end();
    expect(end.red).toEqual([
      {
        reason: "`check` exited with 1 in a fresh checkout of main too, without this task's work, since c0",
        tasks: ["T1", "T2", "T3"],
      },
    ]);
    expect(end).toMatchObject({ blocked: [], waiting: [], open: ["T1", "T2", "T3"] });
    for (const id of ["T1", "T2", "T3"]) {
      expect(stage.state(id)).toBe("target_red");
      expect(tries(stage, id)).toEqual({});
    }
    expect(purposes(stage)).toEqual(["step", "step", "step"]);
  });

  it("is checked once for all of them, and told once", async () => {
    promise("bloom.target-red");
    const stage = red({ once: true });
    await stage.end();
    expect(stage.git.checkedOut).toEqual(["c0"]);
    expect(stage.of("target:red").map(({ first }) => first)).toEqual([true, false, false]);
    expect(stage.of("target:red")[0]).toMatchObject({
      into: "main",
      command: "check",
      commit: "c0",
      since: "c0",
    });
  });

  it("lets them go on by themselves once it passes, with its new state in their workspaces first", async () => {
    promise("bloom.target-red");
    const stage = red();
    await stage.until(() => stage.of("target:red").length === 3);
    mend(stage);
    const mended = stage.git.heads.get("main") as string;
    await stage.until(() => stage.of("task:completed").length === 3);
    expect(runsOn(stage)).toEqual(["c0", mended]);
    expect(purposes(stage)).toEqual(["step", "step", "step"]);
    for (const id of ["T1", "T2", "T3"]) expect(stage.git.isIn(`bloom/${id}`, "main")).toBe(true);
    expect(stage.told.findIndex(({ type }) => type === "target:green")).toBeLessThan(
      stage.told.findIndex(({ type }) => type === "merge:completed"),
    );
    stage.stop();
    await stage.end();
  });

  it("is checked again if it changes and still fails, and fails since the same commit", async () => {
    promise("bloom.target-red");
    const stage = red();
    await stage.until(() => stage.of("target:red").length === 3);
    stage.git.commit("main");
    const other = stage.git.heads.get("main") as string;
    await stage.until(() => stage.git.checkedOut.includes(other));
    await stage.pass(60_000);
    expect(stage.git.checkedOut).toEqual(["c0", other]);
    expect(stage.of("target:red")).toHaveLength(3);
    for (const id of ["T1", "T2", "T3"]) {
      const run = JSON.parse(stage.read(`.pawl/runs/${id}.json`) ?? "{}");
      expect(run).toMatchObject({ state: "target_red", red: { commit: other, since: "c0" } });
      expect(run.reason).toContain("since c0");
    }
    stage.save("tasks.yaml", `${stage.read("tasks.yaml")}${task("T4")}`);
    await stage.until(() => stage.of("target:red").length === 4);
    expect(stage.of("target:red")[3]).toMatchObject({ commit: other, since: "c0", first: false });
    stage.stop();
    await stage.end();
  });

  it("is found by the next run, too, and by one that is killed meanwhile", async () => {
    const stage = red({ once: true });
    await stage.end();
    mend(stage);
    expect(await stage.again()).toMatchObject({ done: ["T1", "T2", "T3"], red: [] });
    expect(purposes(stage)).toEqual(["step", "step", "step"]);
  });

  it("counts if the work began on it, although the present one passes: that comes in at once", async () => {
    const stage: Stage = red({
      once: true,
      tasks: `tasks:\n${task("T1")}`,
      agent: async () => {
        mend(stage);
        return undefined;
      },
    });
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(stage.of("target:red")).toEqual([]);
    expect(purposes(stage)).toEqual(["step"]);
  });

  it("holds up a merge in the same way, if it broke after the work was verified", async () => {
    const stage: Stage = openStage({
      tasks: `tasks:\n${task("T1")}`,
      exit: (_, folder) => {
        if (stage.git.breaks.size === 0 && folder.startsWith("/worktrees/")) {
          stage.git.commit("main");
          stage.git.breaks.add(stage.git.heads.get("main") as string);
          return 0;
        }
        return stage.git.isRed(folder) ? 1 : 0;
      },
    });
    await stage.until(() => stage.of("target:red").length === 1);
    await stage.until(() => !stage.leases.has("T1"));
    expect(stage.tasks()[0]?.status).toBe("done_pending_merge");
    expect(tries(stage, "T1")).toEqual({});
    mend(stage);
    await stage.until(() => stage.of("task:completed").length === 1);
    expect(purposes(stage)).toEqual(["step"]);
    stage.stop();
    await stage.end();
  });

  it("is left aside if a person says `ready`: the present one comes in, and what fails then is the task's own", async () => {
    promise("bloom.target-red");
    const stage: Stage = red({
      once: true,
      tasks: `tasks:\n${task("T1")}`,
      agent: async ({ prompt }: StageRun) => {
        if (prompt.includes("## A check failed")) {
          stage.git.commit("bloom/T1");
          stage.git.mends.add(stage.git.heads.get("bloom/T1") as string);
        }
        return undefined;
      },
    });
    await stage.end();
    const { text } = await stage.person(ready, { id: "T1" });
    expect(text).toBe(
      "T1 continues, with main as it is now. If its check fails again, its agent must fix it.",
    );
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(purposes(stage)).toEqual(["step", "repair"]);
  });

  it("is taken as it is now by a task that is begun anew", async () => {
    promise("bloom.target-red");
    const broughtIn: number[] = [];
    const stage: Stage = red({
      once: true,
      tasks: `tasks:\n${task("T1")}`,
      agent: async () => {
        broughtIn.push(stage.git.broughtIn.length);
        return undefined;
      },
    });
    await stage.end();
    mend(stage);
    await stage.person(reset, { id: "T1" });
    const mended = stage.git.heads.get("main") as string;
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    // Before its agent began, not only at the merge.
    expect(broughtIn).toEqual([0, 1]);
    expect(stage.git.broughtIn).toEqual([{ branch: "bloom/T1", at: mended }]);
    expect(stage.of("target:red")).toHaveLength(1);
  });

  it("is not to blame if it fails otherwise: its agent repairs", async () => {
    promise("bloom.target-red");
    const stage: Stage = red({
      once: true,
      tasks: `tasks:\n${task("T1")}`,
      exit: (_, folder) => {
        if (folder === "/at/c0") return 2;
        return purposes(stage).includes("repair") ? 0 : 1;
      },
    });
    await stage.end();
    expect(purposes(stage)).toContain("repair");
    expect(stage.of("target:red")).toEqual([]);
  });
});

describe("A check that fails and then passes on the same files", () => {
  it("is reported as flaky, spends no try, and no agent repairs it", async () => {
    promise("bloom.flaky");
    const stage = openStage({
      tasks: `tasks:\n${task("T1")}`,
      once: true,
      exit: (_, folder, n) => (folder.startsWith("/worktrees/") && n === 1 ? 7 : 0),
    });
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(stage.of("check:flaky")).toEqual([
      expect.objectContaining({ taskId: "T1", command: "check", exit: 7 }),
    ]);
    expect(stage.of("check:failed")).toEqual([]);
    expect(stage.of("task:retried")).toEqual([]);
    expect(purposes(stage)).toEqual(["step"]);
    const { evidence } = JSON.parse(stage.read(".pawl/done/T1.json") ?? "{}");
    expect(evidence[0]).toMatchObject({ exit: 0, flaky: { exit: 7 } });
  });

  it("is repeated with no other check beside it", async () => {
    promise("bloom.flaky");
    let running = 0;
    const most: number[] = [];
    const stage = openStage({
      tasks: THREE,
      once: true,
      agents: 3,
      onCommand(isBegun, n) {
        running += isBegun ? 1 : -1;
        if (isBegun && n === 2) most.push(running);
      },
      exit: (_, folder, n) => (folder.startsWith("/worktrees/") && n === 1 ? 1 : 0),
    });
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3"] });
    expect(most).toEqual([1, 1, 1]);
  });

  it("runs again in a new folder at a merge, after what goes before it: the first run may have written what decides", async () => {
    promise("bloom.flaky");
    const ran: string[] = [];
    const stage: Stage = openStage({
      tasks: `tasks:\n${task("T1").replace("[check]", "[build, check]")}`,
      once: true,
      exit(command, folder, n) {
        if (!folder.startsWith("/at/")) return 0;
        ran.push(`${command} ${stage.git.renewed.length}`);
        return command === "check" && n === 1 ? 1 : 0;
      },
    });
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(ran).toEqual(["build 0", "check 0", "build 1", "check 1"]);
    expect(stage.of("check:flaky")).toHaveLength(1);
  });

  it("stands at a merge if what goes before it fails in the new folder", async () => {
    promise("bloom.flaky");
    const stage: Stage = openStage({
      tasks: `tasks:\n${task("T1").replace("[check]", "[build, check]")}`,
      once: true,
      exit(command, folder) {
        if (!folder.startsWith("/at/")) return 0;
        return (command === "build") === stage.git.renewed.length > 0 ? 1 : 0;
      },
    });
    expect(await stage.end()).toMatchObject({ done: [] });
    expect(stage.of("check:flaky")).toEqual([]);
    expect(stage.of("check:failed")[0]).toMatchObject({ command: "check", exit: 1 });
  });
});
