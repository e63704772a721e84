/** The loop's parts, each alone: the signal, the slots, the retry policy, the policies that are pinned. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { Simulator } from "../../../../test/rig/schedule/simulator.ts";
import { PawlError } from "../../../core/error.ts";
import type { Policies } from "../../../core/ports/policies.ts";
import { DEFAULT_SETTINGS } from "../../../core/settings.ts";
import { openSignal } from "../../../core/signal.ts";
import type { Runtime } from "../../../runtime/transaction/run-transaction.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { openPins } from "./pins.ts";
import { openRetryPolicy } from "./retry-policy.ts";
import { openSlots } from "./slots.ts";

const OWN = { name: "own", alive: true };

/** A clock whose time passes as the test says. */
function virtual() {
  const simulator = new Simulator(1);
  const settled = async (promise: Promise<unknown>) => {
    let is = false;
    void promise.then(() => {
      is = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    return is;
  };
  const pass = (milliseconds: number) => {
    let over = false;
    simulator.after(OWN, milliseconds, "", () => {
      over = true;
    });
    return simulator.run({ isOver: () => over, eachStep() {}, atRest() {} });
  };
  return { clock: simulator.clock(OWN), settled, pass, simulator };
}

describe("The signal", () => {
  it("wakes who waits, and whoever waits next where nobody did; each call once", async () => {
    const { clock, settled } = virtual();
    const signal = openSignal(new AbortController().signal, clock);
    const first = signal.wait(Number.POSITIVE_INFINITY);
    expect(await settled(first)).toBe(false);
    signal.notify();
    await first;
    signal.notify();
    signal.notify();
    await signal.wait(1000);
    const third = signal.wait(Number.POSITIVE_INFINITY);
    expect(await settled(third)).toBe(false);
    signal.notify();
    await third;
  });

  it("wakes when the time is over, and leaves no timer behind when it is rung before", async () => {
    const { clock, settled, pass, simulator } = virtual();
    const signal = openSignal(new AbortController().signal, clock);
    const waiting = signal.wait(1000);
    await pass(999);
    expect(await settled(waiting)).toBe(false);
    await pass(2);
    await waiting;
    const rung = signal.wait(1000);
    signal.notify();
    await rung;
    expect(simulator.isDueWithin(10_000)).toBe(false);
  });

  it("is rung by a stop, until it is closed", async () => {
    const { clock, settled } = virtual();
    const stop = new AbortController();
    const signal = openSignal(stop.signal, clock);
    const closed = openSignal(stop.signal, clock);
    closed.close();
    const [heard, unheard] = [signal.wait(1e9), closed.wait(1e9)];
    stop.abort();
    await heard;
    expect(await settled(unheard)).toBe(false);
  });
});

describe("The slots", () => {
  it("are so many, and each that is left rings, unless quietly", () => {
    let rings = 0;
    const slots = openSlots(2, () => {
      rings += 1;
    });
    expect(slots.isFree()).toBe(true);
    const [one, two] = [slots.open(), slots.open()];
    expect(slots.isFree()).toBe(false);
    one.leave();
    expect([slots.isFree(), rings]).toEqual([true, 1]);
    one.leave();
    two.leave("quietly");
    expect([slots.isFree(), rings]).toEqual([true, 1]);
    expect([slots.open(), slots.open()]).toHaveLength(2);
    expect(slots.isFree()).toBe(false);
  });

  it("go first to whoever left one and needs it again, in the order in which they asked", async () => {
    let rings = 0;
    const slots = openSlots(1, () => {
      rings += 1;
    });
    const { settled } = virtual();
    const { signal } = new AbortController();
    const [one, two] = [slots.open(), slots.open()];
    one.leave("quietly");
    const own = two.take(signal);
    expect(await own).toBe(true);
    const again = one.take(signal);
    expect(await settled(again)).toBe(false);
    two.leave();
    expect(await again).toBe(true);
    expect([slots.isFree(), rings]).toEqual([false, 0]);
    one.leave();
    expect([slots.isFree(), rings]).toEqual([true, 1]);
    expect(await two.take(signal)).toBe(true);
    expect(slots.isFree()).toBe(false);
  });

  it("are given up for by a stop, and pass to the next", async () => {
    const slots = openSlots(1, () => {});
    const { signal } = new AbortController();
    const [holder, first, second] = [slots.open(), slots.open(), slots.open()];
    first.leave("quietly");
    second.leave("quietly");
    const stop = new AbortController();
    const [given, taken] = [first.take(stop.signal), second.take(signal)];
    stop.abort();
    expect(await given).toBe(false);
    holder.leave();
    expect(await taken).toBe(true);
    first.leave();
    expect(slots.isFree()).toBe(false);
    expect(await first.take(AbortSignal.abort())).toBe(false);
    second.leave();
    expect(slots.isFree()).toBe(true);
    stop.abort();
    expect(slots.isFree()).toBe(true);
  });
});

describe("The retry policy", () => {
  const invalid = new PawlError("tasks-invalid", "It is not valid.", "Correct it.");
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });

  function opened(once = false) {
    const told: unknown[] = [];
    const stop = new AbortController();
    const { clock, ...time } = virtual();
    return {
      told,
      stop,
      ...time,
      retries: openRetryPolicy({ once, show: (event) => told.push(event), stop: stop.signal, clock }),
    };
  }

  it("waits out what passes once something has succeeded, tells each reason once, and that it is over", () => {
    const { retries, told } = opened();
    expect(retries.shouldRetry(invalid)).toBe(false);
    retries.succeeded(false);
    expect([retries.shouldRetry(invalid), retries.shouldRetry(invalid), retries.shouldRetry(full)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(told).toEqual([
      { type: "loop:paused", code: "tasks-invalid", reason: "It is not valid.", fix: "Correct it." },
      {
        type: "loop:paused",
        code: "disk-failed",
        reason: "no space left",
        fix: "Free some of it, or close what uses it.",
      },
    ]);
    retries.succeeded(false);
    expect(told).toHaveLength(2);
    retries.succeeded(true);
    retries.succeeded(true);
    expect(told.slice(2)).toEqual([{ type: "loop:resumed" }]);
    retries.shouldRetry(invalid);
    expect(told.at(-1)).toMatchObject({ type: "loop:paused", code: "tasks-invalid" });
  });

  it.each([
    ["commit-restarted-too-often", true],
    ["config-invalid", true],
    ["disk-failed", true],
    ["lock-timeout", true],
    ["tasks-invalid", true],
    ["tasks-missing", true],
    ["tasks-unwritable", true],
    ["usage", false],
    ["state-tampered", false],
  ] as const)("of Pawl's own errors, %s: %s", (code, borne) => {
    const { retries } = opened();
    retries.succeeded(false);
    expect(retries.shouldRetry(new PawlError(code, "m", "f"))).toBe(borne);
  });

  it.each([
    ["ENOSPC", true],
    ["EDQUOT", true],
    ["EMFILE", true],
    ["ENFILE", true],
    ["ENOMEM", true],
    ["EAGAIN", true],
    ["EACCES", false],
  ])("of the system's errors, %s: %s", (code, borne) => {
    const { retries } = opened();
    retries.succeeded(false);
    expect(retries.shouldRetry(Object.assign(new Error("m"), { code }))).toBe(borne);
  });

  it("with once, waits out three failures in a row and no more", () => {
    const { retries } = opened(true);
    retries.succeeded(false);
    const thrice = () => [1, 2, 3].map(() => retries.shouldRetry(invalid));
    expect(thrice()).toEqual([true, true, true]);
    retries.succeeded(true);
    expect([...thrice(), retries.shouldRetry(invalid)]).toEqual([true, true, true, false]);
  });

  it("waits out nothing once it stops, and waits a second, or less where it is stopped", async () => {
    const { retries, stop, pass, settled, simulator, told } = opened();
    retries.succeeded(false);
    const waiting = retries.wait();
    await pass(999);
    expect(await settled(waiting)).toBe(false);
    await pass(2);
    await waiting;
    const stopped = retries.wait();
    stop.abort();
    await stopped;
    expect(simulator.isDueWithin(10_000)).toBe(false);
    expect([retries.shouldRetry(invalid), told]).toEqual([false, []]);
  });
});

describe("The pins", () => {
  const task = (verify: readonly string[]) =>
    ({ id: "T1", title: "t", verify, steps: [], subtasks: [] }) as unknown as Task;

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

  it("tell each change that does not count once, and nothing where there is none", async () => {
    const { pins, told } = opened();
    const change = { path: "task.verify", from: ["npm test"], to: [], loosens: true } as never;
    await pins.tell("bloom:T1", []);
    await pins.tell("bloom:T1", [change]);
    await pins.tell("bloom:T1", [change]);
    await pins.tell("bloom:T2", [change]);
    expect(told.map(({ run }) => run)).toEqual(["bloom:T1", "bloom:T2"]);
  });
});
