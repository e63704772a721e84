import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import type { Policy } from "../../../core/policy.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import type { EndedItem } from "../../../core/ports/loop.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { endedInLog } from "../ended-in-log.ts";
import { newRun, type TaskRun } from "../run/task-run.ts";
import { openTaskClaims } from "./claims.ts";

const task = (id: string, status: Task["status"], step: "pending" | "done" = "pending") =>
  ({
    id,
    title: id,
    status,
    steps: [{ id: `${id}-s`, status: step }],
    subtasks: [],
    depends_on: [],
  }) as unknown as Task;

/** Those who claim, with what is kept outside the project, and what the log says is over. */
function opened(kept = new Map<string, Policy>(), ended: readonly string[] = [], isKept = true) {
  const policies = {
    find: async (run: string) => kept.get(run) ?? null,
    keep: async (run: string, policy: Policy) => void kept.set(run, policy),
    forget: async (run: string) => void kept.delete(run),
  };
  const asked: (readonly EndedItem[])[] = [];
  const claims = openTaskClaims(isKept ? policies : undefined, async (items) => {
    asked.push(items);
    return new Set(ended);
  });
  const see = async (tasks: readonly Task[], rests: boolean, runs: readonly TaskRun[] = []) =>
    (await claims.see({ tasks, runs: new Map(runs.map((run) => [run.task, run])) }, rests)).map(
      ({ from, id, to }) => `${id} ${from} ${to}`,
    );
  return { asked, claims, kept, see };
}

