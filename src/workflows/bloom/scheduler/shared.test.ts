/** Tasks that other machines may take over: what is recorded is never more than what the remote has. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { openStage, type Stage, type StageOptions } from "../../../../test/rig/schedule/stage.ts";
import { PawlError } from "../../../core/error.ts";
import type { Saved } from "../../../core/ports/worktrees.ts";
import { lastLineOf } from "../../../core/text/lines.ts";
import { logPath } from "../../../runtime/run-log/step.ts";

const TASKS = `tasks:
- id: T1
  title: Build
  repo: .
  merge_into: main
  steps:
  - {id: s1, instruction: first}
  - {id: s2, instruction: second}
`;
const done = (id: string) => ({ call: { verb: "step done", input: { id } }, own: true });
const MARKS = { "T1.1": [done("s1")], "T1.2": [done("s2")] };
const AWAY: Saved = { kind: "unreachable", reason: "no route" };

function staged(shared: NonNullable<StageOptions["shared"]>, more: Partial<StageOptions> = {}): Stage {
  return openStage({ tasks: TASKS, once: true, deferred: MARKS, shared, ...more });
}

const steps = (stage: Stage) => stage.tasks()[0]?.steps.map(({ status }) => status);

describe("A step of a task that other machines may take over", () => {
  it("is recorded as done once the remote has its work, however long that takes, and no agent works twice", async () => {
    promise("machines.saved");
    const seen: unknown[] = [];
    const stage: Stage = staged({
      save() {
        seen.push(steps(stage)?.filter((status) => status === "done").length);
        return seen.length <= 6 ? AWAY : undefined;
      },
    });
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(seen.slice(0, 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect(stage.of("git:save_failed")).toMatchObject([{ taskId: "T1", reason: "no route" }]);
    expect(stage.elapsed()).toBeGreaterThan(60_000);
    expect(stage.runs).toHaveLength(2);
  });

  it("is shown as completed once, as soon as it is recorded", async () => {
    promise("agents.sandbox");
    const stage = staged({});
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(stage.of("step:completed").map(({ stepId }) => stepId)).toEqual(["s1", "s2"]);
    const types = stage.told.map(({ type }) => type);
    expect(types.indexOf("step:completed")).toBeLessThan(types.lastIndexOf("agent:started"));
  });

  it("is not recorded if the remote refuses its work: the task is blocked, with the reason", async () => {
    promise("machines.saved");
    const stage = staged({ save: () => ({ kind: "rejected", reason: "a file is too large" }) });
    expect(await stage.end()).toMatchObject({ blocked: ["T1"] });
    expect(steps(stage)).toEqual(["in_progress", undefined]);
    expect(stage.of("task:blocked")).toMatchObject([
      { reason: expect.stringContaining("the remote does not have its work: a file is too large") },
    ]);
  });

  it("is recorded by whoever goes on, if its worker had to end before the remote had its work", async () => {
    promise("machines.saved");
    const hurries: boolean[] = [];
    let isAway = true;
    const stage: Stage = staged({
      save(_, { hurried }) {
        hurries.push(hurried);
        return isAway ? AWAY : undefined;
      },
    });
    await stage.until(() => stage.of("git:save_failed").length > 0);
    stage.stop();
    await stage.end();
    expect(steps(stage)?.[0]).toBe("in_progress");
    expect(hurries).toEqual([false, true]);
    isAway = false;
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(stage.runs).toHaveLength(2);
  });

  it("is recorded after a crash only when what was left is on the remote", async () => {
    promise("machines.saved");
    const seen: unknown[] = [];
    const stage: Stage = staged({
      save() {
        seen.push(steps(stage)?.[0]);
        return seen.length === 1 ? AWAY : undefined;
      },
    });
    await stage.until(() => stage.runs.length === 1);
    stage.kill();
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(seen.slice(0, 2)).toEqual(["in_progress", "in_progress"]);
    expect(stage.runs).toHaveLength(2);
  });

  it("is not recorded after a crash if the remote refuses what was left", async () => {
    const stage = staged({ save: () => ({ kind: "rejected", reason: "a file is too large" }) });
    await stage.until(() => stage.runs.length === 1);
    stage.kill();
    expect(await stage.again()).toMatchObject({ blocked: ["T1"] });
    expect(steps(stage)).toEqual(["in_progress", undefined]);
    expect(stage.of("task:blocked")).toMatchObject([
      { reason: expect.stringContaining("the remote does not have its work: a file is too large") },
    ]);
  });

  it("is recorded by the third worker, if the second had to stop before the remote had what the first left", async () => {
    let isAway = true;
    const stage: Stage = staged({
      save() {
        if (!isAway) return undefined;
        stage.stop();
        return AWAY;
      },
    });
    await stage.until(() => stage.runs.length === 1);
    stage.kill();
    await stage.again();
    expect(steps(stage)).toEqual(["in_progress", undefined]);
    expect(stage.state("T1")).toBe("working");
    isAway = false;
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(stage.runs).toHaveLength(2);
  });
});

describe("A task that another machine has taken over", () => {
  it("is left alone, and is no failure of the loop", async () => {
    promise("machines.lost");
    const lost = new PawlError("lease-lost", "Nothing was pushed: two has taken over T1.", "Let it end.");
    let times = 0;
    const stage = staged({
      save() {
        times += 1;
        if (times === 1) throw lost;
        return undefined;
      },
    });
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(stage.of("task:overtaken")).toMatchObject([{ taskId: "T1", reason: lost.message }]);
    expect(stage.of("task:failed")).toEqual([]);
  });

  it("gets no commit any more: each names the lease of its own task", async () => {
    promise("machines.shared");
    const lost = new PawlError("lease-lost", "Nothing was committed: another has T1.", "Let it end.");
    for (const from of [2, 3, 4]) {
      const leases: string[] = [];
      const stage = staged({
        late(lease) {
          leases.push(lease);
          return leases.length === from ? lost : undefined;
        },
      });
      expect(await stage.end()).toMatchObject({ done: ["T1"] });
      expect(stage.of("task:overtaken")).toMatchObject([{ taskId: "T1", reason: lost.message }]);
      expect(stage.of("task:failed")).toEqual([]);
      expect(new Set(leases)).toEqual(new Set(["T1"]));
    }
  });
});

describe("A worker that begins among several machines", () => {
  it("ends what a dead one left here, and takes no lease for it: whoever takes the task knows that its worker died", async () => {
    promise("machines.comes-back");
    const leases: string[] = [];
    const stage = staged(
      { held: () => [] },
      {
        fault: (at, what) => void (at === "lease" && leases.push(what)),
        async agent({ run, stopped }) {
          if (run === "T1.1") await stopped;
          return undefined;
        },
      },
    );
    await stage.until(() => JSON.parse(stage.read(".pawl/runs/T1.json") ?? "{}").underway?.length === 1);
    await stage.until(() => stage.runs.length === 1);
    stage.kill();
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(stage.of("agent:leftovers_ended")).toMatchObject([{ taskId: "T1", run: "T1.1" }]);
    expect(stage.of("task:claimed").map(({ takenOver }) => takenOver)).toEqual([false, true]);
    expect(leases.filter((what) => what === "T1")).toHaveLength(2);
  });
});

describe("A session", () => {
  it("that is on another machine is not resumed: a new one gets what was done", async () => {
    promise("machines.taken-over");
    let host = "one";
    const stage = staged(
      { host: () => host, done: { commits: ["Add the reader"], uncommitted: ["draft.txt"] } },
      {
        deferred: { "T1.1": [done("s1")], "T1.3": [done("s2")] },
        async agent({ run, works }) {
          if (run === "T1.2") await works(10_000);
          return undefined;
        },
      },
    );
    await stage.until(() => stage.runs.length === 2);
    stage.stop();
    await stage.end();
    host = "two";
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(stage.of("session:lost")).toMatchObject([{ reason: "it is on one" }]);
    const { prompt, resumed } = stage.runs.at(-1) ?? {};
    expect(resumed).toBe(false);
    expect(prompt).toContain("- Add the reader");
    expect(prompt).toContain("- draft.txt");
    expect(prompt).toContain("- s1: first");
    expect(stage.runs[0]?.prompt).not.toContain("Done before");
  });
});

describe("A merge into a target of several machines", () => {
  it("waits for its turn again if another machine took the target over, and is no failure", async () => {
    promise("machines.merge");
    let times = 0;
    const stage = staged({
      overtaken() {
        times += 1;
        return times <= 4;
      },
    });
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(stage.of("merge:waiting")).toHaveLength(4);
    expect(stage.of("merge:failed")).toEqual([]);
  });
});

describe("A machine that lacks what each task needs", () => {
  it("blocks no task that others can do: it says what is missing, and leaves it as it is", async () => {
    promise("team.walled");
    const missing = new PawlError("git-identity-missing", "git does not know who commits", "Say who.");
    const stage = staged({ missing: () => missing });
    await expect(stage.end()).rejects.toMatchObject({ code: "git-identity-missing" });
    expect(stage.tasks()[0]?.status).not.toBe("blocked");
    expect(stage.of("task:blocked")).toEqual([]);
    expect(stage.of("task:failed")).toMatchObject([{ taskId: "T1", code: "git-identity-missing" }]);
  });
});

describe("What a dead worker left of its agents", () => {
  const lease = (what: string, preferred?: readonly string[]) => ({
    ...{ what, left: 3_600_000 },
    ...(preferred && { preferred }),
  });

  it.each([
    ["stays while another worker holds the task", [lease("T1")], 0],
    ["is ended while nobody holds the task", [], 1],
    ["is ended while somebody holds another task", [lease("T2")], 1],
    ["is ended where the task is only kept for whoever works in its place", [lease("T1", [])], 1],
  ])("%s", async (_, leases, ended) => {
    let isDead = false;
    const stage: Stage = staged(
      { held: () => (isDead ? leases : []) },
      {
        async agent({ run, stopped }) {
          if (run === "T1.1") await stopped;
          return undefined;
        },
      },
    );
    await stage.until(() => JSON.parse(stage.read(".pawl/runs/T1.json") ?? "{}").underway?.length === 1);
    await stage.until(() => stage.runs.length === 1);
    stage.kill();
    isDead = true;
    const over = stage.again().catch(() => null);
    await stage.pass(1000);
    expect(stage.of("agent:leftovers_ended")).toHaveLength(ended);
    stage.stop();
    await over;
  });
});

describe("A machine whose Pawl is older than another's", () => {
  const OTHER = `${TASKS}- {id: T2, title: Other, repo: ., merge_into: main}\n`;
  /** T1 was begun, and then moved on by another table. */
  async function movedOn(shared: StageOptions["shared"]) {
    const stage: Stage = openStage({
      ...{ tasks: OTHER, once: true, deferred: MARKS },
      ...(shared && { shared }),
      async agent({ run, stopped }) {
        if (run === "T1.1") await stopped;
        return undefined;
      },
    });
    await stage.until(() => JSON.parse(stage.read(".pawl/runs/T1.json") ?? "{}").underway?.length === 1);
    stage.kill();
    const log = stage.read(logPath("bloom:T1")) ?? "";
    const { step: _, ...last } = JSON.parse(lastLineOf(log) ?? "");
    last.local.checkpoint.table = "f".repeat(64);
    stage.save(logPath("bloom:T1"), `${log}${JSON.stringify({ ...last, step: null })}\n`);
    return stage;
  }

  it("takes nothing more once the other has moved a task on, and says so once", async () => {
    promise("database.tables");
    const stage = await movedOn({});
    const before = stage.runs.length;
    expect(await stage.again()).toMatchObject({ done: [], open: ["T1", "T2"], blocked: [] });
    expect(stage.of("loop:outgrown")).toMatchObject([{ tasks: ["T1"] }]);
    expect(stage.runs).toHaveLength(before);
    expect(stage.tasks().map(({ status }) => status)).not.toContain("ready_for_agent");
  });

  it("is the only one there is if work is kept in files: it goes on", async () => {
    const stage = await movedOn(undefined);
    expect(await stage.again()).toMatchObject({ done: ["T1", "T2"] });
    expect(stage.of("loop:outgrown")).toEqual([]);
  });
});

