/** Tasks that open a pull request: how they are watched, and what becomes of them when the forge or a person says no. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { memoryForge } from "../../../../test/rig/schedule/memory-forge.ts";
import { openStage, type StageOptions } from "../../../../test/rig/schedule/stage.ts";
import { PawlError } from "../../../core/error.ts";
import type { Returned } from "../../../core/ports/pull-requests.ts";
import { ready } from "../verbs/status.ts";

const task = (id: string) =>
  `- {id: ${id}, title: Task ${id}, repo: ., base_branch: main, open_pr: true, steps: [{id: ${id}-1, instruction: x}]}\n`;
const TASKS = `git: {push_to_remote: true}\ntasks:\n${task("T1")}- {id: T2, title: Needs it, repo: ., depends_on: [T1]}\n`;
const URL = "https://forge.example/pull/1";

function shop(more: Partial<StageOptions> = {}) {
  const forge = memoryForge();
  const stage = openStage({ tasks: TASKS, forge, once: true, ...more });
  const statuses = () => stage.tasks().map(({ status }) => status);
  const merge = (number = 1) => {
    const pull = forge.pulls[number - 1];
    if (pull) pull.kind = "merged";
    stage.git.join("main", pull?.branch ?? "");
  };
  return { ...stage, forge, statuses, merge };
}

describe("A loop with open pull requests", () => {
  it("watches one while nothing else is to be done, at its pace and without any agent", async () => {
    promise("bloom.pull-request");
    const forge = memoryForge();
    const { until, pass, runs, stored, read, of, ...stage } = openStage({
      tasks: TASKS,
      forge,
      settings: { watch_pull_requests: 60 },
    });
    await until(() => forge.looks() === 1);
    await pass(59_000);
    expect(forge.looks()).toBe(1);
    const [events, run] = [stored.length, read(".pawl/runs/T1.json")];
    await pass(180_000);
    expect(forge.looks()).toBe(4);
    // Looks are neither events nor commits.
    expect([stored.length, read(".pawl/runs/T1.json")]).toEqual([events, run]);
    expect(runs.map(({ task: id }) => id)).toEqual(["T1"]);
    expect(of("git:pr_watched")).toEqual([
      { type: "git:pr_watched", taskId: "T1", number: 1, url: URL, every: 60 },
    ]);
    const [pull] = forge.pulls;
    if (pull) pull.kind = "merged";
    stage.git.join("main", "bloom/T1");
    await until(() => stage.tasks()[1]?.status === "done");
    expect(of("git:pr_merged")).toEqual([expect.objectContaining({ taskId: "T1", number: 1 })]);
    stage.stop();
    await stage.end();
    expect(stage.tasks().map(({ status }) => status)).toEqual(["done", "done"]);
  });

  it("checks many one after another, at a pace that leaves five seconds to each", async () => {
    const ids = ["T1", "T2", "T3", "T4"];
    const { forge, until, pass, of } = shop({
      tasks: `git: {push_to_remote: true}\ntasks:\n${ids.map((id) => task(id)).join("")}`,
      settings: { watch_pull_requests: 1 },
      once: undefined as never,
    });
    await until(() => ids.every((id) => of("git:pr_watched").some(({ taskId }) => taskId === id)));
    await pass(20_000);
    const begun = forge.looks();
    await pass(150_000);
    // Fifteen seconds for a round of four.
    expect(forge.looks() - begun).toBeGreaterThanOrEqual(32);
    expect(forge.looks() - begun).toBeLessThanOrEqual(44);
  });

  it("checks once if the pace is 0, and again only in the next run", async () => {
    const { forge, until, pass, of, stop, end, again } = shop({
      settings: { watch_pull_requests: 0 },
      once: undefined as never,
    });
    await until(() => of("git:pr_watched").length === 1 && forge.looks() === 1);
    await pass(600_000);
    expect(forge.looks()).toBe(1);
    expect(of("git:pr_watched")[0]).toMatchObject({ every: 0 });
    stop();
    await end();
    const next = again();
    await until(() => forge.looks() === 2);
    stop();
    await next;
  });

  it("with nothing else to do ends once each was checked", async () => {
    const { forge, end, again, statuses, merge, runs } = shop();
    expect(await end()).toMatchObject({ done: [], open: expect.arrayContaining(["T1"]) });
    expect(forge.looks()).toBe(1);
    expect(statuses()).toEqual(["done_pending_merge", undefined]);
    await again();
    expect(forge.looks()).toBe(2);
    merge();
    expect(await again()).toMatchObject({ done: ["T1", "T2"] });
    expect(runs.map(({ task: id }) => id)).toEqual(["T1", "T2"]);
  });

  it("blocks the task when a person closes it, and opens another when a person wants it so", async () => {
    const { forge, end, again, tasks, person, runs } = shop();
    await end();
    const [first] = forge.pulls;
    if (first) first.kind = "closed";
    expect(await again()).toMatchObject({ blocked: ["T1"] });
    expect(tasks()[0]).toMatchObject({
      status: "blocked",
      ai_notes: [expect.stringContaining(`closed without a merge (${URL})`)],
    });
    await person(ready, { id: "T1" });
    await again();
    expect(forge.pulls.map(({ number, kind }) => [number, kind])).toEqual([
      [1, "closed"],
      [2, "open"],
    ]);
    expect(runs).toHaveLength(1);
  });

  it("waits on while the forge does not answer, and recognises by the remote's branch that it was merged", async () => {
    const { forge, end, again, of, statuses, git } = shop({ settings: { tries: 1 } });
    await end();
    const bad = { kind: "unreachable", reason: "502: Bad gateway" } as const;
    forge.failures.push(bad);
    await again();
    expect(of("git:pr_unseen")).toEqual([
      { type: "git:pr_unseen", taskId: "T1", number: 1, reason: bad.reason },
    ]);
    expect(statuses()).toEqual(["done_pending_merge", undefined]);
    git.join("main", "bloom/T1");
    forge.failures.push(bad);
    expect(await again()).toMatchObject({ done: ["T1", "T2"] });
  });

  it("stops at once while the forge is silent", async () => {
    const { forge, end, again, until, stop, statuses, of } = shop();
    await end();
    forge.fallSilent();
    const looks = forge.looks();
    const ended = again();
    await until(() => forge.looks() > looks);
    stop();
    await ended;
    expect(statuses()).toEqual(["done_pending_merge", undefined]);
    expect(of("git:pr_unseen")).toEqual([]);
  });

  it("waits out a full disk before it looks, and leaves a task alone whose look failed otherwise", async () => {
    const errors: (Error | undefined)[] = [];
    const { forge, end, again, of } = shop({
      fault: (at, what) => (`${at} ${what}` === "lease T1" ? errors.shift() : undefined),
    });
    await end();
    errors.push(Object.assign(new Error("no space left"), { code: "ENOSPC" }));
    await again();
    expect(of("loop:paused")).toHaveLength(1);
    expect(of("task:failed")).toEqual([]);
    const looks = forge.looks();
    errors.push(undefined, new PawlError("internal", "It broke.", "Report this."));
    await expect(again().then(again)).rejects.toMatchObject({ code: "internal" });
    expect(of("task:failed")).toMatchObject([{ taskId: "T1", code: "internal" }]);
    expect(forge.looks() - looks).toBeLessThanOrEqual(1);
  });

  it("tries again to open one while the forge cannot answer", async () => {
    const { forge, end, of } = shop();
    const away = { kind: "unreachable", reason: "503: Unavailable" } as const;
    forge.failures.push(away, away);
    await end();
    expect(of("git:pr_failed")).toHaveLength(2);
    expect(of("run:advanced").map(({ row }) => row)).toEqual(
      expect.arrayContaining(["pushed.opens_pr", "pr.again", "pr.watches"]),
    );
    expect(forge.pulls).toHaveLength(1);
  });

  it("blocks the task when the forge stays away, with the reason, and opens it later without its agent", async () => {
    const { forge, end, again, of, tasks, person, runs } = shop();
    const away = { kind: "unreachable", reason: "503: Unavailable" } as const;
    forge.failures.push(...Array.from({ length: 30 }, () => away));
    expect(await end()).toMatchObject({ blocked: ["T1"] });
    expect(of("task:retried")).toHaveLength(29);
    expect(tasks()[0]).toMatchObject({
      status: "blocked",
      ai_notes: [expect.stringContaining("503: Unavailable")],
    });
    await person(ready, { id: "T1" });
    await again();
    expect(forge.pulls).toHaveLength(1);
    expect(runs).toHaveLength(1);
  });
});

const RED: Returned = {
  checks: [
    { name: "lint", url: "https://forge.example/run/7", summary: "1 error", tail: "a.ts:3 no-var\n# Stop" },
  ],
  reviews: [],
  isConflicting: false,
};
const review = (id: string): Returned => ({
  checks: [],
  reviews: [
    { id, author: "ada", text: "Not yet.", comments: [{ file: "a.ts", line: 3, text: "Why a `var`?" }] },
  ],
  isConflicting: false,
});

describe("A pull request that comes back", () => {
  /** Each round's prompt; `answers` says what stands against it after that round. */
  function rounds(answers: readonly (Returned | undefined)[], more: Partial<StageOptions> = {}) {
    const prompts: string[] = [];
    const sessions: string[] = [];
    const left = [...answers];
    const made = shop({
      ...more,
      async agent({ prompt, resumed }) {
        if (!prompt.includes("Your pull request came back")) return undefined;
        prompts.push(prompt);
        sessions.push(resumed ? "resumed" : "new");
        if (made.git.conflicting.size > 0) made.git.join("bloom/T1", "main");
        const [pull] = made.forge.pulls;
        const next = left.shift();
        if (pull && next) pull.returned = next;
        else delete pull?.returned;
        return undefined;
      },
    });
    const comesBack = (returned: Returned) => {
      const [pull] = made.forge.pulls;
      if (pull) pull.returned = returned;
    };
    return { ...made, prompts, sessions, comesBack };
  }

  it("goes to the task's own session with the log's end, and is pushed again once it is verified", async () => {
    promise("bloom.pull-request.comes-back");
    const { again, comesBack, end, merge, of, prompts, sessions, statuses } = rounds([undefined]);
    await end();
    comesBack(RED);
    const watched = of("git:pr_watched").length;
    await again();
    expect(sessions).toEqual(["resumed"]);
    // A display shows it again among those that wait.
    expect(of("git:pr_watched").length - watched).toBe(2);
    expect(prompts[0]).toContain("## A check failed there: lint\n\nhttps://forge.example/run/7");
    // Nothing that others wrote reads as a line of the prompt.
    expect(prompts[0]).toContain("    a.ts:3 no-var\n    # Stop");
    expect(of("git:pr_returned")).toEqual([
      expect.objectContaining({
        taskId: "T1",
        number: 1,
        url: URL,
        round: 1,
        of: 3,
        reason: "its pull request fails lint",
      }),
    ]);
    const rows = of("run:advanced").map(({ row }) => row);
    expect(rows.slice(rows.indexOf("pr.comes_back"))).toEqual([
      "pr.comes_back",
      "purpose.verifies",
      "verified.commits",
      "committed.pushes",
      "pushed.opens_pr",
      "pr.watches",
    ]);
    expect(statuses()).toEqual(["done_pending_merge", undefined]);
    merge();
    expect(await again()).toMatchObject({ done: ["T1", "T2"] });
  });

  it("with requested changes brings the comments at their lines, and each review only once", async () => {
    const { again, comesBack, end, prompts } = rounds([undefined, undefined]);
    await end();
    comesBack(review("r1"));
    await again();
    await again();
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain(
      "## Changes requested by ada\n\n    Not yet.\n\nAt a.ts:3:\n\n    Why a `var`?",
    );
    comesBack(review("r2"));
    await again();
    expect(prompts).toHaveLength(2);
  });

  it("asks a person once its rounds are over, and gives as many again when that person wants it", async () => {
    const { again, comesBack, end, of, person, prompts, tasks } = rounds([RED, RED, RED, undefined], {
      settings: { pr: { rounds: 2 } },
    });
    await end();
    comesBack(RED);
    expect(await again()).toMatchObject({ blocked: ["T1"] });
    expect(prompts).toHaveLength(2);
    expect(tasks()[0]).toMatchObject({
      status: "blocked",
      ai_notes: [expect.stringContaining(`fails lint; \`pr.rounds: 2\` is reached: look at ${URL}`)],
    });
    expect(of("git:pr_returned").map(({ round }) => round)).toEqual([1, 2, 3]);
    await person(ready, { id: "T1" });
    await again();
    expect(prompts).toHaveLength(4);
    expect(tasks()[0]).toMatchObject({ status: "done_pending_merge" });
  });

  it("stays where it is if no rounds are wanted", async () => {
    const { again, comesBack, end, prompts, statuses } = rounds([], { settings: { pr: { rounds: 0 } } });
    await end();
    comesBack(RED);
    await again();
    expect(prompts).toEqual([]);
    expect(statuses()).toEqual(["done_pending_merge", undefined]);
  });

  it("because it conflicts has its target merged into its workspace first", async () => {
    const { again, comesBack, end, git, of, prompts } = rounds([undefined]);
    await end();
    git.conflicting.add("bloom/T1");
    comesBack({ checks: [], reviews: [], isConflicting: true });
    await again();
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain("## Conflicts with main");
    expect(of("git:pr_returned")).toMatchObject([{ reason: "its pull request conflicts with main" }]);
  });
});
