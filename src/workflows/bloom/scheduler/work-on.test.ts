/** One task from its claim to where it rests: what is told of it, and what an owner that died has left. */
import { describe, expect, it } from "vitest";
import { memoryForge } from "../../../../test/rig/schedule/memory-forge.ts";
import { openStage, type StageOptions, type StageRun } from "../../../../test/rig/schedule/stage.ts";

const ONE = "tasks:\n- {id: T1, title: t, instructions: i, repo: .}\n";

const staged = (more: Partial<StageOptions> = {}) => openStage({ tasks: ONE, once: true, ...more });

async function firstHangs({ run, stopped }: StageRun) {
  if (run === "T1.1") await stopped;
  return undefined;
}

/** A loop that was killed while its agent worked, and the next one to its end. */
async function killed(more: Partial<StageOptions> = {}) {
  const stage = staged({ agent: firstHangs, ...more });
  await stage.until(() => stage.runs.length === 1);
  stage.kill();
  const before = stage.told.length;
  const end = await stage.again();
  const after = stage.told.slice(before);
  const of = (type: string) => after.filter((event) => event.type === type);
  return { ...stage, end, after, of };
}

describe("A claimed task", () => {
  it("is told as claimed and released once each, however many steps it takes", async () => {
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

  it("is told as taken over where its owner died, with its session lost and its agent ended", async () => {
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
    expect(told.slice(before).map(({ type }) => type)).toEqual(["git:pr_watched", "loop:stands"]);
    const [pull] = forge.pulls;
    if (pull) pull.kind = "merged";
    await again();
    expect(of("task:claimed")).toHaveLength(2);
    expect(of("task:released")).toHaveLength(2);
  });

  it("counts what a run had spent whose owner died", async () => {
    const { end, of, runs } = await killed({
      tasks: "tasks:\n- {id: T1, title: t, instructions: i, budget: {turns: 3}}\n",
      spent: { "T1.1": 3 },
    });
    expect(end).toMatchObject({ blocked: ["T1"] });
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

  it("is made by the next owner, too, where the run's own died", async () => {
    const { tasks } = await killed({ deferred: { "T1.1": [{ call: note("Before the crash"), own: true }] } });
    expect(tasks()[0]?.ai_notes).toEqual(["Before the crash"]);
  });

  it.each([
    ["lacks its run's capability", note("Not mine"), false, /^a call of note in its outbox is not its own/],
    [
      "is not an agent's to make",
      { verb: "reset", input: { id: "T1" } },
      true,
      /^it may not ask for reset in this way/,
    ],
    [
      "is refused",
      { verb: "note", input: { id: "T1", text: " " } },
      true,
      /^note was not done: The note is empty/,
    ],
  ])("is told and passed over where it %s", async (_, call, own, says) => {
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
