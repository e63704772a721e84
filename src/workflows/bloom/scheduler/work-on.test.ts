/** One task from its claim to where it rests: what is told of it, and what an owner that died has left. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { memoryForge } from "../../../../test/rig/schedule/memory-forge.ts";
import {
  openStage,
  type Stage,
  type StageOptions,
  type StageRun,
} from "../../../../test/rig/schedule/stage.ts";
import type { Policy } from "../../../core/policy.ts";
import { reset } from "../verbs/person.ts";

const ONE = "tasks:\n- {id: T1, title: t, instructions: i, repo: .}\n";

const staged = (more: Partial<StageOptions> = {}) => openStage({ tasks: ONE, once: true, ...more });

async function firstHangs({ run, stopped }: StageRun) {
  if (run === "T1.1") await stopped;
  return undefined;
}

/** A loop that was killed while its agent worked, and the next one to its end. */
async function killed(more: Partial<StageOptions> = {}, meanwhile: (stage: Stage) => void = () => {}) {
  const stage = staged({ agent: firstHangs, ...more });
  await stage.until(() => stage.runs.length === 1);
  stage.kill();
  meanwhile(stage);
  const before = stage.told.length;
  const end = await stage.again();
  const after = stage.told.slice(before);
  const of = (type: string) => after.filter((event) => event.type === type);
  return { ...stage, end, after, of };
}

