/** What keeps a worker among several machines from taking a task, or from going on with it. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { openStage, type Stage, type StageOptions } from "../../../../test/rig/schedule/stage.ts";
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { Cap, Held, Wanted } from "../../../core/ports/leases.ts";
import { openCaps } from "../../../scheduler/caps.ts";
import { wordsOfCap } from "../caps.ts";

const task = (id: string, more = "") => `- {id: ${id}, title: t, instructions: i${more}}\n`;
const inRepo = (id: string, repo: string, more = "") =>
  task(id, `, repo: ${repo}, branch: ${id}, base_branch: main${more}`);

function staged(tasks: readonly string[], shared: NonNullable<StageOptions["shared"]>, more = {}) {
  return openStage({ tasks: `tasks:\n${tasks.join("")}`, agents: 4, shared, ...more });
}

describe("A cap over all machines", () => {
  it("lets a task wait until another has ended, asks once per cap and round, and says why", async () => {
    promise("machines.caps");
    const asked: string[] = [];
    let isFull = true;
    const cap = (id: string, { repository }: Wanted): Cap | undefined => {
      asked.push(id);
      return isFull && repository === "api" ? "repository" : undefined;
    };
    const tasks = [...["A1", "A2", "A3"].map((id) => inRepo(id, "api")), inRepo("B1", "web")];
    const caps = { repositories: { api: 2 }, agents: {} };
    const stage = staged(tasks, { cap }, { settings: { caps } });
    await stage.until(() => stage.of("task:completed").length === 1);
    expect(stage.of("task:claimed").map(({ taskId }) => taskId)).toEqual(["B1"]);
    expect(stage.of("loop:capped")).toEqual([
      {
        type: "loop:capped",
        caps: ["2 tasks are at work in api, the most that `bloom.caps.repositories` allows"],
      },
    ]);
    expect(new Set(asked)).toEqual(new Set(["A1", "B1"]));
    await stage.pass(5000);
    const before = asked.length;
    await stage.pass(29_000);
    // Nothing has changed: no question but that of the slow look.
    expect(asked.length - before).toBeLessThanOrEqual(1);
    isFull = false;
    stage.save("tasks.yaml", stage.read("tasks.yaml") ?? "");
    await stage.until(() => stage.of("task:completed").length === 4);
    expect(stage.of("loop:capped").at(-1)).toMatchObject({ caps: [] });
  });

  it("ends a loop that runs once, and is no failure", async () => {
    promise("machines.caps");
    const stage = staged([task("T1")], { cap: () => "usd" }, { once: true });
    expect(await stage.end()).toMatchObject({ open: ["T1"], blocked: [] });
    expect(stage.runs).toEqual([]);
  });

  it("is asked for what the task counts for: its repository, its agent, and the dollars that are left of its budget", async () => {
    promise("machines.caps");
    const wanted = new Map<string, Wanted>();
    const cap = (id: string, asked: Wanted) => void wanted.set(id, asked);
    const caps = { repositories: { api: 2 }, agents: { codex: 1 }, usd_per_day: 50 };
    const tasks = [task("T1"), inRepo("T2", "./api", ", agent: codex, budget: {usd: 2}")];
    const stage = staged(
      tasks,
      { cap },
      { once: true, settings: { caps, budget: { usd: 5 }, agent: "claude" } },
    );
    await stage.until(() => wanted.size === 2);
    expect(wanted.get("T1")).toEqual({
      ...{ repository: null, agent: "claude", usd: 5, place: "here" },
      caps: { repository: null, agent: null, usd: 50 },
    });
    expect(wanted.get("T2")).toEqual({
      ...{ repository: "api", agent: "codex", usd: 2, place: "here" },
      caps: { repository: 2, agent: 1, usd: 50 },
    });
  });

  it("that pawl.yaml sets and nobody would hold is refused", async () => {
    promise("machines.caps");
    const caps = { repositories: {}, agents: { claude: 1 } };
    const stage = openStage({ tasks: `tasks:\n${task("T1")}`, settings: { caps } });
    await expect(stage.end()).rejects.toMatchObject({ code: "config-invalid" });
    expect(stage.runs).toEqual([]);
  });
});

describe("A cap that was reached", () => {
  const wants = (repository: string, agent: string, usd: number | null = null): Wanted => ({
    ...{ repository, agent, usd },
    caps: { repository: 1, agent: 2, usd: 50 },
  });
  function opened() {
    const told: BloomEvent[] = [];
    return { told, ...openCaps((event) => void told.push(event), wordsOfCap) };
  }

  it("on a repository holds back its tasks, whichever agent they have, and no others", () => {
    const { isReached, reach } = opened();
    reach("repository", wants("api", "claude", 1));
    expect(isReached(wants("api", "codex"))).toBe(true);
    expect(isReached(wants("web", "claude", 5))).toBe(false);
  });

  it("on an agent holds back its tasks in every repository, and no others", () => {
    const { isReached, reach } = opened();
    reach("agent", wants("api", "claude"));
    expect(isReached(wants("web", "claude"))).toBe(true);
    expect(isReached(wants("api", "codex"))).toBe(false);
  });

  it("on the day's dollars holds back what may spend as much as the cheapest that was refused", () => {
    const { begin, isReached, reach } = opened();
    reach("usd", wants("api", "claude", 5));
    reach("usd", wants("api", "claude", 8));
    expect([4, 5, 9, null].map((usd) => isReached(wants("web", "codex", usd)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    begin();
    expect(isReached(wants("api", "claude", 9))).toBe(false);
  });

  it("on dollars, of a task that names none, holds back whatever may spend some", () => {
    const { isReached, reach } = opened();
    reach("usd", wants("api", "claude"));
    expect(isReached(wants("web", "codex", 1))).toBe(true);
    expect(isReached(wants("web", "codex"))).toBe(false);
  });

  it("by a worker that drains holds back everything, and nothing is said of it", () => {
    const { isReached, reach, report: tell, told } = opened();
    reach("draining", wants("api", "claude"));
    tell();
    expect(isReached(wants("web", "codex"))).toBe(true);
    expect(told).toEqual([]);
  });

  it("is reported in words, once, in the same order whichever was reached first", () => {
    const { begin, reach, report: tell, told } = opened();
    for (const caps of [["repository", "agent", "usd"] as const, ["usd", "agent", "repository"] as const]) {
      begin();
      for (const cap of caps) reach(cap, wants("api", "claude", 1));
      tell();
    }
    expect(told).toEqual([
      {
        type: "loop:capped",
        caps: [
          "1 task is at work in api, the most that `bloom.caps.repositories` allows",
          "2 tasks are at work with claude, the most that `bloom.caps.agents` allows",
          "the day's 50 USD (`bloom.caps.usd_per_day`, in UTC) are spent, or held for tasks at work",
        ],
      },
    ]);
  });
});

describe("An agent that is missing on one of several machines", () => {
  it("leaves its tasks to the others, which is no failure", async () => {
    promise("machines.workers");
    const tasks = [inRepo("T1", ".", ", agent: codex"), inRepo("T2", ".")];
    const stage = staged(tasks, {}, { once: true, missing: ["codex"] });
    expect(await stage.end()).toMatchObject({ done: ["T2"], open: ["T1"] });
    expect(stage.of("task:failed")).toEqual([]);
    expect(stage.of("loop:capped")[0]).toMatchObject({ caps: ["codex is not installed on this machine"] });
  });
});

describe("A worker whose machine lacks the agent of every task", () => {
  it("waits with a word, and takes them once the agent is there", async () => {
    promise("machines.lacks");
    const missing = ["codex"];
    const stage = staged([inRepo("T1", ".", ", agent: codex")], {}, { missing });
    await stage.until(() => stage.of("loop:capped").length > 0);
    expect(stage.of("loop:capped")[0]).toMatchObject({ caps: ["codex is not installed on this machine"] });
    await stage.pass(60_000);
    expect(stage.of("task:claimed")).toEqual([]);
    missing.length = 0;
    await stage.until(() => stage.of("task:completed").length === 1);
  });
});

describe("What another machine holds", () => {
  it("is not asked for before its lease runs out, and then at once", async () => {
    promise("machines.waits");
    const asked: number[] = [];
    let until = 12_000;
    const stage = staged([task("T1")], {
      cap: () => void asked.push(stage.elapsed()),
      held: () => (stage.elapsed() < until ? [{ what: "T1", left: until - stage.elapsed() }] : []),
    });
    await stage.pass(11_000);
    expect(asked).toEqual([]);
    until = 20_000;
    await stage.until(() => stage.runs.length === 1);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toBeGreaterThanOrEqual(20_000);
    expect(asked[0]).toBeLessThan(21_000);
  });
});

describe("A folder that another machine holds", () => {
  it("lets its task wait until both leases have run out, wherever in the project the path begins", async () => {
    const [ofTask, ofFolder] = [5_000, 12_000];
    const left = (what: string, until: number) =>
      stage.elapsed() < until ? [{ what, left: until - stage.elapsed() }] : [];
    const stage: Stage = staged([inRepo("T1", "./api"), inRepo("T2", "web")], {
      held: () => [...left("T1", ofTask), ...left("@api:T1", ofFolder)],
    });
    await stage.until(() => stage.runs.length === 2);
    expect(stage.runs.map(({ task: id }) => id)).toEqual(["T2", "T1"]);
    expect(stage.elapsed()).toBeGreaterThanOrEqual(ofFolder);
    expect(stage.elapsed()).toBeLessThan(ofFolder + 1_500);
  });
});

describe("What a dead worker left", () => {
  const preferred = (labels: readonly string[], until: number, elapsed: () => number): Held[] =>
    elapsed() < until ? [{ what: "T1", left: 2500, preferred: labels }] : [];

  it("is left to one in the same place for as long as that is preferred, and taken then", async () => {
    promise("machines.comes-back");
    const asked: (string | undefined)[] = [];
    const stage = staged([inRepo("T1", "api")], {
      cap: (_, { place }) => void asked.push(place),
      held: () => preferred(["repo:api"], 60_000, stage.elapsed),
    });
    await stage.pass(59_000);
    expect(asked).toEqual([]);
    await stage.until(() => stage.runs.length === 1);
    expect(asked).toEqual(["here"]);
    expect(stage.elapsed()).toBeLessThan(64_000);
  });

  it("is not left to one that does not serve it", async () => {
    promise("machines.comes-back");
    const stage = staged([inRepo("T1", "api")], {
      held: () => preferred(["repo:web"], 60_000, stage.elapsed),
    });
    await stage.until(() => stage.runs.length === 1);
    expect(stage.elapsed()).toBeLessThan(2000);
  });
});

describe("A worker that drains", () => {
  it("takes nothing more, brings what it has to its end, and ends by itself", async () => {
    promise("machines.workers");
    const stage = staged(
      [inRepo("T1", ".", ", merge_into: main"), inRepo("T2", "."), inRepo("T3", ".")],
      {},
      { agents: 1 },
    );
    await stage.until(() => stage.runs.length === 1);
    stage.drain();
    expect(await stage.end()).toMatchObject({ done: ["T1"], open: ["T2", "T3"] });
    expect(stage.of("merge:completed")).toHaveLength(1);
  });

  it("does not wait for what cannot be read, once nothing is at work", async () => {
    promise("machines.workers");
    const stage = staged([task("T1", ", status: blocked")], {});
    await stage.pass(10_000);
    stage.save("tasks.yaml", "tasks: {");
    await stage.until(() => stage.of("loop:paused").length > 0);
    await stage.pass(10_000);
    stage.drain();
    await expect(stage.end()).rejects.toMatchObject({ code: "tasks-invalid" });
  });

  it("ends at once if it is idle", async () => {
    promise("machines.workers");
    const stage = staged([task("T1", ", status: blocked")], {});
    await stage.pass(10_000);
    expect(stage.ended()).toBeNull();
    stage.drain();
    await stage.end();
  });
});

describe("A task whose lease cannot be renewed", () => {
  it("has its agent ended at once, and its worker goes on with it later, in the same session", async () => {
    promise("machines.loses-touch");
    const stage = staged(
      [task("T1"), inRepo("T2", ".")],
      {},
      {
        async agent({ run, stopped, works }: Parameters<NonNullable<StageOptions["agent"]>>[0]) {
          if (run === "T1.1") await stopped;
          // Longer than by what the simulated machine lets a timer come first.
          else await works(5000);
          return undefined;
        },
      },
    );
    await stage.until(() => stage.runs.length === 2);
    const before = stage.elapsed();
    stage.loseLease("T1");
    await stage.until(() => stage.of("agent:ended").length > 0);
    expect(stage.of("agent:ended")[0]).toMatchObject({ taskId: "T1", reason: "stopped" });
    expect(stage.elapsed() - before).toBeLessThan(100);
    expect(stage.of("task:lease_lost")).toMatchObject([{ taskId: "T1" }]);
    await stage.until(() => stage.of("task:completed").length === 2);
    expect(stage.of("task:failed")).toEqual([]);
    expect(stage.runs.filter((run) => run.task === "T1")[1]?.resumed).toBe(true);
  });
});
