import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { openStage, type Stage } from "../../../../test/rig/schedule/stage.ts";
import { PawlError } from "../../../core/error.ts";

const HOUR = 3_600_000;

describe("A loop that is left alone", () => {
  it("looks twice a minute while there is nothing to do, and starts no agent", async () => {
    promise("bloom.idle");
    const stage = openStage({
      tasks:
        "tasks:\n- {id: T1, title: t, status: blocked}\n- {id: T2, title: u, depends_on: [T1], instructions: x}\n",
    });
    await stage.until(() => stage.told.some(({ type }) => type === "loop:stands"));
    const before = stage.looks();
    await stage.pass(HOUR);
    const perTurn = (stage.looks() - before) / 120;
    expect(perTurn).toBeGreaterThan(0);
    expect(perTurn).toBeLessThanOrEqual(3);
    expect(stage.runs).toEqual([]);
    expect(stage.told.filter(({ type }) => type === "loop:stands")).toHaveLength(1);
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

  it("waits where tasks.yaml cannot be read, says so once, changes nothing, and goes on when it can", async () => {
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