describe("A claimed task", () => {
  it("is reported as claimed and as released once each, however many steps it takes", async () => {
    const { end, of, told } = staged({
      tasks:
        "tasks:\n- {id: T1, title: t, repo: ., merge_into: main, verify: [check], steps: [{id: s1, instruction: x}, {id: s2, instruction: y}]}\n",
    });
    await end();
    expect(of("task:claimed")).toEqual([
      expect.objectContaining({ type: "task:claimed", taskId: "T1", worker: "loop", takenOver: false }),
    ]);
    expect(of("task:released")).toEqual([{ type: "task:released", taskId: "T1", worker: "loop" }]);
    expect(told.map(({ type }) => type).indexOf("task:claimed")).toBeLessThan(
      told.map(({ type }) => type).indexOf("agent:started"),
    );
    expect(of("run:advanced").map(({ by }) => by)).toEqual(
      of("run:advanced").map(() => ({ channel: "library", who: "loop" })),
    );
  });

  it("has an end for the run of a killed loop, at its last sign of life, with what it is known to have spent", async () => {
    promise("agents.lost-run");
    const { end, of, stored } = await killed({
      spent: { "T1.1": 3 },
      lastSigns: { "T1.1": new Date(Date.parse("2026-01-01T00:00:00.000Z") + 90_000).toISOString() },
      settings: { backoff: { first: 0, limit: 0 } },
    });
    expect(end).toMatchObject({ done: ["T1"] });
    const [lost] = of("agent:ended") as readonly Record<string, unknown>[];
    expect(lost).toMatchObject({ run: "T1.1", outcome: "failed", reason: "lost", turns: 3 });
    const types = stored.map(({ type }) => type);
    expect(types.filter((type) => type === "agent:started")).toHaveLength(2);
    expect(types.filter((type) => type === "agent:ended")).toHaveLength(2);
  });

  it.each([
    ["before it began", -60_000, 0],
    ["after now", 3_600_000_000, null],
  ])(
    "has such an end for a last sign of life %s, no earlier than its beginning and no later than now",
    async (_, after, duration) => {
      const { end, of, runs } = await killed({
        lastSigns: { "T1.1": new Date(Date.parse("2026-01-01T00:00:00.000Z") + after).toISOString() },
      });
      expect(end).toMatchObject({ done: ["T1"] });
      const [lost] = of("agent:ended") as readonly { readonly duration: number }[];
      if (duration !== null) expect(lost?.duration).toBe(duration);
      expect(lost?.duration).toBeGreaterThanOrEqual(0);
      expect(lost?.duration).toBeLessThan(60_000);
      expect(runs).toHaveLength(2);
    },
  );

  it.each([
    ["one machine", {}, undefined],
    ["one of several machines", { shared: {} }, "here"],
  ])(
    "resumes the session that is found in the output of a killed loop's agent, on %s",
    async (_, more, host) => {
      const resumes: unknown[] = [];
      const stage: Stage = staged({
        ...more,
        sessions: { "T1.1": { id: "found", folder: "/worktrees/bloom/T1" } },
        async agent({ run, resumed, stopped }) {
          if (run === "T1.1") await stopped;
          const { session } = JSON.parse(stage.read(".pawl/runs/T1.json") ?? "{}");
          resumes.push([run, resumed, session, stage.tasks()[0]?.session_provider]);
          return undefined;
        },
      });
      await stage.until(() => stage.runs.length === 1);
      stage.kill();
      expect(await stage.again()).toMatchObject({ done: ["T1"] });
      expect(stage.of("session:lost")).toEqual([]);
      const session = { id: "found", folder: "/worktrees/bloom/T1", agent: "claude", ...(host && { host }) };
      expect(resumes.at(-1)).toEqual(["T1.2", true, session, "claude"]);
    },
  );

  it.each(["stopped", "signalled"] as const)(
    "spends no try if a stop ends its agent, or its supervisor a moment before: %s",
    async (stoppedAs) => {
      promise("agents.lost-run");
      const { again, end, of, stop, until } = staged({ agent: firstHangs, stoppedAs });
      await until(() => of("agent:started").length === 1);
      stop();
      await end();
      expect(of("task:retried")).toEqual([]);
      expect(await again()).toMatchObject({ done: ["T1"] });
      expect(of("task:retried")).toEqual([]);
    },
  );

  it("is told as taken over if its owner died, with its session lost and its agent ended", async () => {
    const { end, of, runs } = await killed();
    expect(end).toMatchObject({ done: ["T1"] });
    expect(of("task:claimed")).toEqual([expect.objectContaining({ worker: "loop 2" })]);
    expect(of("agent:leftovers_ended")).toEqual([
      { type: "agent:leftovers_ended", taskId: "T1", run: "T1.1", count: 1 },
    ]);
    expect(runs.map(({ run, resumed }) => [run, resumed])).toEqual([
      ["T1.1", false],
      ["T1.2", false],
    ]);
  });

  it("resumes the session of an owner that died while others worked, and ends its agent", async () => {
    let looks = 0;
    const { again, kill, of, runs, until } = staged({
      tasks:
        "tasks:\n- {id: T1, title: t, repo: ., steps: [{id: s1, instruction: x}, {id: s2, instruction: y}]}\n",
      deferred: { "T1.1": [{ call: { verb: "step done", input: { id: "s1" } }, own: true }] },
      // Its lease has not run out yet when the other one begins.
      shared: { held: () => (looks++ < 4 ? [{ what: "T1", left: 1000 }] : []) },
      async agent({ run, stopped }) {
        if (run === "T1.2") await stopped;
        return undefined;
      },
    });
    await until(() => runs.length === 2);
    looks = 0;
    kill();
    expect(await again()).toMatchObject({ done: ["T1"] });
    expect(of("task:claimed").map(({ takenOver }) => takenOver)).toEqual([false, true]);
    expect(of("agent:leftovers_ended")).toMatchObject([{ taskId: "T1", run: "T1.2", count: 1 }]);
    expect(of("session:lost")).toEqual([]);
    expect(runs.map(({ run, resumed }) => [run, resumed])).toEqual([
      ["T1.1", false],
      ["T1.2", true],
      ["T1.3", true],
    ]);
  });

  it("is still claimed when a person resets it: its worker begins anew, and releases it once", async () => {
    const { end, of, person, runs, until } = staged({ agent: firstHangs });
    await until(() => runs.length === 1);
    await person(reset, { id: "T1" });
    expect(await end()).toMatchObject({ done: ["T1"] });
    expect(runs.map(({ run, resumed }) => [run, resumed])).toEqual([
      ["T1.1", false],
      ["T1.2", false],
    ]);
    expect(of("task:claimed")).toHaveLength(1);
    expect(of("task:released")).toHaveLength(1);
  });

  it("does not begin if its worker is stopped in the moment in which it has the lease", async () => {
    const stage = staged({ fault: (at, what) => void (at === "lease" && what !== "T1" && stage.stop()) });
    await stage.end();
    expect(stage.of("task:claimed")).toEqual([]);
    expect(stage.runs).toEqual([]);
    expect(stage.state("T1")).toBeUndefined();
    expect(await stage.again()).toMatchObject({ open: ["T1"] });
  });

  it("that a person removes from the file while its agent works is no failure", async () => {
    const { end, of, runs, save } = staged({
      agent: async () => void save("tasks.yaml", "tasks:\n- {id: T2, title: u, status: done}\n"),
    });
    expect(await end()).toMatchObject({ done: ["T2"], open: [] });
    expect(runs).toHaveLength(1);
    expect(of("task:failed")).toEqual([]);
    expect(of("task:released")).toHaveLength(1);
  });

  it("is not told as claimed for a look at its pull request that finds it open", async () => {
    const forge = memoryForge();
    const { end, again, told, of } = staged({
      forge,
      tasks:
        "git: {push_to_remote: true}\ntasks:\n- {id: T1, title: t, repo: ., base_branch: main, open_pr: true, instructions: i}\n",
    });
    await end();
    const before = told.length;
    await again();
    expect(forge.looks()).toBe(2);
    expect(told.slice(before).map(({ type }) => type)).toEqual(["git:pr_watched", "loop:progress"]);
    const [pull] = forge.pulls;
    if (pull) pull.kind = "merged";
    await again();
    expect(of("task:claimed")).toHaveLength(2);
    expect(of("task:released")).toHaveLength(2);
  });

  it("counts what a run had spent whose owner died", async () => {
    const { end, of, read, runs } = await killed({
      tasks: "tasks:\n- {id: T1, title: t, budget: {turns: 3}, steps: [{id: s1, instruction: x}]}\n",
      spent: { "T1.1": 3 },
    });
    expect(end).toMatchObject({ blocked: ["T1"] });
    expect(JSON.parse(read(".pawl/runs/T1.json") ?? "{}").costs).toMatchObject([
      { step: "s1", purpose: "step", runs: 1 },
    ]);
    expect(of("budget:exhausted")).toEqual([
      expect.objectContaining({ limit: "turns", spent: expect.objectContaining({ turns: 3 }) }),
    ]);
    expect(runs).toHaveLength(1);
  });
});