describe("what tasks.yaml ends", () => {
  it("is a person's word while no agent is at work, and an agent's claim while one is, or was until now", async () => {
    promise("policy.claim");
    const { claims, see } = opened();
    await see([task("A", "todo"), task("B", "todo")], true);
    expect(await see([task("A", "done"), task("B", "todo")], true)).toEqual([]);
    await claims.begin();
    expect(await see([task("A", "done"), task("B", "done")], false)).toEqual(["B todo done"]);
    expect(await see([task("A", "done"), task("B", "todo", "done")], true)).toEqual(["B-s pending done"]);
    expect(await see([task("A", "done"), task("B", "cancelled")], true)).toEqual([]);
  });

  it("is a claim as long as any loop's agent is at work", async () => {
    const { see } = opened();
    const run = (underway: readonly string[]) => ({ ...newRun(task("A", "in_progress"), ""), underway });
    await see([task("A", "in_progress"), task("B", "todo")], true, [run(["A.1"])]);
    expect(await see([task("A", "in_progress"), task("B", "done")], true, [run(["A.1"])])).toEqual([
      "B todo done",
    ]);
    // What it says of itself is verified.
    expect(await see([task("A", "done"), task("B", "todo")], true, [run(["A.1"])])).toEqual([]);
  });

  it("is what Pawl has ended itself if its log says so", async () => {
    const { claims, see } = opened(new Map(), ["B"]);
    await see([task("B", "todo")], true);
    await claims.begin();
    expect(await see([task("B", "done", "done")], false)).toEqual(["B-s pending done"]);
  });

  it("is a claim for the next loop, too, if this one was killed", async () => {
    promise("policy.claim");
    const { claims, kept, see } = opened();
    await see([task("B", "blocked")], true);
    await claims.begin();
    const next = opened(kept);
    expect(await next.see([task("B", "done")], true)).toEqual(["B blocked done"]);
    expect(await next.see([task("B", "done")], true)).toEqual([]);
    expect(kept.size).toBe(0);
  });

  it("is a claim for the next loop, too, if an agent of another was at work before this one's began", async () => {
    const { claims, kept, see } = opened();
    await see([task("B", "todo")], false);
    await claims.begin();
    expect(await opened(kept).see([task("B", "done")], true)).toEqual(["B todo done"]);
  });

  it("is a claim for the next loop, too, of a task that was added while agents were at work", async () => {
    const { claims, kept, see } = opened();
    await see([task("A", "todo")], true);
    await claims.begin();
    await see([task("A", "todo"), task("B", "todo")], false);
    await claims.begin();
    expect(await opened(kept).see([task("A", "todo"), task("B", "done")], true)).toEqual(["B todo done"]);
  });

  it.each([true, false])(
    "is a claim as often as agents begin and all of them rest; kept outside: %s",
    async (isKept) => {
      const { claims, kept, see } = opened(new Map(), [], isKept);
      await see([task("B", "todo")], true);
      for (let round = 0; round < 2; round++) {
        await claims.begin();
        expect(await see([task("B", "todo")], false)).toEqual([]);
        expect(kept.size).toBe(isKept ? 1 : 0);
        expect(await see([task("B", "done")], true)).toEqual(["B todo done"]);
        expect(kept.size).toBe(0);
        expect(await see([task("B", "todo")], true)).toEqual([]);
      }
    },
  );

  it("is a claim until it is undone, and of the status that it had last", async () => {
    const { claims, see } = opened();
    await see([task("B", "todo")], true);
    await claims.begin();
    await see([task("B", "blocked")], false);
    expect(await see([task("B", "done")], false)).toEqual(["B blocked done"]);
    expect(await see([task("B", "done")], false)).toEqual(["B blocked done"]);
  });

  it("is a person's word if runs are open and none of them has an agent at work", async () => {
    const { see } = opened();
    const idle = newRun(task("A", "in_progress"), "");
    await see([task("A", "in_progress"), task("B", "todo")], true, [idle]);
    expect(await see([task("A", "in_progress"), task("B", "done")], true, [idle])).toEqual([]);
  });

  it("is a claim if a task only waits for its merge by what tasks.yaml says; its merge is none", async () => {
    const { claims, see } = opened();
    await see([task("A", "done_pending_merge"), task("B", "todo")], true);
    await claims.begin();
    expect(await see([task("A", "done"), task("B", "done_pending_merge")], false)).toEqual([
      "B todo done_pending_merge",
    ]);
  });

  it.each<[string, Partial<TaskRun>, Parameters<typeof task>, readonly string[]]>([
    ["the task at work", { underway: ["A.1"] }, ["A", "done"], []],
    ["the task whose run has come to that", { status: "done" }, ["A", "done"], []],
    ["the task whose run has come to something else", {}, ["A", "done"], ["A in_progress done"]],
    ["a step of a task that was begun", { state: "working" }, ["A", "in_progress", "done"], []],
    ["a step of a task that was not", { state: "ready" }, ["A", "in_progress", "done"], ["A-s pending done"]],
  ])("is none of what the task's own run verifies: %s", async (_, more, after, claimed) => {
    const { claims, see } = opened();
    const run = { ...newRun(task("A", "in_progress"), ""), status: "in_progress", ...more } as TaskRun;
    await see([task("A", "in_progress")], false, [run]);
    await claims.begin();
    expect(await see([task(...after)], false, [run])).toEqual(claimed);
  });

  it("is a person's word beside agents that cannot write the file", async () => {
    const claims = openTaskClaims(
      undefined,
      async () => new Set(),
      (of) => of?.id === "A",
    );
    const see = async (b: "todo" | "done", ...atWork: readonly string[]) => {
      const runs = atWork.map((id) => [id, { ...newRun(task(id, "todo"), ""), underway: ["1"] }] as const);
      const tasks = [task("A", "todo"), task("C", "todo"), task("B", b)];
      return (await claims.see({ tasks, runs: new Map(runs) }, false)).map(({ id }) => id);
    };
    await see("todo");
    await claims.begin(task("C", "todo"));
    expect(claims.isOpen()).toBe(false);
    expect(await see("done", "C")).toEqual([]);
    await see("todo", "C", "A");
    expect(await see("done", "C", "A")).toEqual(["B"]);
    await see("todo", "gone");
    await claims.begin(task("A", "todo"));
    expect(await see("done", "C")).toEqual(["B"]);
  });

  it("is looked up in the log only if something has ended, each with its status", async () => {
    const { asked, claims, see } = opened();
    await see([task("A", "todo"), task("B", "todo")], true);
    await claims.begin();
    await see([task("A", "todo"), task("B", "todo")], false);
    expect(asked).toEqual([]);
    await see([task("A", "cancelled"), task("B", "todo", "done")], false);
    expect(asked).toEqual([
      [
        { id: "A", status: "cancelled" },
        { id: "B-s", status: "done" },
      ],
    ]);
  });

  it("is in doubt from the begin of an agent until the first look at which all of them rest", async () => {
    const { claims, see } = opened();
    const inDoubt = [claims.isOpen()];
    for (const rests of [true, false, true]) {
      if (!rests) await claims.begin();
      inDoubt.push(claims.isOpen());
      await see([task("A", "todo")], rests);
      inDoubt.push(claims.isOpen());
    }
    expect(inDoubt).toEqual([false, false, false, true, true, true, false]);
    const nowhere = openTaskClaims(undefined, undefined);
    await nowhere.begin();
    const seen = await nowhere.see({ tasks: [task("A", "done")], runs: new Map() }, false);
    expect([seen, nowhere.isOpen()]).toEqual([[], false]);
  });

  it("follows from the last event that tells of it, however many are behind", async () => {
    const event = (type: string, more: object) => JSON.stringify({ type, time: "t", ...more });
    const texts = [
      event("task:completed", { taskId: "A" }),
      event("task:reset", { taskId: "A" }),
      event("step:completed", { taskId: "B", stepId: "B-s" }),
      event("task:status_changed", { taskId: "C", to: "done_pending_merge" }),
      event("task:completed", { taskId: "D" }),
      ...Array.from({ length: 600 }, () => event("agent:warned", {})),
    ];
    const entries = texts.map((text, at) => ({ text, start: at, end: at + 1 }));
    const log = {
      position: async () => ({ generation: "g", end: entries.length }),
      readBack: async ({ before, limit }: { readonly before: number; readonly limit: number }) =>
        entries.slice(Math.max(0, before - limit), before).reverse(),
    } as unknown as EventLog;
    const ended = async (status: string, ...ids: readonly string[]) =>
      [
        ...(await endedInLog(
          log,
          ids.map((id) => ({ id, status })),
        )),
      ].sort();
    expect(await ended("done", "A", "B-s", "D", "E")).toEqual(["B-s", "D"]);
    expect(await ended("done_pending_merge", "C", "D")).toEqual(["C"]);
    // Its agent called it done, and it waits for a person.
    expect(await ended("done", "C")).toEqual([]);
    expect([
      ...(await endedInLog({ ...log, position: async () => null }, [{ id: "A", status: "done" }])),
    ]).toEqual([]);
  });
});
