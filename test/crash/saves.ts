/** A person saves a file while the work goes on. */

import { seeded } from "./chance.ts";
import {
  allowedAfter,
  attempt,
  checkNextCommit,
  checkOnce,
  name,
  type Outcome,
  type Prepared,
  points,
  read,
  same,
  show,
  type Tree,
  type TryOut,
  visible,
  withWholeLog,
} from "./scenario.ts";
import type { Call } from "./sim-disk.ts";
import type { Machine } from "./sim-machine.ts";

const EVENTS = ".pawl/events.jsonl";

interface Way {
  readonly how: "in-place" | "by-rename";
  /** Whether what was in the file stays, under the person's text. */
  readonly adds: boolean;
}

const WAYS: readonly Way[] = [
  { how: "in-place", adds: false },
  { how: "by-rename", adds: false },
  { how: "by-rename", adds: true },
];

interface Save extends Way {
  readonly path: string;
  readonly text: string;
}

function save(machine: Machine, { path, how, adds, text }: Save): void {
  const there = adds ? (machine.tree().get(path) ?? "") : "";
  machine.save(path, `${text}${there}`, how);
}

/** Between any two calls; answers how many fell into the documented window. */
export async function saves(
  { shape, machine, before, after, calls }: Prepared,
  tryOut: TryOut,
): Promise<number> {
  let excused = 0;
  for (const path of shape.shared) {
    for (const way of WAYS) {
      for (const at of points(calls)) {
        const copy = machine.clone();
        const trace: Call[] = [];
        const one: Save = { ...way, path, text: `a person's text, saved before call ${at}\n` };
        const outcome = await attempt(shape, copy, (call) => {
          trace.push(call);
          if (call.index === at) save(copy, one);
          return undefined;
        });
        if (at > trace.length) save(copy, one);
        if (isReadByWork(trace, at, one)) continue;
        if (isInWindow(trace, at, one)) {
          excused++;
          continue;
        }
        const where = `${path} ${way.how}${way.adds ? ", adding," : ""} ${name(trace, at)}`;
        const cut = copy.clone();
        await tryOut("person's save", where, async () => {
          await afterSave(copy, outcome, one, before, after);
          const now = copy.tree().get(path) ?? "";
          if (at > trace.length && !now.startsWith(one.text))
            throw new Error(`saved after the work was done, and replaced by ${JSON.stringify(now)}`);
        });
        await tryOut("person's save, then power cut", where, async () => {
          cut.cutPower(() => false);
          await afterSave(cut, outcome, one, before, after);
        });
      }
    }
  }
  return excused;
}

/** A save, then a crash, and in half of the tries a power cut: at random. */
export async function savesAndCrashes(
  { shape, machine, before, after, calls }: Prepared,
  tries: number,
  tryOut: TryOut,
): Promise<void> {
  const random = seeded(1174);
  for (let i = 0; i < tries; i++) {
    const first = 1 + Math.floor(random() * (calls.length + 1));
    const later = first + Math.floor(random() * (calls.length - first + 2));
    const keep = random();
    const chance = seeded(Math.floor(random() * 1e9));
    const path = shape.shared[i % shape.shared.length] ?? "";
    const one: Save = { how: "by-rename", adds: i % 3 === 0, path, text: `a person's text ${i}\n` };
    await tryOut(
      "person's save, then crash, then power cut",
      `${path} ${first}, ${later}, try ${i}`,
      async () => {
        const copy = machine.clone();
        const trace: Call[] = [];
        const outcome = await attempt(shape, copy, (call) => {
          trace.push(call);
          if (call.index === first) save(copy, one);
          return call.index === later ? "die" : undefined;
        });
        if (trace.length < first) save(copy, one);
        if (isReadByWork(trace, first, one)) return;
        // The trace ends with the crash: that it came within the window shows only in that of the whole work.
        if (isInWindow([...trace, ...calls.slice(trace.length)], first, one)) return;
        if (i % 2 === 0) copy.cutPower(() => chance() < keep);
        await afterSave(copy, outcome, one, before, after);
      },
    );
  }
}

/** The person's text is there, everything else is as before or as after, and nothing was done twice. */
async function afterSave(
  machine: Machine,
  outcome: Outcome,
  { path, text, adds }: Save,
  before: Tree,
  after: Tree,
): Promise<void> {
  await read(machine);
  const all = machine.tree();
  if (![...all.values()].some((content) => content.includes(text.trimEnd())))
    throw new Error(`the person's text is lost: ${show(all)}`);
  const tree = visible(machine);
  checkOnce(tree);
  checkTold(all, path, text);
  const rest = withoutShared(tree, path);
  const allowed = allowedAfter(outcome, before, after);
  if (!allowed.some((one) => same(withoutShared(one, path), rest)))
    throw new Error(`the rest is neither before nor after: ${show(tree, allowed)}`);
  const missing = adds && outcome.type === "done" ? missingLines(tree, after, path) : [];
  if (missing.length > 0) throw new Error(`${path} lacks ${missing.join(", ")}: ${show(tree)}`);
  await checkNextCommit(machine, tree);
}

/** A text that was kept aside, and is not in its file any more, is told of once. */
function checkTold(all: Tree, path: string, text: string): void {
  const kept = [...all].filter(([at, content]) => at.startsWith(".pawl/kept/") && content.includes(text));
  if (kept.length === 0 || all.get(path)?.includes(text)) return;
  const log = withWholeLog(all).get(EVENTS) ?? "";
  const events = log.split("\n").filter((line) => line.includes("edit:kept"));
  const told = events.filter((line) => kept.some(([at]) => line.includes(JSON.stringify(at))));
  if (told.length !== 1) throw new Error(`kept aside, and told of ${told.length} times: ${show(all)}`);
}

/** Events that should be in the file, whatever a person added to it. */
function missingLines(tree: Tree, after: Tree, path: string): readonly string[] {
  const lines = (after.get(path) ?? "").split("\n").filter((line) => line.startsWith('{"id":'));
  return lines.filter((line) => !(tree.get(path) ?? "").split("\n").includes(line));
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
function isInWindow(trace: readonly Call[], at: number, { path, how }: Save): boolean {
  const act = trace.find(
    (call) => call.index >= at && call.path === path && ["rename", "unlink", "write"].includes(call.name),
  );
  if (act === undefined) return false;
  const looks = how === "in-place" ? ["read", "stat", "lstat"] : ["open", "stat", "lstat"];
  // What is asked of a file that was just opened tells nothing of its name.
  const isOfOpened = ({ index, name }: Call) => name === "stat" && trace[index - 2]?.name === "open";
  const look = trace.findLast(
    (call) => call.index < act.index && call.path === path && looks.includes(call.name) && !isOfOpened(call),
  );
  return look !== undefined && at > look.index;
}

/** Saved before the work first read the file: it replaces what it knew. */
function isReadByWork(trace: readonly Call[], at: number, { path, how }: Save): boolean {
  const look = trace.find((call) => call.path === path && call.name === "lstat");
  if (look === undefined) return false;
  const sees = how === "in-place" ? "read" : "open";
  const first = trace.find(
    (call) => call.path === path && call.name === sees && call.index <= look.index + 3,
  );
  return at <= (first ?? look).index;
}
