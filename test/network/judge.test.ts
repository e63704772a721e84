import { describe, expect, it } from "vitest";
import { promise } from "../rig/promise.ts";
import { judge } from "./judge.ts";

interface JudgedEvent {
  readonly id: string;
  readonly type: string;
  readonly taskId: string;
  readonly reason?: string;
}

const event = (id: string, type: string, taskId = "T1", reason?: string): JudgedEvent => ({
  ...{ id, type, taskId },
  ...(reason === undefined ? {} : { reason }),
});

/** One task, and one worker that did it. */
const GOOD = {
  stored: [
    event("1", "agent:started"),
    event("2", "task:retried", "T1", "it cannot be reached"),
    event("3", "task:completed"),
  ],
  told: [event("1", "agent:started"), event("3", "task:completed")],
  faults: [] as readonly string[],
  git: {
    "log --format=%s main": "Merge T1\nT1\nBegin",
    "log --merges --first-parent --format=%s main": "Merge T1",
    "ls-tree --name-only main": "T1.txt",
    "show main:T1.txt": "T1",
    "for-each-ref --format=%(refname) refs/pawl/wip": "",
  } as Readonly<Record<string, string>>,
};

function judged(more: Partial<typeof GOOD>) {
  const { faults, git, stored, told } = { ...GOOD, ...more };
  const heard = () => told.map((each) => JSON.stringify(each)).join("\n");
  return judge({
    ids: ["T1"],
    crew: [{ name: "w1", heard, faults }],
    cluster: { ask: async () => stored.map((each) => ({ text: JSON.stringify(each) })) as never },
    remoteGit: (...words) => git[words.join(" ")] ?? "",
  });
}

const remote = (more: Readonly<Record<string, string>>) => ({ git: { ...GOOD.git, ...more } });

describe("The judge of the proof over a network", () => {
  it("has nothing against work that was done once", async () => {
    promise("team.network");
    expect(await judged({})).toEqual([]);
  });

  it.each<[string, Partial<typeof GOOD>, string]>([
    [
      "a task that was done twice",
      { stored: [...GOOD.stored, event("4", "task:completed")] },
      "completed 2 times",
    ],
    ["a task that was not done", { stored: GOOD.stored.slice(0, 1), told: [] }, "completed 0 times"],
    [
      "an agent that began later",
      { stored: [...GOOD.stored, event("4", "agent:started")] },
      "after it was done",
    ],
    ["a task that failed", { stored: [...GOOD.stored, event("4", "task:blocked")] }, "did not come through"],
    [
      "another reason to try again",
      { stored: [...GOOD.stored, event("4", "task:retried", "T1", "no")] },
      "did not come through",
    ],
    ["what was told and is gone", { told: [event("9", "git:committed")] }, "and it is gone"],
    ["a worker that ended", { faults: ["w1 ended by itself"] }, "w1 ended by itself"],
    ["a second commit", remote({ "log --format=%s main": "T1\nT1" }), "2 commits of T1"],
    [
      "a second merge",
      remote({ "log --merges --first-parent --format=%s main": "Merge T1\nMerge T1" }),
      "2 merges",
    ],
    ["work that is missing", remote({ "show main:T1.txt": "" }), "lacks the work of T1"],
    [
      "work that was left",
      remote({ "for-each-ref --format=%(refname) refs/pawl/wip": "refs/pawl/wip/T1" }),
      "still has refs/pawl/wip/T1",
    ],
  ])("names %s", async (_, more, says) => {
    promise("team.network");
    const faults = await judged(more);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(says);
  });
});
