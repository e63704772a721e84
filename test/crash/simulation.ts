/** What is tried on the simulated machine, for each shape. Each try is one point. */

import { PawlError } from "../../src/core/error.ts";
import { projectPath } from "../../src/core/path.ts";
import { seeded, subsets } from "./chance.ts";
import { saves, savesAndCrashes } from "./saves.ts";
import {
  allowedAfter,
  attempt,
  name,
  type Outcome,
  open,
  type Prepared,
  points,
  prepare,
  read,
  readWhileRefused,
  same,
  show,
  type Tree,
  type TryOut,
  verify,
  visible,
} from "./scenario.ts";
import type { Shape } from "./shapes.ts";
import type { Call, Fate } from "./sim-disk.ts";
import type { Machine } from "./sim-machine.ts";

export interface Report {
  /** By kind of point. */
  readonly points: Map<string, number>;
  readonly failures: string[];
  /** A person's saves within the one window that is documented. */
  excused: number;
}

export interface Effort {
  /** Random subsets of what was not synced, per point, where not all of them are tried. */
  readonly samples: number;
  /** Pairs of faults per shape. */
  readonly pairs: number;
  /** Stop after this many failures. */
  readonly failures: number;
  /** Of the points of a kind at calls of one name, the first and then each so-manieth is tried; default: all. */
  readonly every?: number;
}

export async function simulate(effort: Effort, report: Report, shapes: readonly Shape[]): Promise<void> {
  for (const shape of shapes) {
    const prepared = await prepare(shape);
    const met = new Map<string, number>();
    const tryOut = async (kind: string, where: string, work: () => Promise<void>) => {
      const alike = `${kind} ${/\(\w+ (?:\.pawl\/journal|~state|.)/.exec(where)?.[0]}`;
      const earlier = met.get(alike) ?? 0;
      met.set(alike, earlier + 1);
      if (report.failures.length >= effort.failures || earlier % (effort.every ?? 1) !== 0) return;
      report.points.set(kind, (report.points.get(kind) ?? 0) + 1);
      try {
        await work();
      } catch (error) {
        report.failures.push(`${shape.name} · ${kind} · ${where}\n      ${message(error)}`);
      }
    };
    await crashes(prepared, tryOut);
    await suspensions(prepared, tryOut);
    await powerCuts(prepared, effort, tryOut);
    await refusals(prepared, tryOut);
    report.excused += await saves(prepared, tryOut);
    await savesAndCrashes(prepared, effort.pairs, tryOut);
    await pairs(prepared, effort, tryOut);
    if (shape.afterwards !== undefined) await followUps(prepared, shape.afterwards, tryOut);
  }
}

/** The process dies before, after and in the middle of every call; then it is another process that goes on. */
async function crashes({ shape, machine, before, after, calls }: Prepared, tryOut: TryOut): Promise<void> {
  for (const at of points(calls)) {
    for (const fate of ["die", "die-halfway"] as const) {
      if (fate === "die-halfway" && calls[at - 1]?.name !== "write") continue;
      await tryOut("crash", name(calls, at), async () => {
        const copy = machine.clone();
        const outcome = await attempt(shape, copy, (call) => (call.index === at ? fate : undefined));
        await verify(copy, allowedAfter(outcome, before, after));
      });
    }
  }
}

/** The process is suspended before a call: others read before or after, or wait and say for whom; nobody steals. */
async function suspensions(
  { shape, machine, before, after, calls }: Prepared,
  tryOut: TryOut,
): Promise<void> {
  for (const at of points(calls)) {
    await tryOut("suspension", name(calls, at), async () => {
      const copy = machine.clone();
      const outcome = await attempt(shape, copy, (call) => (call.index === at ? "stop" : undefined));
      const isHeld = copy.locks.size > 0;
      const waited = await timesOut(() => read(copy));
      const tree = withoutTemporary(visible(copy));
      if (!waited && ![before, after].some((one) => same(one, tree)))
        throw new Error(`a reader sees ${show(tree, [before, after])}`);
      if (isHeld && !(await timesOut(() => commitNothing(copy)))) throw new Error("a lock was stolen");
      copy.locks.clear();
      await verify(copy, allowedAfter(outcome, before, after));
    });
  }
}

async function commitNothing(machine: Machine): Promise<void> {
  const store = open(machine);
  await store.commit(store.view(), []);
}

async function timesOut(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    if (error instanceof PawlError && error.code === "lock-timeout") return true;
    throw error;
  }
}

function withoutTemporary(tree: Tree): Tree {
  return new Map([...tree].filter(([path]) => !path.endsWith(".pawl-tmp")));
}

/** The machine stops, with any subset of what was not synced on its disk. */
async function powerCuts(
  { shape, machine, before, after, calls }: Prepared,
  effort: Effort,
  tryOut: TryOut,
): Promise<void> {
  // Many subsets leave the same disk behind; it need be verified once.
  const seen = new Set<string>();
  for (const at of points(calls)) {
    const stopped = machine.clone();
    const outcome = await attempt(shape, stopped, (call) => (call.index === at ? "die" : undefined));
    for (const subset of subsets(stopped.unsynced.length, effort.samples, at)) {
      await tryOut("power cut", `${name(calls, at)}, kept ${subset.map(Number).join("")}`, async () => {
        const copy = stopped.clone();
        copy.cutPower((index) => subset[index] === true);
        const disk = JSON.stringify([outcome.type, ...copy.tree()]);
        if (seen.has(disk)) return;
        await verify(copy, allowedAfter(outcome, before, after));
        seen.add(disk);
      });
    }
  }
}

