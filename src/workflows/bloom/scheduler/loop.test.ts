import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { openStage, type Stage, type StageOptions } from "../../../../test/rig/schedule/stage.ts";
import { PawlError } from "../../../core/error.ts";
import type { Backlog, Driver } from "../../../core/ports/driver.ts";
import type { LoopEnd } from "../../../core/ports/loop-end.ts";

const HOUR = 3_600_000;

const NOTHING: LoopEnd = {
  ...{ done: [], cancelled: [], open: [], blocked: [], waiting: [], red: [], resting: [], byHand: [] },
};

/** A project without tasks, with a run of another workflow that is at work until `finish`. */
function besideAnother(more: Partial<StageOptions> = {}) {
  const run = Promise.withResolvers<void>();
  const said: string[] = [];
  let state: "open" | "at work" | "done" | "stopped" = "open";
  const backlog: Backlog = {
    ...{ outgrown: [], unwritable: new Map(), exclusive: [] },
    *candidates(isLeftAlone) {
      if (state !== "open" || isLeftAlone("own:R1")) return;
      yield {
        ...{ run: "own:R1", folder: "@own", isServedBy: () => true, wanted: () => null },
        ...{ lacksAgent: () => null, lacksTrust: async () => null },
        async work({ stop }) {
          state = "at work";
          stop.addEventListener("abort", () => {
            state = "stopped";
            run.resolve();
          });
          await run.promise;
          if (state === "at work") state = "done";
        },
      };
    },
    missingAgentError: () => new PawlError("agent-missing", "m", "f"),
    ...{ waiting: () => [], wakesIn: () => null, ask: () => null, end: () => NOTHING },
  };
  const driver: Driver = {
    ...{ owns: (id) => id.startsWith("own:"), start: async () => {}, isBusy: () => false },
    ...{ load: async () => backlog, reload: async () => backlog, ended: async () => {} },
    agentBegins: async () => void said.push("an agent of a task begins"),
    say: () => {},
  };
  const stage = openStage({ tasks: "", once: true, others: [() => driver], ...more });
  return { stage, said, state: () => state, finish: () => run.resolve() };
}

describe("A loop that is left alone", () => {
  it("looks twice a minute while there is nothing to do, and starts no agent", async () => {
    promise("bloom.idle");
    const stage = openStage({
      tasks:
        "tasks:\n- {id: T1, title: t, status: blocked}\n- {id: T2, title: u, depends_on: [T1], instructions: x}\n",
    });
    await stage.until(() => stage.told.some(({ type }) => type === "loop:progress"));
    const before = stage.looks();
    await stage.pass(HOUR);
    const perTurn = (stage.looks() - before) / 120;
    expect(perTurn).toBeGreaterThan(0);
    expect(perTurn).toBeLessThanOrEqual(3);
    expect(stage.runs).toEqual([]);
    expect(stage.told.filter(({ type }) => type === "loop:progress")).toHaveLength(1);
    expect(stage.ended()).toBeNull();
    stage.stop();
    await stage.until(() => stage.ended() !== null);
    expect(stage.ended()).toMatchObject({ blocked: ["T1"], open: ["T1", "T2"] });
  });

  it("spends no try on the git that its own stop has ended", async () => {
    let asked = 0;
    const stage: Stage = openStage({
      once: true,
      tasks: "tasks:\n- {id: T1, title: t, instructions: x, repo: ., merge_into: main}\n",
      fault(at) {
        if (at !== "worktree" || asked++ > 0) return undefined;
        stage.stop();
        return new PawlError("git-failed", "git fetch failed: found: signal SIGTERM", "Try again.");
      },
    });
    await stage.end();
    expect(stage.of("task:retried")).toEqual([]);
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(stage.of("task:retried")).toEqual([]);
  });

  it("waits if tasks.yaml cannot be read, says so once, changes nothing, and goes on when it can", async () => {
    promise("bloom.idle");
    const stage = openStage({
      tasks:
        "tasks:\n- {id: T1, title: t, instructions: x, repo: ., merge_into: main}\n- {id: T2, title: u, instructions: x, repo: ., merge_into: main, depends_on: [T1]}\n",
    });
    const started = () => stage.runs.map(({ run }) => run);
    await stage.until(() => stage.told.some(({ type }) => type === "agent:started"));
    const good = stage.read("tasks.yaml") ?? "";
    stage.save("tasks.yaml", "tasks: [\n");
    await stage.pass(300_000);
    expect(stage.told.filter(({ type }) => type === "loop:paused")).toMatchObject([
      { code: "tasks-invalid" },
    ]);
    expect([stage.ended(), stage.read("tasks.yaml"), started()]).toEqual([null, "tasks: [\n", ["T1.1"]]);
    stage.save("tasks.yaml", good);
    await stage.until(() => stage.read("tasks.yaml")?.match(/status: done/g)?.length === 2);
    expect(stage.told.filter(({ type }) => type === "loop:resumed")).toHaveLength(1);
    expect(started()).toEqual(["T1.1", "T2.1"]);
  });

  it.each(["tasks-invalid", "tasks-missing", "tasks-unwritable"] as const)(
    "waits until a person corrects the tasks file: %s",
    async (code) => {
      let asked = 0;
      const stage = openStage({
        once: true,
        tasks:
          "tasks:\n- {id: T1, title: t, instructions: x, repo: .}\n- {id: T2, title: u, instructions: x, repo: ., depends_on: [T1]}\n",
        fault: (at, what) =>
          at === "lease" && what === "T2" && asked++ === 0 ? new PawlError(code, "m", "f") : undefined,
      });
      expect(await stage.end()).toMatchObject({ done: ["T1", "T2"] });
      expect(stage.of("loop:paused")).toMatchObject([{ code }]);
    },
  );

  it("ends what a killed loop left running, also of a task that nobody works on any more, and begins its session anew", async () => {
    const tasks = ["T1", "T2"]
      .map((id) => `- id: ${id}\n  title: t\n  instructions: x\n  repo: .\n`)
      .join("");
    const { until, kill, runs, read, save, again, of } = openStage({
      tasks: `tasks:\n${tasks}`,
      once: true,
      async agent({ run, stopped }) {
        if (run.endsWith(".1")) await stopped;
        return undefined;
      },
    });
    await until(() => runs.length === 2);
    await until(() => JSON.parse(read(".pawl/runs/T2.json") ?? "{}").underway?.length === 1);
    kill();
    save("tasks.yaml", (read("tasks.yaml") ?? "").replace("status: in_progress", "status: blocked"));
    save(".pawl/runs/T3.json", "{ half");
    expect(await again()).toMatchObject({ done: ["T2"], blocked: ["T1"] });
    expect(of("agent:leftovers_ended").map(({ taskId, run, count }) => [taskId, run, count])).toEqual([
      ["T1", "T1.1", 1],
      ["T2", "T2.1", 1],
    ]);
    expect(runs.map(({ run, resumed }) => [run, resumed]).sort()).toEqual([
      ["T1.1", false],
      ["T2.1", false],
      ["T2.2", false],
    ]);
  });
});

