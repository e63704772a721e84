/** The loop's parts, each alone: the bell, the places, the patience, the policies that are pinned. */
import { describe, expect, it } from "vitest";
import { Simulator } from "../../../../test/rig/schedule/simulator.ts";
import { PawlError } from "../../../core/error.ts";
import type { Policies } from "../../../core/ports/policies.ts";
import { DEFAULT_SETTINGS } from "../../../core/settings.ts";
import type { Runtime } from "../../../runtime/run-transaction.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { openBell } from "./bell.ts";
import { openPatience } from "./patience.ts";
import { openPins } from "./pins.ts";
import { openPlaces } from "./places.ts";

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

describe("The bell", () => {
  it("wakes who waits, and whoever waits next where nobody did; each ring once", async () => {
    const { clock, settled } = virtual();
    const bell = openBell(new AbortController().signal, clock);
    const first = bell.wait(Number.POSITIVE_INFINITY);
    expect(await settled(first)).toBe(false);
    bell.ring();
    await first;
    bell.ring();
    bell.ring();
    await bell.wait(1000);
    const third = bell.wait(Number.POSITIVE_INFINITY);
    expect(await settled(third)).toBe(false);
    bell.ring();
    await third;
  });

  it("wakes when the time is over, and leaves no timer behind when it is rung before", async () => {
    const { clock, settled, pass, simulator } = virtual();
    const bell = openBell(new AbortController().signal, clock);
    const waiting = bell.wait(1000);
    await pass(999);
    expect(await settled(waiting)).toBe(false);
    await pass(2);
    await waiting;
    const rung = bell.wait(1000);
    bell.ring();
    await rung;
    expect(simulator.isDueWithin(10_000)).toBe(false);
  });

  it("is rung by a stop, until it is closed", async () => {
    const { clock, settled } = virtual();
    const stop = new AbortController();
    const bell = openBell(stop.signal, clock);
    const closed = openBell(stop.signal, clock);
    closed.close();
    const [heard, unheard] = [bell.wait(1e9), closed.wait(1e9)];
    stop.abort();
    await heard;
    expect(await settled(unheard)).toBe(false);
  });
});

describe("The places", () => {
  it("are so many, and each that is left rings, unless quietly", () => {
    let rings = 0;
    const places = openPlaces(2, () => {
      rings += 1;
    });
    expect(places.isFree()).toBe(true);
    const [one, two] = [places.open(), places.open()];
    expect(places.isFree()).toBe(false);
    one.leave();
    expect([places.isFree(), rings]).toEqual([true, 1]);
    one.leave();
    two.leave("quietly");
    expect([places.isFree(), rings]).toEqual([true, 1]);
    expect([places.open(), places.open()]).toHaveLength(2);
    expect(places.isFree()).toBe(false);
  });

  it("go first to whoever left one and needs it again, in the order in which they asked", async () => {
    let rings = 0;
    const places = openPlaces(1, () => {
      rings += 1;
    });
    const { settled } = virtual();
    const { signal } = new AbortController();
    const [one, two] = [places.open(), places.open()];
    one.leave("quietly");
    const own = two.take(signal);
    expect(await own).toBe(true);
    const again = one.take(signal);
    expect(await settled(again)).toBe(false);
    two.leave();
    expect(await again).toBe(true);
    expect([places.isFree(), rings]).toEqual([false, 0]);
    one.leave();
    expect([places.isFree(), rings]).toEqual([true, 1]);
    expect(await two.take(signal)).toBe(true);
    expect(places.isFree()).toBe(false);
  });

  it("are given up for by a stop, and pass to the next", async () => {
    const places = openPlaces(1, () => {});
    const { signal } = new AbortController();
    const [holder, first, second] = [places.open(), places.open(), places.open()];
    first.leave("quietly");
    second.leave("quietly");
    const stop = new AbortController();
    const [given, taken] = [first.take(stop.signal), second.take(signal)];
    stop.abort();
    expect(await given).toBe(false);
    holder.leave();
    expect(await taken).toBe(true);
    first.leave();
    expect(places.isFree()).toBe(false);
    expect(await first.take(AbortSignal.abort())).toBe(false);
    second.leave();
    expect(places.isFree()).toBe(true);
    stop.abort();
    expect(places.isFree()).toBe(true);
  });
});

describe("The patience", () => {
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
      patience: openPatience({ once, show: (event) => told.push(event), stop: stop.signal, clock }),
    };
  }

  it("bears what passes once something has succeeded, tells each reason once, and that it is over", () => {
    const { patience, told } = opened();
    expect(patience.bears(invalid)).toBe(false);
    patience.succeeded(false);
    expect([patience.bears(invalid), patience.bears(invalid), patience.bears(full)]).toEqual([
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
        fix: "Make room, or close what uses it up.",
      },
    ]);
    patience.succeeded(false);
    expect(told).toHaveLength(2);
    patience.succeeded(true);
    patience.succeeded(true);
    expect(told.slice(2)).toEqual([{ type: "loop:resumed" }]);
    patience.bears(invalid);
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
    const { patience } = opened();
    patience.succeeded(false);
    expect(patience.bears(new PawlError(code, "m", "f"))).toBe(borne);
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
    const { patience } = opened();
    patience.succeeded(false);
    expect(patience.bears(Object.assign(new Error("m"), { code }))).toBe(borne);
  });

  it("with once, bears three failures in a row and no more", () => {
    const { patience } = opened(true);
    patience.succeeded(false);
    const thrice = () => [1, 2, 3].map(() => patience.bears(invalid));
    expect(thrice()).toEqual([true, true, true]);
    patience.succeeded(true);
    expect([...thrice(), patience.bears(invalid)]).toEqual([true, true, true, false]);
  });

  it("bears nothing once it stops, and waits a second, or less where it is stopped", async () => {
    const { patience, stop, pass, settled, simulator, told } = opened();
    patience.succeeded(false);
    const waiting = patience.wait();
    await pass(999);
    expect(await settled(waiting)).toBe(false);
    await pass(2);
    await waiting;
    const stopped = patience.wait();
    stop.abort();
    await stopped;
    expect(simulator.isDueWithin(10_000)).toBe(false);
    expect([patience.bears(invalid), told]).toEqual([false, []]);
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
    const view = { read: async () => null };
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

  it("know a task as it was before an agent could have changed it", async () => {
    const { pins } = opened();
    expect(await pins.of("T1")).toEqual({ kept: null, seen: null });
    pins.see([task(["npm test"])], false, new Set());
    const { seen } = await pins.of("T1");
    expect(JSON.stringify(seen)).toContain("npm test");
    pins.see([task(["true"])], false, new Set());
    pins.see([task(["true"])], true, new Set(["T1"]));
    expect((await pins.of("T1")).seen).toEqual(seen);
    pins.see([task(["true"])], true, new Set());
    expect(JSON.stringify((await pins.of("T1")).seen)).toContain('"true"');
  });

  it("keep a task's policy once while it is the same, and forget it when the task is done", async () => {
    const { pins, calls } = opened();
    pins.see([task(["npm test"])], false, new Set());
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
