import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import type { HeldLease, MergeTurn, Repo } from "../core/ports/worktrees.ts";
import { type MergeQueueSetup, openMergeQueue, type QueuedMerge } from "./merge-queue.ts";

const NEVER = new AbortController().signal;
const lease: HeldLease = { what: "main", epoch: 1, holder: "here" };

/** A lock over processes that is this one's, but for what `elsewhere` says, and a clock that only it moves. */
function setup({ limit = 3 } = {}) {
  const held: string[] = [];
  const timers: (() => void)[] = [];
  const heard: (() => void)[] = [];
  const state = { elsewhere: null as string | null, fails: null as string | null };
  const given: MergeQueueSetup = {
    limit,
    worktrees: {
      async takeTurn(_, into, owner): Promise<MergeTurn> {
        if (state.elsewhere !== null) return { kind: "taken", owner: state.elsewhere };
        if (state.fails === owner) {
          await settle();
          throw new Error("the disk is full");
        }
        held.push(`${owner} takes ${into}`);
        return { kind: "mine", lease, release: async () => void held.push(`${owner} lets go of ${into}`) };
      },
    },
    watch: {
      onChange(then) {
        heard.push(then);
        return { close: () => void heard.splice(heard.indexOf(then), 1) };
      },
    },
    clock: {
      now: () => new Date(0),
      elapsed: () => 0,
      after(_, then) {
        timers.push(then);
        return { cancel: () => void timers.splice(timers.indexOf(then), 1) };
      },
    },
  };
  const trains = openMergeQueue(given);
  const join = async (task: string, { waits = true, stop = NEVER, into = "main" } = {}) =>
    trains.join({ repo: "." as Repo, into, task, since: "1", waits }, stop);
  const joined = async (task: string): Promise<QueuedMerge> => {
    const place = await join(task);
    if (place.kind !== "mine") throw new Error(place.kind);
    return place;
  };
  return { trains, join, joined, held, timers, heard, state };
}

