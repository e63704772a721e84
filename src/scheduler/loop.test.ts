/** The work loop over runs of no workflow: what it does by itself, whatever drives it. */
import { describe, expect, it } from "vitest";
import { openMemoryDisk } from "../../test/rig/schedule/memory-disk.ts";
import { Simulator } from "../../test/rig/schedule/simulator.ts";
import type { LoopRunEvent } from "../core/bloom-event.ts";
import { PawlError } from "../core/error.ts";
import type { Backlog, Candidate, Driver, Hold } from "../core/ports/driver.ts";
import type { Wanted } from "../core/ports/leases.ts";
import type { LoopEnd } from "../core/ports/loop-end.ts";
import { workLoop } from "./loop.ts";

const HERE = { name: "loop", alive: true };
const END: LoopEnd = {
  ...{ done: [], cancelled: [], open: [], blocked: [], waiting: [], red: [], resting: [], byHand: [] },
};

interface Options {
  /** By run, what is done for it; each is worked on once. */
  readonly runs: Readonly<
    Record<string, (hold: Hold, pass: (milliseconds: number) => Promise<void>) => Promise<void>>
  >;
  readonly agents?: number;
  readonly candidate?: (run: string) => Partial<Candidate>;
  /** Leases that another worker has for so many milliseconds. */
  readonly takenFor?: Readonly<Record<string, number>>;
}

function opened({ agents = 2, candidate = () => ({}), runs, takenFor = {} }: Options) {
  const simulator = new Simulator(1);
  const disk = openMemoryDisk(simulator);
  const other = { name: "other", alive: true };
  for (const [what, milliseconds] of Object.entries(takenFor)) {
    disk.leases.set(what, other);
    simulator.after(other, milliseconds, "", () => void disk.leases.delete(what));
  }
  const leaseManager = disk.claimsOf(HERE);
  const stop = new AbortController();
  const said: LoopRunEvent[] = [];
  const begun: string[] = [];
  const leftAlone = new Set<string>();
  const open = new Set(Object.keys(runs));
  const pass = (milliseconds: number) =>
    new Promise<void>((go) => void simulator.after(HERE, milliseconds, "", go));
  const backlog: Backlog = {
    ...{ outgrown: [], unwritable: new Map(), exclusive: [] },
    *candidates(isLeftAlone) {
      for (const run of [...open].filter((each) => !isLeftAlone(each)))
        yield {
          run,
          folder: `@${run}`,
          isServedBy: () => true,
          lacksAgent: () => null,
          lacksTrust: async () => null,
          wanted: () => null,
          async work(hold) {
            begun.push(run);
            await runs[run]?.(hold, pass);
            open.delete(run);
          },
          ...candidate(run),
        };
    },
    missingAgentError: ({ agent, why }, missing) =>
      new PawlError("agent-missing", `${missing.join()}: ${agent}, ${why}`, ""),
    waiting: () => [],
    wakesIn(isLeftAlone) {
      for (const run of [...open].filter(isLeftAlone)) leftAlone.add(run);
      return null;
    },
    ask: () => null,
    end: (untrusted) => ({ ...END, open: [...open], waiting: [...untrusted.keys()] }),
  };
  const driver: Driver = {
    owns: () => true,
    agentBegins: async () => {},
    start: async () => {},
    load: async () => backlog,
    reload: async () => backlog,
    say: (event) => void said.push(event),
    isBusy: () => false,
    ended: async () => {},
  };
  const ended = workLoop(
    {
      ...{
        name: "loop",
        agents,
        once: true,
        ports: {},
        transient: ["tasks-invalid"],
        wordsOfCap: () => null,
      },
      ...{ clock: simulator.clock(HERE), watch: disk.watchOf(HERE) },
      leaseManager: { ...leaseManager, reserve: leaseManager.take },
      ...{ show: () => {}, stop: stop.signal },
    },
    () => driver,
  );
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ended.then(over, over);
  return {
    ...{ begun, disk, leftAlone, said, stop },
    async end() {
      await simulator.run({ isOver: () => isOver, eachStep() {}, atRest() {} });
      return ended;
    },
  };
}

describe("The work loop", () => {
  it("works on as many runs at once as it has slots, each under its lease and that of its folder", async () => {
    let [atWork, most] = [0, 0];
    const held: string[] = [];
    const work = async (_: Hold, pass: (milliseconds: number) => Promise<void>) => {
      most = Math.max(most, ++atWork);
      held.push([...loop.disk.leases.keys()].sort().join(" "));
      await pass(1000);
      atWork -= 1;
    };
    const loop = opened({ runs: { a: work, b: work, c: work } });
    expect(await loop.end()).toMatchObject({ open: [] });
    expect([loop.begun, most, held[1]]).toEqual([["a", "b", "c"], 2, "@a @b a b"]);
    expect(loop.disk.leases.size).toBe(0);
  });

  it("leaves alone a run that failed, works on the others, and throws its error at the end", async () => {
    const loop = opened({
      runs: {
        a: async () => Promise.reject(new PawlError("internal", "It broke.", "Report this.")),
        b: async () => {},
      },
    });
    await expect(loop.end()).rejects.toThrow("It broke.");
    expect([loop.begun, [...loop.leftAlone]]).toEqual([["a", "b"], ["a"]]);
    expect(loop.said).toEqual([
      { type: "failed", run: "a", code: "internal", reason: "It broke.", fix: "Report this." },
    ]);
  });

  it("begins a run that another worker has when that is over, and none whose programs nobody agreed to", async () => {
    const error = new PawlError("project-untrusted", "b starts make.", "Agree to it.");
    const loop = opened({
      runs: { a: async () => {}, b: async () => {}, c: async () => {} },
      takenFor: { "@a": 5000 },
      candidate: (run) => (run === "b" ? { lacksTrust: async () => error } : {}),
    });
    expect(await loop.end()).toMatchObject({ open: ["b"], waiting: ["b"] });
    expect(loop.begun).toEqual(["c", "a"]);
    expect(loop.said).toEqual([{ type: "waiting", run: "b", reason: "b starts make. Agree to it." }]);
  });

  it("waits for a run that counts for a cap while another worker has it", async () => {
    const wanted: Wanted = {
      ...{ repository: null, agent: "claude", usd: 5 },
      caps: { repository: null, agent: 1, usd: null },
    };
    const loop = opened({
      runs: { a: async () => {} },
      takenFor: { a: 5000 },
      candidate: () => ({ wanted: () => wanted }),
    });
    expect(await loop.end()).toMatchObject({ open: [] });
    expect(loop.begun).toEqual(["a"]);
  });

  it("ends the work at a stop, and begins nothing more", async () => {
    const loop = opened({
      agents: 1,
      runs: {
        a: (hold) =>
          new Promise((go) => {
            hold.stop.addEventListener("abort", () => go());
            loop.stop.abort();
          }),
        b: async () => {},
      },
    });
    expect(await loop.end()).toMatchObject({ open: ["b"] });
    expect(loop.begun).toEqual(["a"]);
  });
});
