/** Leases by a clock that the test moves, on a database that answers as the test says. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { Connections } from "./connections.ts";
import { LASTING, openLeaseManager } from "./lease-manager.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Answers = (asked: readonly string[]) => Promise<readonly string[]>;
const keepsAll: Answers = async (asked) => asked;
const isAway: Answers = () => Promise.reject(new Error("no route"));

function opened() {
  let renewed = 0;
  let answering = Promise.resolve();
  const released: unknown[] = [];
  let renews = keepsAll;
  let epoch = 0;
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.includes("pawl.renew")) {
      renewed += 1;
      return (await renews(values[1] as readonly string[])).map((what) => ({ what }));
    }
    if (text.includes("pawl.release")) released.push(values[1]);
    if (!text.includes("pawl.take")) return [];
    epoch += 1;
    await answering;
    return [{ taken_epoch: String(epoch), was_left: false }];
  };
  const connections = { query, notify() {} } as unknown as Connections;
  return {
    leaseManager: openLeaseManager({ connections, project: "1" }),
    renewed: () => renewed,
    released,
    /** What is taken is answered only then. */
    answersAfter(milliseconds: number) {
      answering = new Promise((resolve) => {
        const timer = setInterval(() => resolve(clearInterval(timer)), milliseconds);
      });
    },
    database(answers: Answers) {
      renews = answers;
    },
  };
}

const passes = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

describe("a lease in the database", () => {
  it("is renewed while it is held, and nothing is asked any more once none is", async () => {
    promise("machines.loses-touch");
    const { leaseManager, database, renewed } = opened();
    const first = await leaseManager.take("T1", "w");
    await leaseManager.take("T2", "w");
    await passes(LASTING);
    expect(renewed()).toBe(3);
    await first?.release();
    // Another machine has the other one.
    database(async () => []);
    await passes(LASTING / 3);
    expect(renewed()).toBe(4);
    expect(vi.getTimerCount()).toBe(0);
    await leaseManager.take("T3", "w");
    expect(vi.getTimerCount()).toBe(1);
  });
});

describe("how long what is held counts as held", () => {
  it("is told with the first lease and each renewal that succeeds, and that nothing is held any more", async () => {
    promise("machines.loses-touch");
    const { leaseManager, database } = opened();
    const told: (number | null)[] = [];
    leaseManager.onProlonged?.((left) => told.push(left));
    const first = await leaseManager.take("T1", "w");
    const second = await leaseManager.take("T2", "w");
    expect(told).toEqual([10_000]);
    await passes(LASTING / 3);
    expect(told).toEqual([10_000, 10_000]);
    database(isAway);
    await passes(LASTING / 3);
    expect(told).toHaveLength(2);
    await first?.release();
    await second?.release();
    expect(told).toEqual([10_000, 10_000, null]);
  });

  it("runs on if everything is lost, until something is taken again", async () => {
    const { leaseManager, database } = opened();
    const told: (number | null)[] = [];
    leaseManager.onProlonged?.((left) => told.push(left));
    database(isAway);
    const lost = await leaseManager.take("T1", "w");
    await passes(LASTING);
    await lost?.release();
    expect(lost?.lost?.aborted).toBe(true);
    expect(told).toEqual([10_000]);
    database(async () => []);
    await leaseManager.take("T2", "w");
    await passes(LASTING / 3);
    expect(told).toEqual([10_000, 10_000]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a lease that is not renewed", () => {
  const third = LASTING / 3;

  it("is lost while nobody can take it yet, counted from when the last renewal was sent", async () => {
    promise("machines.loses-touch");
    const { leaseManager, database } = opened();
    const lease = await leaseManager.take("T1", "w");
    await passes(third);
    database(isAway);
    await passes(2 * third - 1000);
    expect(lease?.lost?.aborted).toBe(false);
    expect(leaseManager.fence("T1")).not.toBeNull();
    await passes(1000);
    expect(lease?.lost?.aborted).toBe(true);
    expect(leaseManager.fence("T1")).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is kept by a renewal whose reply comes late, as long as it was sent in time", async () => {
    promise("machines.loses-touch");
    const { leaseManager, database } = opened();
    const lease = await leaseManager.take("T1", "w");
    let reply = (_: readonly string[]) => {};
    database(() => new Promise((resolve) => (reply = resolve)));
    await passes(third + 3000);
    database(isAway);
    reply(["T1"]);
    await passes(2 * third - 3000 - 1000);
    expect(lease?.lost?.aborted).toBe(false);
    await passes(1000);
    expect(lease?.lost?.aborted).toBe(true);
  });

  it("is lost at once if somebody else has it, and another one is not", async () => {
    promise("machines.loses-touch");
    const { leaseManager, database } = opened();
    const [first, second] = [await leaseManager.take("T1", "w"), await leaseManager.take("T2", "w")];
    database(async () => ["T2"]);
    await passes(third);
    expect([first?.lost?.aborted, second?.lost?.aborted]).toEqual([true, false]);
    await second?.release();
    expect(second?.lost?.aborted).toBe(false);
  });
});

describe("a lease whose taking is answered late", () => {
  it("is held as long as one can be sure of it, and else given back: another worker may have it", async () => {
    promise("machines.loses-touch");
    const { answersAfter, leaseManager, released } = opened();
    answersAfter(9_900);
    const first = leaseManager.take("T1", "w");
    await passes(9_900);
    expect(await first).not.toBeNull();
    answersAfter(10_000);
    const second = leaseManager.take("T2", "w");
    await passes(10_000);
    expect(await second).toBeNull();
    expect(leaseManager.fence("T2")).toBeNull();
    expect(released).toEqual(["T2"]);
  });
});

describe("a machine that slept, or whose clock was set", () => {
  it.each([
    ["forward", 3600_000],
    ["back", -3600_000],
  ])("has lost its leases: %s", async (_, jump) => {
    promise("machines.loses-touch");
    const { leaseManager } = opened();
    const lease = await leaseManager.take("T1", "w");
    await passes(2000);
    expect(lease?.lost?.aborted).toBe(false);
    vi.setSystemTime(Date.now() + jump);
    await passes(1000);
    expect(lease?.lost?.aborted).toBe(true);
    const again = await leaseManager.take("T1", "w");
    await passes(2000);
    expect(again?.lost?.aborted).toBe(false);
  });
});
