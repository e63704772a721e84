import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { Simulator } from "../../test/rig/schedule/simulator.ts";
import type { WorkerOrder } from "../core/ports/workers.ts";
import { openHeartbeat } from "./heartbeat.ts";

const OWN = { name: "own", alive: true };

function opened() {
  const simulator = new Simulator(1);
  const beats: { readonly atWork: number; readonly drains: boolean }[] = [];
  const heard: string[] = [];
  const [drain, stop] = [new AbortController(), new AbortController()];
  let order: WorkerOrder | Error = "go-on";
  let left = 0;
  const heartbeat = openHeartbeat({
    registration: {
      lasting: 15_000,
      async beat(now) {
        beats.push(now);
        if (order instanceof Error) throw order;
        return order;
      },
      async leave() {
        left += 1;
        if (order instanceof Error) throw order;
      },
    },
    clock: simulator.clock(OWN),
    atWork: () => 2,
    ...{ drain, stop },
    onOrder: (each) => heard.push(each),
  });
  return {
    ...{ heartbeat, beats, heard, drain, stop },
    left: () => left,
    isDue: () => simulator.isDueWithin(60_000),
    orders(given: typeof order) {
      order = given;
    },
    passes(milliseconds: number) {
      let over = false;
      simulator.after(OWN, milliseconds, "", () => {
        over = true;
      });
      return simulator.run({ isOver: () => over, eachStep() {}, atRest() {}, isPatient: true });
    },
  };
}

describe("A worker's heartbeat", () => {
  it("is sent at once and three times as often as needed, also after one that failed, and ends with the worker", async () => {
    promise("machines.workers");
    const worker = opened();
    await worker.passes(14_000);
    expect(worker.beats).toEqual(Array(3).fill({ atWork: 2, drains: false }));
    worker.orders(new Error("no route"));
    await worker.passes(15_000);
    expect(worker.beats).toHaveLength(6);
    await worker.heartbeat.close();
    expect(worker.left()).toBe(1);
    expect(worker.isDue()).toBe(false);
    expect([worker.drain.signal.aborted, worker.stop.signal.aborted, worker.heard]).toEqual([
      false,
      false,
      [],
    ]);
  });

  it.each(["drain", "outgrown"] as const)("hears %s once, and lets it take nothing more", async (order) => {
    promise("machines.workers");
    const worker = opened();
    worker.orders(order);
    await worker.passes(14_000);
    expect([worker.drain.signal.aborted, worker.stop.signal.aborted]).toEqual([true, false]);
    expect(worker.heard).toEqual([order]);
    expect(worker.beats.at(-1)).toEqual({ atWork: 2, drains: true });
    await worker.heartbeat.close();
  });

  it("reports at once that it drains by itself, and does not take that for an order", async () => {
    promise("machines.workers");
    const worker = opened();
    await worker.passes(1000);
    worker.orders("drain");
    worker.drain.abort();
    await worker.passes(1000);
    expect(worker.beats).toEqual([
      { atWork: 2, drains: false },
      { atWork: 2, drains: true },
    ]);
    expect(worker.heard).toEqual([]);
    await worker.heartbeat.close();
  });

  it("ends it at once if another process has its name", async () => {
    promise("machines.workers");
    const worker = opened();
    worker.orders("replaced");
    await worker.passes(1000);
    expect([worker.stop.signal.aborted, worker.heard]).toEqual([true, ["replaced"]]);
    await worker.heartbeat.close();
  });

  it("ends it at once, also while it drains, if another process has its name", async () => {
    const worker = opened();
    worker.drain.abort();
    worker.orders("replaced");
    await worker.passes(1000);
    expect([worker.stop.signal.aborted, worker.heard]).toEqual([true, ["replaced"]]);
    await worker.heartbeat.close();
  });
});
