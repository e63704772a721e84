/** What is tried on the simulated machine, for each shape. Each try is one point. */

import { PawlError } from "../../src/base/error.ts";
import { projectPath } from "../../src/base/path.ts";
import {
  attempt,
  goesOn,
  type Outcome,
  open,
  type Prepared,
  prepare,
  read,
  same,
  show,
  type Tree,
  verify,
  visible,
} from "./scenario.ts";
import { SHAPES } from "./shapes.ts";
import type { Call, Fate } from "./sim-disk.ts";
import type { Machine } from "./sim-machine.ts";

const EVENTS = ".pawl/events.jsonl";

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
}

export async function simulate(effort: Effort, report: Report, only?: string): Promise<void> {
  for (const shape of SHAPES) {
    if (only !== undefined && !shape.name.includes(only)) continue;
    const prepared = await prepare(shape);
    const tryOut = async (kind: string, where: string, work: () => Promise<void>) => {
      if (report.failures.length >= effort.failures) return;
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
    await saves(prepared, report, tryOut);
    await pairs(prepared, effort, tryOut);
  }
}

type TryOut = (kind: string, where: string, work: () => Promise<void>) => Promise<void>;

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
      if (isHeld && !(await timesOut(() => open(copy).settle()))) throw new Error("a lock was stolen");
      copy.locks.clear();
      await verify(copy, allowedAfter(outcome, before, after));
    });
  }
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

/** A person saves a file between any two calls, in both of the ways in which editors do. */
async function saves(
  { shape, machine, before, after, calls }: Prepared,
  report: Report,
  tryOut: TryOut,
): Promise<void> {
  for (const path of shape.shared) {
    for (const how of ["in-place", "by-rename"] as const) {
      for (const at of points(calls)) {
        const copy = machine.clone();
        const trace: Call[] = [];
        const text = `a person's text, saved ${how} before call ${at}\n`;
        const outcome = await attempt(shape, copy, (call) => {
          trace.push(call);
          if (call.index === at) copy.save(path, text, how);
          return undefined;
        });
        if (at > trace.length) copy.save(path, text, how);
        if (isReadByWork(trace, at, path, how)) continue;
        if (isInWindow(trace, at, path, how)) {
          report.excused++;
          continue;
        }
        const cut = copy.clone();
        await tryOut("person's save", `${path} ${how} ${name(trace, at)}`, () =>
          afterSave(copy, outcome, path, text, before, after),
        );
        await tryOut("person's save, then power cut", `${path} ${how} ${name(trace, at)}`, async () => {
          cut.cutPower(() => false);
          await afterSave(cut, outcome, path, text, before, after);
        });
      }
    }
  }
}

/** Two faults: a crash, and another while the first is repaired; or a save and a crash; or a crash and a power cut. */
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
    const path = shape.shared[i % shape.shared.length] ?? "";
    const later = first + Math.floor(random() * (calls.length - first + 2));
    await tryOut(
      "person's save, then crash, then power cut",
      `${path} ${first}, ${later}, seed ${seed}`,
      async () => {
        const copy = machine.clone();
        const chance = seeded(seed);
        const text = `a person's text ${i}\n`;
        const trace: Call[] = [];
        const outcome = await attempt(shape, copy, (call) => {
          trace.push(call);
          if (call.index === first) copy.save(path, text, "by-rename");
          return call.index === later ? "die" : undefined;
        });
        if (trace.length < first) copy.save(path, text, "by-rename");
        // Whether the death hid the end of the window cannot be seen from the trace.
        if (isReadByWork(trace, first, path, "by-rename")) return;
        if (isInWindow([...trace, ...calls.slice(trace.length)], first, path, "by-rename")) return;
        if (i % 2 === 0) copy.cutPower(() => chance() < keep);
        await afterSave(copy, outcome, path, text, before, after);
      },
    );
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