describe("A database that goes away", () => {
  const away = new PawlError("database-failed", "It cannot be reached.", "Make sure that it runs.");
  const two = `${TASKS}- {id: T2, title: Other, repo: ., merge_into: main}\n`;
  const awayOnce = (lease: string) => {
    let times = 0;
    return (at: string, what: string) =>
      at === "lease" && what === lease && ++times === 1 ? away : undefined;
  };

  it("while the loop begins its first tasks ends neither it nor what has begun", async () => {
    const stage = staged({}, { tasks: two, agents: 2, fault: awayOnce("T2") });
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2"] });
    expect(stage.of("loop:paused")).toMatchObject([{ code: "database-failed" }]);
    expect(stage.of("task:failed")).toEqual([]);
  });

  it("while a result is to be recorded loses nothing of it: it is tried again, and told when that went well", async () => {
    let times = 0;
    const stage = staged({ late: () => (++times > 3 && times < 7 ? away : undefined) });
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(stage.of("loop:paused")).toMatchObject([{ code: "database-failed" }]);
    expect(stage.of("loop:resumed")).toHaveLength(1);
    expect(stage.runs).toHaveLength(2);
    expect(stage.of("task:claimed")).toHaveLength(1);
  });

  it("before anything has begun ends the loop: whoever started it is there to hear of it", async () => {
    await expect(staged({}, { fault: awayOnce("T1") }).end()).rejects.toBe(away);
  });
});
