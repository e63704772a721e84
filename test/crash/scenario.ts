/** One try: a shape's work on a simulated machine, with a fate for each call, and what must hold afterwards. */

import { folderOf } from "../../src/adapters/files/read-at.ts";
import { openStore, type StoreOptions } from "../../src/adapters/files/store.ts";
import { EVENTS } from "../../src/core/event.ts";
import { asideNames, asideNumber, wholeLog } from "../../src/core/log-parts.ts";
import { fileName, type ProjectPath, projectPath } from "../../src/core/path.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { append, EDITORS, type Shape, write } from "./shapes.ts";
import { type Call, Death, type Fate, STATE_HOME, simDisk, simState } from "./sim-disk.ts";
import { Machine } from "./sim-machine.ts";

export type Tree = ReadonlyMap<string, string>;

export interface Prepared {
  readonly shape: Shape;
  readonly machine: Machine;
  readonly before: Tree;
  readonly after: Tree;
  /** Every call of the work when nothing happens. */
  readonly calls: readonly Call[];
}

export type Outcome =
  | { readonly type: "done" }
  | { readonly type: "changed" }
  | { readonly type: "threw"; readonly error: unknown }
  | { readonly type: "died" };

export function open(
  machine: Machine,
  fateOf?: (call: Call) => Fate,
  more: Partial<StoreOptions> = {},
): Store {
  const disk = simDisk(machine, fateOf);
  return openStore({
    ...more,
    root: "/",
    disk,
    state: simState(disk),
    editors: async () => EDITORS,
    commitWaitMilliseconds: 100,
  });
}

export async function prepare(shape: Shape): Promise<Prepared> {
  const machine = new Machine();
  for (const [path, text] of Object.entries(shape.files)) machine.save(path, text, "in-place");
  const options = optionsOf(shape);
  await shape.before?.(open(machine, undefined, options));
  const before = visible(machine);
  const reference = machine.clone();
  const calls: Call[] = [];
  const store = open(
    reference,
    (call) => {
      calls.push(call);
      return undefined;
    },
    options,
  );
  if (!(await shape.run(store))) throw new Error(`${shape.name}: does not work even without a fault`);
  return { shape, machine, before, after: visible(reference), calls };
}

export async function attempt(
  shape: Shape,
  machine: Machine,
  fateOf: (call: Call) => Fate,
): Promise<Outcome> {
  let died = false;
  const watched = (call: Call) => {
    const fate = fateOf(call);
    died ||= fate === "die" || fate === "die-halfway" || fate === "stop";
    return fate;
  };
  try {
    const done = await shape.run(open(machine, watched, optionsOf(shape)));
    if (died) return { type: "died" };
    return { type: done ? "done" : "changed" };
  } catch (error) {
    if (died || error instanceof Death) return { type: "died" };
    return { type: "threw", error };
  }
}

function optionsOf({ eventsBytes, journalBytes }: Shape): Partial<StoreOptions> {
  return {
    ...(eventsBytes === undefined ? {} : { eventsBytes }),
    ...(journalBytes === undefined ? {} : { journalBytes }),
  };
}

const CONTROL = /^\.pawl\/(journal|\.gitignore|locks\/|kept\/)/;

/** Every file but the store's own. What was put aside of the event log is in its place in the log, as readers see it. */
export function visible(machine: Machine): Tree {
  const isOwn = (path: string) => CONTROL.test(path) || path.startsWith(`${STATE_HOME}/`);
  return withWholeLog(new Map([...machine.tree()].filter(([path]) => !isOwn(path))));
}

export function withWholeLog(tree: Tree): Tree {
  const aside = [...tree.keys()].filter((path) => asideNumber(fileName(path)) !== null).sort();
  if (aside.length === 0) return tree;
  const texts = aside.map((path) => tree.get(path) ?? "");
  const others = [...tree].filter(([path]) => !aside.includes(path));
  return new Map(others).set(EVENTS, wholeLog(texts, tree.get(EVENTS) ?? null));
}

export function same(a: Tree, b: Tree): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
}

/** The trees that may be after an outcome. */
export function allowedAfter(outcome: Outcome, before: Tree, after: Tree): readonly Tree[] {
  switch (outcome.type) {
    case "done":
      return [after];
    case "changed":
      return [before];
    case "threw":
      // The disk failed twice, and the error says that the outcome is open.
      return String(outcome.error).includes("Whether the change was committed") ? [before, after] : [before];
    case "died":
      return [before, after];
  }
}

/** Before each call, and after the last. */
export function points(calls: readonly Call[]): readonly number[] {
  return [...calls.map(({ index }) => index), calls.length + 1];
}

