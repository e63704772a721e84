import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import type { Policy } from "../../../core/policy.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
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
function opened(kept = new Map<string, Policy>(), ended: readonly string[] = []) {
  const policies = {
    find: async (run: string) => kept.get(run) ?? null,
    keep: async (run: string, policy: Policy) => void kept.set(run, policy),
    forget: async (run: string) => void kept.delete(run),
  };
  const claims = openTaskClaims(policies, async () => new Set(ended));
  const see = async (tasks: readonly Task[], rests: boolean, runs: readonly TaskRun[] = []) =>
    (await claims.see({ tasks, runs: new Map(runs.map((run) => [run.task, run])) }, rests)).map(
      ({ from, id, to }) => `${id} ${from} ${to}`,
    );
  return { claims, kept, see };
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

  it("is what Pawl has ended itself where its log says so", async () => {
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