describe("A call that an agent deferred", () => {
  const note = (text: string) => ({ verb: "note", input: { id: "T1", text } });
  const warned = async (stage: ReturnType<typeof staged>) => {
    await stage.end();
    return stage.of("agent:warned").map(({ text, run, taskId }) => [taskId, run, text]);
  };

  it("is made in its task's name when its run has ended", async () => {
    const stage = staged({ deferred: { "T1.1": [{ call: note("Mind the port"), own: true }] } });
    expect(await warned(stage)).toEqual([]);
    expect(stage.tasks()[0]?.ai_notes).toEqual(["Mind the port"]);
    expect(stage.stored.filter(({ type }) => type === "task:noted")).toHaveLength(1);
  });

  it("is made by the next owner, too, if the run's own died", async () => {
    const { tasks } = await killed({ deferred: { "T1.1": [{ call: note("Before the crash"), own: true }] } });
    expect(tasks()[0]?.ai_notes).toEqual(["Before the crash"]);
  });

  it.each([
    ["lacks its run's capability", note("Not mine"), false, /^ignored a call of note in its outbox/],
    ["is not an agent's to make", { verb: "reset", input: { id: "T1" } }, true, /^ignored its call of reset/],
    [
      "speaks for another task",
      { verb: "note", input: { id: "T2", text: "Let me" } },
      true,
      /^note was not done: This is T1's agent \(run T1\.1\), and `note` would speak for T2/,
    ],
    ["has a name without end", { verb: "x".repeat(1000), input: {} }, true, /^ignored its call of x{80}:/],
    [
      "is refused",
      { verb: "note", input: { id: "T1", text: " " } },
      true,
      /^note was not done: The note is empty/,
    ],
  ])("is told and passed over if it %s", async (_, call, own, says) => {
    const stage = staged({
      deferred: {
        "T1.1": [
          { call, own },
          { call: note("After it"), own: true },
        ],
      },
    });
    expect(await warned(stage)).toEqual([["T1", "T1.1", expect.stringMatching(says)]]);
    expect(stage.ended()).toMatchObject({ done: ["T1"] });
    expect(stage.tasks()[0]?.ai_notes).toEqual(["After it"]);
  });
});

describe("What governs a task", () => {
  function keeping() {
    const kept = new Map<string, Policy>();
    const policies = {
      find: async (run: string) => kept.get(run) ?? null,
      keep: async (run: string, policy: Policy) => void kept.set(run, policy),
      earlier: async () => [],
      acceptEarlier: async () => {},
      forget: async (run: string) => void kept.delete(run),
      list: async () => [...kept.keys()],
    };
    return { kept, policies };
  }
  const BUDGET = "tasks:\n- {id: T1, title: t, instructions: i, budget: {turns: 3}}\n";

  it("is what it was when it began, also for the next worker: what its agent loosens is told and does not count", async () => {
    const { kept, policies } = keeping();
    const { end, of } = await killed({ tasks: BUDGET, spent: { "T1.1": 3 }, policies }, (stage) =>
      stage.save("tasks.yaml", (stage.read("tasks.yaml") ?? "").replace("turns: 3", "turns: 300")),
    );
    expect(end).toMatchObject({ blocked: ["T1"] });
    expect(of("policy:changed")).toMatchObject([
      { run: "bloom:T1", ignored: [{ path: "task.budget.turns" }] },
    ]);
    expect([...kept.keys()]).toEqual(["bloom:T1"]);
  });

  it("is forgotten once the task is done", async () => {
    const { kept, policies } = keeping();
    const { end, runs, until } = staged({ tasks: BUDGET, policies });
    await until(() => runs.length === 1);
    expect([...kept.keys()]).toEqual(["bloom:T1"]);
    expect(await end()).toMatchObject({ done: ["T1"] });
    expect([...kept.keys()]).toEqual([]);
  });
});

describe("A task that needs a slot again", () => {
  it("waits for one, and is left as it is by a stop", async () => {
    const { again, end, git, of, runs, state, stop, until } = staged({
      tasks: `tasks:\n${["T1", "T2"].map((id) => `- {id: ${id}, title: t, instructions: i, repo: ., merge_into: main}\n`).join("")}`,
      agents: 1,
      async agent({ run, stopped, works }) {
        if (run === "T1.1") git.conflicting.add("bloom/T1");
        if (run === "T1.2") git.conflicting.delete("bloom/T1");
        await works(1000);
        if (run === "T2.1") await stopped;
        return undefined;
      },
    });
    await until(() => of("merge:conflicted").length === 1 && runs.length === 2);
    const before = state("T1");
    stop();
    await end();
    expect(runs.map(({ run }) => run)).toEqual(["T1.1", "T2.1"]);
    expect(state("T1")).toBe(before);
    expect(await again()).toMatchObject({ done: ["T1", "T2"] });
  });
});
