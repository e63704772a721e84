import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import type { Policies } from "../../../core/ports/policies.ts";
import { DEFAULT_SETTINGS } from "../../../core/settings.ts";
import type { Runtime } from "../../../runtime/transaction/run-transaction.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { openPins } from "./pins.ts";

describe("The pins", () => {
  const task = (verify: readonly string[]) =>
    ({ id: "T1", title: "t", verify, acceptance_criteria: [], steps: [], subtasks: [] }) as unknown as Task;

  function opened() {
    const told: { readonly run: string }[] = [];
    const kept = new Map<string, unknown>();
    const calls: string[] = [];
    let bloom: Partial<typeof DEFAULT_SETTINGS.bloom> = {};
    const policies = {
      find: async (run: string) => kept.get(run) ?? null,
      keep: async (run: string, policy: unknown) => {
        calls.push(`keep ${run}`);
        kept.set(run, policy);
      },
      forget: async (run: string) => {
        calls.push(`forget ${run}`);
        kept.delete(run);
      },
    } as unknown as Policies;
    const view = { read: async () => null, list: async () => [] };
    const runtime = {
      store: { view: () => view },
      settings: async () => ({ ...DEFAULT_SETTINGS, bloom: { ...DEFAULT_SETTINGS.bloom, ...bloom } }),
    } as unknown as Runtime;
    const pins = openPins(runtime, policies, (event) => void told.push(event as never));
    return {
      ...{ pins, told, kept, calls },
      set(settings: typeof bloom) {
        bloom = settings;
      },
      settings: () => pins.runtime.settings(view as never),
    };
  }

  it("keep the settings that the loop began with against what loosens them, tell it once, and take what tightens", async () => {
    const { settings, set, told, pins, kept } = opened();
    expect((await settings()).bloom.permission).toBe("edits");
    set({ permission: "all" });
    expect((await settings()).bloom.permission).toBe("edits");
    await settings();
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ type: "policy:changed", run: "bloom" });
    set({ permission: "ask" });
    expect((await settings()).bloom.permission).toBe("ask");
    expect(told).toHaveLength(1);
    const { loopPolicy } = await import("../govern.ts");
    kept.set(
      "bloom",
      loopPolicy({ ...DEFAULT_SETTINGS, bloom: { ...DEFAULT_SETTINGS.bloom, permission: "all" } }),
    );
    set({ permission: "all" });
    await pins.refresh();
    expect((await settings()).bloom.permission).toBe("all");
  });

  it("keep caps over all machines against what loosens them, too", async () => {
    promise("machines.caps");
    const { settings, set } = opened();
    const caps = { repositories: { api: 2 }, agents: {}, usd_per_day: 50 };
    set({ caps });
    expect((await settings()).bloom.caps).toEqual(caps);
    set({ caps: { repositories: { api: 9 }, agents: { claude: 1 }, usd_per_day: 20 } });
    expect((await settings()).bloom.caps).toEqual({
      ...{ repositories: { api: 2 }, agents: { claude: 1 }, usd_per_day: 20 },
    });
  });

  it("know a task as it was before an agent could have changed it, also when that has ended", async () => {
    promise("policy.claims");
    const { pins } = opened();
    const seenOf = async () => JSON.stringify((await pins.of("T1")).seen);
    expect(await pins.of("T1")).toEqual({ kept: null, seen: null });
    await pins.see([task(["npm test"])], true);
    pins.begin();
    await pins.see([task(["true"])], false);
    await pins.see([task(["false"])], true);
    await pins.see([task(["false"])], true);
    expect(await seenOf()).toContain("npm test");
    await pins.see([task(["make"])], true);
    expect(await seenOf()).toContain("make");
    // It began and ended between two looks.
    pins.begin();
    await pins.see([task(["true"])], true);
    expect(await seenOf()).toContain("make");
  });

  it("keep what an agent loosened as it was before, for the next loop, too", async () => {
    promise("policy.claims");
    const { calls, pins } = opened();
    await pins.see([task(["npm test"])], true);
    pins.begin();
    await pins.see([task(["npm test", "make"])], false);
    expect(calls.filter((call) => call.startsWith("keep"))).toEqual([]);
    await pins.see([task([])], true);
    expect(JSON.stringify((await pins.of("T1")).kept)).toContain("npm test");
  });

  it("know the tasks of a file that are put in another order, and one that is there again", async () => {
    const { pins } = opened();
    const [a, b] = ["A", "B"].map((id) => ({ ...task([`own ${id}`]), id })) as [Task, Task];
    const loose = { ...a, verify: ["true"] };
    const seenOf = async (id: string) => JSON.stringify((await pins.of(id)).seen);
    await pins.see([a, b], true);
    await pins.see([b, loose], true);
    expect(await seenOf("A")).toContain('"true"');
    await pins.see([a, b], true);
    expect([await seenOf("A"), await seenOf("B")].join()).toMatch(/own A.*own B/);
    await pins.forget("A");
    await pins.see([a, b], false);
    expect(await seenOf("A")).toContain("own A");
    await pins.forget("gone");
    await pins.see([loose], true);
    await pins.see([a, b], true);
    expect(await seenOf("A")).toContain("own A");
  });

  it("keep a task's policy once while it is the same, and forget it when the task is done", async () => {
    const { pins, calls } = opened();
    await pins.see([task(["npm test"])], false);
    const policy = { "task.verify": ["npm test"] } as never;
    await pins.keep("T1", policy);
    await pins.keep("T1", policy);
    expect((await pins.of("T1")).kept).toEqual(policy);
    await pins.keep("T1", { "task.verify": [] } as never);
    await pins.forget("T1");
    expect(await pins.of("T1")).toEqual({ kept: null, seen: null });
    await pins.keep("T1", { "task.verify": [] } as never);
    expect(calls).toEqual(["keep bloom:T1", "keep bloom:T1", "forget bloom:T1", "keep bloom:T1"]);
  });

  it("report each change that does not count once, and nothing if there is none", async () => {
    const { pins, told } = opened();
    const change = { path: "task.verify", from: ["npm test"], to: [], loosens: true } as never;
    await pins.report("bloom:T1", []);
    await pins.report("bloom:T1", [change]);
    await pins.report("bloom:T1", [change]);
    await pins.report("bloom:T2", [change]);
    expect(told.map(({ run }) => run)).toEqual(["bloom:T1", "bloom:T2"]);
  });
});