export function name(calls: readonly Call[], at: number): string {
  const call = calls[at - 1];
  return call === undefined ? "after the last call" : `call ${at} (${call.name} ${call.path})`;
}

/** What must hold after anything: throws where it does not. `allowed` are the trees that may be. */
export async function verify(machine: Machine, allowed: readonly Tree[]): Promise<Tree> {
  await read(machine);
  const tree = visible(machine);
  checkOnce(tree);
  if (!allowed.some((one) => same(one, tree)))
    throw new Error(`neither before nor after: ${show(tree, allowed)}`);
  await checkNextCommit(machine, tree);
  return tree;
}

export function checkOnce(tree: Tree): void {
  const twice = [...tree].find(([, content]) => hasTwice(content));
  if (twice !== undefined) throw new Error(`done twice: ${show(new Map([twice]))}`);
}

/** An edit redone twice, or an event appended twice. */
function hasTwice(content: string): boolean {
  const lines = content.split("\n").filter((line) => line === "three" || line.startsWith('{"id":'));
  return new Set(lines).size < lines.length;
}

/** The next transaction works, what it wrote is read, and all of it outlasts a power cut once it is settled. */
export async function checkNextCommit(machine: Machine, tree: Tree): Promise<void> {
  const store = open(machine);
  const view = store.view();
  const next = projectPath("next.md");
  await view.read(next);
  const result = await store.commit(view, [write("next.md", "next\n"), append(".pawl/events.jsonl", "next")]);
  if (result !== "committed") throw new Error(`the next commit was ${result}`);
  if ((await open(machine).view().read(next)) !== "next\n") throw new Error("the next commit is not read");
  const events = tree.get(".pawl/events.jsonl") ?? "";
  const expected = new Map(tree)
    .set("next.md", "next\n")
    .set(".pawl/events.jsonl", `${events}{"id":"next"}\n`);
  if (!same(visible(machine), expected))
    throw new Error(`the next commit left: ${show(visible(machine), [expected])}`);
  await open(machine).settle();
  machine.cutPower(() => false);
  await read(machine);
  if (!same(visible(machine), expected))
    throw new Error(`settled, and not all there: ${show(visible(machine), [expected])}`);
}

/** A fresh process that reads: what is pending is replayed. */
export async function read(machine: Machine): Promise<void> {
  await open(machine).view().read(projectPath("readme.md"));
}

/** What a full disk refuses, and what a broken one does besides. */
const REFUSED = {
  ENOSPC: new Set(["write", "mkdir"]),
  EIO: new Set(["write", "mkdir", "rename", "unlink", "truncate", "chmod", "fsync", "fsyncFolder"]),
};

/** A fresh process shows the files as they will be, though it may write none; and says that they are not so yet. */
export async function readWhileRefused(
  machine: Machine,
  code: keyof typeof REFUSED,
  allowed: readonly Tree[],
  paths: readonly string[],
): Promise<void> {
  const store = open(machine, ({ name }) => (REFUSED[code].has(name) ? code : undefined));
  const view = store.view();
  const seen = new Map<string, string>();
  const inControl = (await view.list(folderOf(EVENTS) as ProjectPath)).map(({ name }) => name);
  const aside = asideNames(inControl).map((name) => `${folderOf(EVENTS)}/${name}`);
  for (const path of new Set([...paths, ...aside])) {
    const text = await view.read(projectPath(path));
    if (text !== null) seen.set(path, text);
    const listed = path.includes("/") ? await view.list(projectPath(folderOf(path))) : null;
    const isListed = listed?.some(({ kind, name }) => kind === "file" && name === fileName(path));
    if (listed !== null && isListed !== (text !== null))
      throw new Error(`${path} is ${text === null ? "absent" : "there"}, and its folder says otherwise`);
  }
  if (!allowed.some((one) => same(one, withWholeLog(seen))))
    throw new Error(`read while the disk refuses: ${show(seen, allowed)}`);
  if (!(await store.holds(view))) throw new Error("what was read does not hold, and nobody changed it");
  const isThere = [...seen].every(([path, text]) => machine.tree().get(path) === text);
  if (!isThere && store.pending() === null) throw new Error("nothing is said of what is pending");
}

export function show(tree: Tree, expected: readonly Tree[] = []): string {
  const short = (one: Tree) =>
    `{${[...one].map(([path, text]) => `${path}: ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…${text.length}` : text)}`).join(", ")}}`;
  return [`found ${short(tree)}`, ...expected.map((one) => `expected ${short(one)}`)].join("\n      ");
}

export type TryOut = (kind: string, where: string, work: () => Promise<void>) => Promise<void>;