describe("A loop for the runs of another workflow, in a project without tasks", () => {
  const T1 = "tasks:\n- {id: T1, title: t, instructions: x}\n";

  it("ends with them, and reads no tasks file that is not there", async () => {
    const { stage, finish, state } = besideAnother();
    await stage.until(() => state() === "at work");
    finish();
    expect(await stage.end()).toEqual(NOTHING);
    expect([state(), stage.told.filter(({ type }) => type !== "loop:progress")]).toEqual(["done", []]);
  });

  it("takes the tasks that appear while it works, and ends when they are done, too", async () => {
    const { stage, finish, said, state } = besideAnother();
    await stage.until(() => state() === "at work");
    stage.save("tasks.yaml", T1);
    await stage.until(() => stage.of("task:completed").length === 1);
    expect([state(), said]).toEqual(["at work", ["an agent of a task begins"]]);
    finish();
    expect(await stage.end()).toEqual({ ...NOTHING, done: ["T1"] });
    expect(stage.runs).toHaveLength(1);
  });

  it("stops the agent of such a task that a person takes back", async () => {
    const { stage, finish, state } = besideAnother({ agent: async ({ stopped }) => void (await stopped) });
    await stage.until(() => state() === "at work");
    stage.save("tasks.yaml", T1);
    await stage.until(() => stage.runs.length === 1);
    await stage.pass(60_000);
    stage.save("tasks.yaml", "tasks: []\n");
    await stage.until(() => stage.of("task:released").length === 1);
    finish();
    expect(await stage.end()).toEqual(NOTHING);
  });

  it("waits until a person corrects tasks that appeared and cannot be read", async () => {
    const { stage, finish, state } = besideAnother();
    await stage.until(() => state() === "at work");
    stage.save("tasks.yaml", "tasks: [\n");
    await stage.until(() => stage.of("loop:paused").length === 1);
    stage.save("tasks.yaml", T1);
    await stage.until(() => stage.of("task:completed").length === 1);
    finish();
    expect(await stage.end()).toEqual({ ...NOTHING, done: ["T1"] });
  });

  it("works on them to their end if no task that appeared has its agent, and then says so", async () => {
    const { stage, finish, state } = besideAnother({ missing: ["claude"] });
    await stage.until(() => state() === "at work");
    stage.save("tasks.yaml", T1);
    await stage.pass(HOUR);
    expect([state(), stage.told.filter(({ type }) => type !== "loop:progress")]).toEqual(["at work", []]);
    finish();
    await expect(stage.end()).rejects.toMatchObject({ code: "agent-missing" });
    expect(state()).toBe("done");
  });
});