/** The person's text is there, and everything else is as before or as after. */
async function afterSave(
  machine: Machine,
  outcome: Outcome,
  path: string,
  text: string,
  before: Tree,
  after: Tree,
): Promise<void> {
  await read(machine);
  const all = machine.tree();
  if (![...all.values()].some((content) => content.includes(text.trimEnd())))
    throw new Error(`the person's text is lost: ${show(all)}`);
  const tree = visible(machine);
  const twice = [...tree].find(([, content]) => content.split("three\n").length > 2);
  if (twice !== undefined) throw new Error(`an edit was redone twice: ${show(new Map([twice]))}`);
  const rest = withoutShared(tree, path);
  const allowed = allowedAfter(outcome, before, after).map((one) => withoutShared(one, path));
  if (!allowed.some((one) => same(one, rest)))
    throw new Error(`the rest is neither before nor after: ${show(rest, allowed)}`);
  await goesOn(machine, tree);
}

/** The tree without the path itself, and without the events that tell of texts kept aside. */
function withoutShared(tree: Tree, path: string): Tree {
  const rest = new Map(tree);
  rest.delete(path);
  const events = (rest.get(EVENTS) ?? "").split("\n").filter((line) => !line.includes("edit:kept"));
  rest.delete(EVENTS);
  if (events.length > 1) rest.set(EVENTS, events.join("\n"));
  return rest;
}

/**
 * The window that remains: after the last look at a file, until it is renamed, removed or appended to. A save in place
 * counts until the look has read; one by rename, as soon as the look has opened the file that was there.
 */
function isInWindow(
  trace: readonly Call[],
  at: number,
  path: string,
  how: "in-place" | "by-rename",
): boolean {
  const act = trace.find(
    (call) => call.index >= at && call.path === path && ["rename", "unlink", "write"].includes(call.name),
  );
  if (act === undefined) return false;
  const looks = how === "in-place" ? ["read", "stat", "lstat"] : ["open", "stat", "lstat"];
  const look = trace.findLast(
    (call) => call.index < act.index && call.path === path && looks.includes(call.name),
  );
  return look !== undefined && at > look.index;
}

/** Saved before the work first read the file: it replaces what it knew. */
function isReadByWork(
  trace: readonly Call[],
  at: number,
  path: string,
  how: "in-place" | "by-rename",
): boolean {
  const look = trace.find((call) => call.path === path && call.name === "lstat");
  if (look === undefined) return false;
  const sees = how === "in-place" ? "read" : "open";
  const first = trace.find(
    (call) => call.path === path && call.name === sees && call.index <= look.index + 2,
  );
  return at <= (first ?? look).index;
}

function allowedAfter(outcome: Outcome, before: Tree, after: Tree): readonly Tree[] {
  switch (outcome.type) {
    case "done":
      return [after];
    case "changed":
      return [before];
    case "threw":
      // The disk failed twice, and the error says that the outcome is open.
      return String(outcome.error).includes("whether the change counts") ? [before, after] : [before];
    case "died":
      return [before, after];
  }
}

/** Before each call, and after the last. */
function points(calls: readonly Call[]): readonly number[] {
  return [...calls.map(({ index }) => index), calls.length + 1];
}

function name(calls: readonly Call[], at: number): string {
  const call = calls[at - 1];
  return call === undefined ? "after the last call" : `call ${at} (${call.name} ${call.path})`;
}

/** All subsets where there are few; else none, all, every beginning, all but one, one alone, and random ones. */
function* subsets(size: number, samples: number, seed: number): Generator<readonly boolean[]> {
  const all = Array.from({ length: size }, (_, index) => index);
  if (size <= 6) {
    for (let bits = 0; bits < 2 ** size; bits++) yield all.map((index) => (bits >> index) % 2 === 1);
    return;
  }
  for (let length = 0; length <= size; length++) yield all.map((index) => index < length);
  for (const one of all) {
    yield all.map((index) => index === one);
    yield all.map((index) => index !== one);
  }
  const random = seeded(seed);
  for (let sample = 0; sample < samples; sample++) {
    const keep = random();
    yield all.map(() => random() < keep);
  }
}

/** Numbers from 0 to 1 that are the same on every run. */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function message(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const where = error.stack?.split("\n").slice(1, 4).join("\n    ") ?? "";
  return `${error.message}\n    ${where}`;
}
