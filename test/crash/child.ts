/**
 * A process of the crash proof, on a real disk. Its argument is a task as JSON; its answer is one line of JSON.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Disk } from "../../src/adapters/files/disk.ts";
import { nodeDisk } from "../../src/adapters/files/node-disk.ts";
import type { StateFolder } from "../../src/adapters/files/project-key.ts";
import { openStateFolder } from "../../src/adapters/files/state-folder.ts";
import { openStore } from "../../src/adapters/files/store.ts";
import { projectPath } from "../../src/core/path.ts";
import { holding } from "../rig/holding.ts";
import { append, EDITORS, SHAPES, write } from "./shapes.ts";

export type Task =
  /** Runs a shape and kills itself with SIGKILL before its call `at`; never where that is 0. */
  | { readonly type: "run"; readonly root: string; readonly shape: string; readonly at: number }
  /** As a fresh process: looks whether each project is as before or as after, and goes on. */
  | {
      readonly type: "check";
      readonly roots: readonly string[];
      readonly allowed: readonly Readonly<Record<string, string>>[];
    }
  /** Adds one to a number, again and again, each time as a run's transaction. */
  | {
      readonly type: "count";
      readonly root: string;
      readonly run: string;
      readonly file: string;
      readonly times: number;
      readonly name: string;
    };

export interface RunAnswer {
  readonly calls: number;
  readonly tree: Readonly<Record<string, string>>;
}

export interface CheckAnswer {
  readonly failures: readonly string[];
}

/** What is kept of the project outside of it: beside it, so that both are copied. */
export function stateOf(root: string): StateFolder {
  return openStateFolder(`${root}.state`);
}

const UNCOUNTED: ReadonlySet<keyof Disk> = new Set([
  "bootId",
  "pid",
  "now",
  "uniqueId",
  "random",
  "sleep",
  "prepareLocks",
  "closeLater",
]);

/** Disks with one count of their calls; before call `at` the process is killed as by `kill -9`. */
function countCalls(at: number): { counting: (disk: Disk) => Disk; calls: () => number } {
  let calls = 0;
  const counting = (disk: Disk) => countingDisk(disk, () => ++calls, at);
  return { counting, calls: () => calls };
}

function countingDisk(disk: Disk, count: () => number, at: number): Disk {
  const counted = { ...disk } as Record<string, unknown>;
  for (const [name, call] of Object.entries(disk)) {
    if (typeof call !== "function" || UNCOUNTED.has(name as keyof Disk)) continue;
    counted[name] = (...args: unknown[]) => {
      if (count() === at) {
        process.kill(process.pid, "SIGKILL");
        // The signal is on its way to this very thread: nothing else may happen.
        for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
      }
      return (call as (...args: unknown[]) => unknown)(...args);
    };
  }
  return counted as unknown as Disk;
}

async function run({ root, shape: name, at }: Extract<Task, { type: "run" }>): Promise<RunAnswer> {
  const shape = SHAPES.find((one) => one.name === name);
  if (shape === undefined) throw new Error(`no shape ${name}`);
  const { counting, calls } = countCalls(at);
  const place = stateOf(root);
  const disk = counting(nodeDisk(root));
  const state = { ...place, disk: counting(place.disk) };
  const more = shape.journalBytes === undefined ? {} : { journalBytes: shape.journalBytes };
  if (!(await shape.run(openStore({ root, disk, state, editors: async () => EDITORS, ...more }))))
    throw new Error("not committed");
  return { calls: calls(), tree: readTree(root) };
}

async function check({ roots, allowed }: Extract<Task, { type: "check" }>): Promise<CheckAnswer> {
  const failures: string[] = [];
  for (const root of roots) {
    try {
      await checkOne(root, allowed);
    } catch (error) {
      failures.push(`${root}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { failures };
}

async function checkOne(root: string, allowed: readonly Readonly<Record<string, string>>[]): Promise<void> {
  const store = openStore({ root, state: stateOf(root), editors: async () => EDITORS });
  await store.view().read(projectPath("readme.md"));
  const tree = readTree(root);
  const found = JSON.stringify(tree);
  if (!allowed.some((one) => JSON.stringify(one) === found))
    throw new Error(`neither before nor after: ${found}\nexpected one of ${JSON.stringify(allowed)}`);
  const view = store.view();
  await view.read(projectPath("next.md"));
  const changes = [write("next.md", "next\n"), append(".pawl/events.jsonl", "next")];
  const result = await store.commit(view, changes);
  if (result !== "committed") throw new Error(`the next commit was ${result}`);
  const events = `${tree[".pawl/events.jsonl"] ?? ""}{"id":"next"}\n`;
  const expected = sorted({ ...tree, "next.md": "next\n", ".pawl/events.jsonl": events });
  await store.settle();
  const after = JSON.stringify(readTree(root));
  if (after !== JSON.stringify(expected)) throw new Error(`the next commit left ${after}`);
}

async function count({
  root,
  run,
  file,
  times,
  name,
}: Extract<Task, { type: "count" }>): Promise<CheckAnswer> {
  const waits = { holdWaitMilliseconds: 120_000, commitWaitMilliseconds: 120_000 };
  const store = openStore({ root, state: stateOf(root), ...waits });
  const path = projectPath(file);
  for (let done = 0; done < times; ) {
    const result = await holding(store, run, async () => {
      const view = store.view();
      const number = Number((await view.read(path)) ?? "0");
      const id = `${name}-${done}`;
      return store.commit(view, [write(file, `${number + 1}`), append(".pawl/events.jsonl", id)]);
    });
    // Another writer of the run can only be one that does not hold its lock.
    if (result !== "committed") throw new Error(`commit ${done} of ${name} was ${result}`);
    done++;
  }
  return { failures: [] };
}

/** Every file but the store's own, by path. */
export function readTree(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (/^\.pawl\/(journal|\.gitignore|locks\/|kept\/)/.test(path)) continue;
    files[path] = readFileSync(join(root, path), "utf8");
  }
  return sorted(files);
}

function sorted(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
}

if (process.argv[2]?.startsWith("{")) {
  const task = JSON.parse(process.argv[2]) as Task;
  const answer = await (task.type === "run" ? run(task) : task.type === "check" ? check(task) : count(task));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
