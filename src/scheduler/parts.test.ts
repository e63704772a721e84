/** The loop's parts, each alone: the signal, the slots, the retry policy, the costs, the agents that rest. */
import { describe, expect, it } from "vitest";
import { Simulator } from "../../test/rig/schedule/simulator.ts";
import { PawlError } from "../core/error.ts";
import { openSignal } from "../core/signal.ts";
import { type AgentRest, listResting } from "./agent-rest.ts";
import { totalOf, withRun } from "./costs.ts";
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
  it("wakes who waits, and whoever waits next if nobody did; each call once", async () => {
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
      retries: openRetryPolicy({
        ...{ once, stop: stop.signal, clock, transient: ["tasks-invalid"] },
        show: (event) => told.push(event),
      }),
    };
  }

  it("waits out what passes once something has succeeded, reports each reason once, and reports the end", () => {
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
    ["tasks-missing", false],
    ["usage", false],
    ["state-tampered", false],
  ] as const)("of Pawl's own errors, and of the workflow's that are named, %s: %s", (code, borne) => {
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

  it("waits out nothing once it stops, and waits a second, or less if it is stopped", async () => {
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

describe("What agents cost", () => {
  const usage = (usd: number | null, ...tokens: readonly (number | null)[]) => {
    const [inputTokens = null, outputTokens = null] = tokens;
    return { usd, inputTokens, outputTokens, turns: 1 };
  };

  it("is added up run by run, and what no run reported stays unknown", () => {
    const first = withRun(undefined, { usage: null, milliseconds: 1000 });
    expect(first).toEqual({ runs: 1, usd: null, tokens: null, milliseconds: 1000 });
    const second = withRun(first, { usage: usage(null, 30, 12), milliseconds: 500 });
    expect(second).toEqual({ runs: 2, usd: null, tokens: 42, milliseconds: 1500 });
    const third = withRun(second, { usage: usage(0.25, null, 8), milliseconds: 0 });
    expect(third).toEqual({ runs: 3, usd: 0.25, tokens: 50, milliseconds: 1500 });
    expect(withRun(third, { usage: usage(0.5), milliseconds: 1 })).toMatchObject({ usd: 0.75, tokens: 50 });
  });

  it("is given in all in whole minutes", () => {
    const cost = (usd: number | null, tokens: number | null, milliseconds: number) => ({
      ...{ usd, tokens, milliseconds, runs: 1 },
    });
    expect(totalOf([])).toEqual({ usd: null, tokens: null, minutes: 0 });
    expect(totalOf([cost(null, null, 60_000), cost(null, 5, 40_000)])).toEqual({
      ...{ usd: null, tokens: 5, minutes: 2 },
    });
    expect(totalOf([cost(1, 2, 20_000), cost(2, null, 5_000)])).toEqual({ usd: 3, tokens: 2, minutes: 0 });
  });
});

describe("The agents that rest", () => {
  const rest = (agent: string): AgentRest => ({
    ...{ agent, account: "a", state: "limited", resets_at: null, source: "none", count: 1 },
    ...{ words: "it is limited", since: "2026-01-05T00:00:00Z", at: "2026-01-05T00:00:00Z" },
    until: "2026-01-05T01:00:00Z",
  });

  it("are shown with the tasks that wait for them, and the agents that go on", () => {
    const open = ["claude", "codex", null, "codex", "gemini"].map((agent, at) => ({ id: `T${at}`, agent }));
    const waits = new Set(["T0", "T4"]);
    const listed = (...agents: readonly string[]) =>
      listResting(open, new Map(agents.map((agent) => [agent, rest(agent)])), {
        agentFor: ({ agent }) => agent,
        waitsFor: ({ agent, id }) => (waits.has(id) ? agent : null),
      }).map(({ agent, others, tasks }) => ({ agent, others, tasks }));
    expect(listed()).toEqual([]);
    expect(listed("claude", "other")).toEqual([
      { agent: "claude", tasks: ["T0"], others: ["codex", "gemini"] },
      { agent: "other", tasks: [], others: ["codex", "gemini"] },
    ]);
  });
});