/** The disk refuses one call, or every call from one on; then it works again. */
async function refusals({ shape, machine, before, after, calls }: Prepared, tryOut: TryOut): Promise<void> {
  for (const at of points(calls)) {
    for (const fate of ["ENOSPC", "EIO", "EIO-lost"] as const) {
      if (fate === "EIO-lost" && calls[at - 1]?.name !== "fsync") continue;
      for (const lasting of [false, true]) {
        if (fate === "EIO-lost" && lasting) continue;
        const where = `${fate} ${lasting ? "from" : "at"} ${name(calls, at)}`;
        const fateOf = (call: Call): Fate =>
          call.index === at || (lasting && call.index > at) ? fate : undefined;
        await tryOut("disk error", where, async () => {
          const copy = machine.clone();
          const outcome = await attempt(shape, copy, fateOf);
          await verify(copy, allowedAfter(outcome, before, after));
        });
        if (lasting && fate !== "EIO-lost")
          await tryOut("disk error that lasts, read meanwhile", where, async () => {
            const copy = machine.clone();
            const allowed = allowedAfter(await attempt(shape, copy, fateOf), before, after);
            await readWhileRefused(copy, fate, allowed, [...before.keys(), ...after.keys()]);
            await verify(copy, allowed);
          });
        await tryOut("disk error, then power cut", where, async () => {
          const copy = machine.clone();
          const outcome = await attempt(shape, copy, fateOf);
          copy.cutPower(() => false);
          await verify(copy, allowedAfter(outcome, before, after));
        });
      }
    }
  }
}

/** Two faults, the second while the first is being repaired, or after it. */
async function pairs(
  { shape, machine, before, after, calls }: Prepared,
  effort: Effort,
  tryOut: TryOut,
): Promise<void> {
  const random = seeded(4711);
  for (let i = 0; i < effort.pairs; i++) {
    const first = 1 + Math.floor(random() * (calls.length + 1));
    const second = 1 + Math.floor(random() * 80);
    const keep = random();
    const seed = Math.floor(random() * 1e9);
    const one = await crashedAt(shape, machine, first);
    await tryOut(
      "crash, then crash in the recovery",
      `${name(calls, first)}, then call ${second}`,
      async () => {
        const copy = one.machine.clone();
        await recoverUntil(copy, second);
        await verify(copy, allowedAfter(one.outcome, before, after));
      },
    );
    await tryOut(
      "power cut, then power cut in the recovery",
      `${first}, ${second}, seed ${seed}`,
      async () => {
        const copy = one.machine.clone();
        const chance = seeded(seed);
        copy.cutPower(() => chance() < keep);
        await recoverUntil(copy, second);
        copy.cutPower(() => chance() < keep);
        await verify(copy, allowedAfter(one.outcome, before, after));
      },
    );
    await tryOut("crash, recovery, then power cut", `${name(calls, first)}, seed ${seed}`, async () => {
      const copy = one.machine.clone();
      const chance = seeded(seed);
      // Every third recovery dies on its way; what another has read must stay so.
      if (i % 3 === 0) await recoverUntil(copy, second);
      else await read(copy);
      const seen = i % 3 === 0 ? allowedAfter(one.outcome, before, after) : [visible(copy)];
      copy.cutPower(() => chance() < keep);
      await verify(copy, seen);
    });
  }
}

/** The process dies at any call, and the next, in another work, at any of its own. */
async function followUps(
  { shape, machine, before, calls }: Prepared,
  afterwards: Shape["run"],
  tryOut: TryOut,
): Promise<void> {
  for (const first of points(calls)) {
    const one = await crashedAt(shape, machine, first);
    const next: Shape = { ...shape, run: afterwards };
    const whole = one.machine.clone();
    let count = 0;
    await attempt(next, whole, (call) => {
      count = call.index;
      return undefined;
    });
    for (let second = 1; second <= count + 1; second++) {
      await tryOut(
        "crash, then crash in the next work",
        `${name(calls, first)}, then call ${second}`,
        async () => {
          const copy = one.machine.clone();
          const outcome = await attempt(next, copy, (call) => (call.index === second ? "die" : undefined));
          await verify(copy, allowedAfter(outcome, before, visible(whole)));
        },
      );
    }
  }
}

async function crashedAt(
  shape: Prepared["shape"],
  machine: Machine,
  at: number,
): Promise<{ machine: Machine; outcome: Outcome }> {
  const copy = machine.clone();
  const outcome = await attempt(shape, copy, (call) => (call.index === at ? "die" : undefined));
  return { machine: copy, outcome };
}

/** A process that recovers the project and dies at its call `at`. */
async function recoverUntil(machine: Machine, at: number): Promise<void> {
  try {
    await open(machine, (call) => (call.index === at ? "die" : undefined))
      .view()
      .read(projectPath("readme.md"));
  } catch {}
}

function message(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const where = error.stack?.split("\n").slice(1, 4).join("\n    ") ?? "";
  return `${error.message}\n    ${where}`;
}