/** All that follows without time going on. */
async function settle(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe("the merge trains of a process", () => {
  it("prepare each merge on the one ahead, in a slot of its own, and publish in order", async () => {
    const { joined, held } = setup();
    const [a, b] = [await joined("a"), await joined("b")];
    expect([a.slot, b.slot]).toEqual([0, 1]);
    expect(await a.base(NEVER)).toMatchObject({ commit: null });
    a.announce("A");
    expect(await b.base(NEVER)).toMatchObject({ commit: "A" });
    b.announce("B");
    let turn: string | null = null;
    const turned = b.waitForTurn(NEVER).then((is) => {
      turn = is;
    });
    await settle();
    expect(turn).toBeNull();
    expect(await a.waitForTurn(NEVER)).toBe("first");
    await a.release("A");
    await turned;
    expect(turn).toBe("first");
    await b.release("B");
    expect(held).toEqual(["a takes main", "a lets go of main"]);
  });

  it("takes a failing merge out, and merges those behind it without its work", async () => {
    promise("bloom.merge-train");
    const { joined } = setup();
    const [a, b] = [await joined("a"), await joined("b")];
    await a.base(NEVER);
    a.announce("A");
    const first = await b.base(NEVER);
    b.announce("B on A");
    await a.release(null);
    expect(first === "stopped" ? null : first.broken.reason).toBe("interrupted");
    expect(await b.waitForTurn(NEVER)).toBe("void");
    expect(await b.base(NEVER)).toMatchObject({ commit: null });
    b.announce("B alone");
    expect(await b.waitForTurn(NEVER)).toBe("first");
  });

  it("of two branches are two: who merges into one waits for nobody who merges into the other", async () => {
    const { joined, join, held } = setup({ limit: 1 });
    const a = await joined("a");
    expect(await join("b", { into: "release" })).toMatchObject({ kind: "mine", slot: 0 });
    expect(held).toEqual(["a takes main", "b takes release"]);
    await a.release(null);
    expect(held.at(-1)).toBe("a lets go of main");
  });

  it("lose one whose lock could not be taken, and let in who came after it", async () => {
    const { join, held, state } = setup();
    state.fails = "a";
    const refused = expect(join("a")).rejects.toThrow("the disk is full");
    const after = join("b");
    await refused;
    expect((await after).kind).toBe("mine");
    expect(held).toEqual(["b takes main"]);
  });

  it("hold the lock under its lease, let go of it once, and take it anew if the target was overtaken", async () => {
    const { joined, join, trains, held } = setup();
    const a = await joined("a");
    expect(a.lease).toBe(lease);
    a.overtaken();
    const b = join("b");
    void join("c");
    await settle();
    expect(held).toEqual(["a takes main"]);
    await Promise.all([a.release(null), trains.leave("c")]);
    expect((await b).kind).toBe("mine");
    expect(held).toEqual(["a takes main", "a lets go of main", "b takes main"]);
    const place = await b;
    if (place.kind === "mine") await place.release(null);
    expect(a.lease).toBeUndefined();
    expect(held).toHaveLength(4);
  });

  it("let in who waits as soon as one leaves, in the order in which they came", async () => {
    const { joined, join, trains, heard, timers } = setup({ limit: 1 });
    const a = await joined("a");
    const order: string[] = [];
    for (const task of ["b", "c", "d"])
      void join(task).then((place) => {
        order.push(`${task} ${place.kind}`);
        if (place.kind === "mine") void place.release(null);
      });
    await settle();
    // Nobody polls: no timer, and no look at what other processes do.
    expect([heard.length, timers.length]).toEqual([0, 0]);
    await trains.leave("c");
    await a.release(null);
    await settle();
    expect(order).toEqual(["c stopped", "b mine", "d mine"]);
  });

  it("say who merges to one that does not wait, which keeps its place in the order", async () => {
    const { joined, join } = setup({ limit: 1 });
    const a = await joined("a");
    expect(await join("b", { waits: false })).toEqual({ kind: "taken", owner: "a" });
    const later = join("c");
    await a.release(null);
    await settle();
    const b = await join("b");
    expect(b.kind).toBe("mine");
    if (b.kind === "mine") await b.release(null);
    expect((await later).kind).toBe("mine");
  });

  it("wait for another process by what its files say, and look at times whether it died", async () => {
    const { join, state, timers, heard, held } = setup();
    state.elsewhere = "another's task";
    expect(await join("a", { waits: false })).toEqual({ kind: "taken", owner: "another's task" });
    const place = join("a");
    await settle();
    expect([heard.length, timers.length]).toEqual([1, 1]);
    heard[0]?.();
    await settle();
    expect(held).toEqual([]);
    state.elsewhere = null;
    timers.shift()?.();
    expect((await place).kind).toBe("mine");
    expect([heard.length, timers.length]).toEqual([0, 0]);
  });

  it("let go of the lock if the last one that waited leaves, and after so many merges in one go", async () => {
    const { joined, join, trains, held } = setup({ limit: 1 });
    const a = await joined("a");
    await join("b", { waits: false });
    await a.release(null);
    expect(held).toEqual(["a takes main"]);
    await trains.leave("b");
    expect(held).toEqual(["a takes main", "a lets go of main"]);
    for (let n = 0; n < 40; n++) void joined(`t${n}`).then((place) => place.release(null));
    await settle();
    await settle();
    expect(held.filter((each) => each.includes("lets go"))).toHaveLength(3);
  });

  it("leave nothing at the stop of the loop once a merge has its base and its turn", async () => {
    const { joined } = setup();
    const { signal } = new AbortController();
    const a = await joined("a");
    expect(await a.base(signal)).toMatchObject({ commit: null });
    expect(await a.waitForTurn(signal)).toBe("first");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("end the wait at a stop, for a place, a base or a turn", async () => {
    const { joined, join, trains } = setup({ limit: 2 });
    const stop = new AbortController();
    const [a, b] = [await joined("a"), await joined("b")];
    const waits = [join("c", { stop: stop.signal }), b.base(stop.signal)];
    await a.base(NEVER);
    a.announce("A");
    await waits[1];
    waits.push(b.waitForTurn(stop.signal) as never);
    stop.abort();
    expect(await waits[0]).toEqual({ kind: "stopped" });
    expect(await waits[2]).toBe("stopped");
    await trains.leave("c");
    await a.release(null);
    expect((await joined("d")).slot).toBe(0);
    expect(await b.base(stop.signal)).toMatchObject({ commit: null });
  });
});
