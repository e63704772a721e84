import { mkdirSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { stateOf } from "../../../test/rig/state-home.ts";
import { projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import { openMemory } from "./memory.ts";
import { openStore } from "./store.ts";

let root: string;
let isPending: boolean;
/** As far ahead of the file system's time as a test wants. */
let ahead: number;
let made: number;
let memory: ReturnType<typeof openMemory>;
const HOUR = 3_600_000;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-memory-"));
  mkdirSync(join(root, "runs"));
  writeFileSync(join(root, "runs/a"), "one");
  [isPending, ahead, made] = [false, HOUR, 0];
  memory = openMemory({ root, isPending: () => isPending, now: () => Date.now() + ahead });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, text: string) => writeFileSync(join(root, path), text);

/** What a fresh view shows: a file, another that may be missing, and a folder. */
async function look(): Promise<string> {
  const view = openStore({ root, state: stateOf(root) }).view();
  const compute = async (seen: View) => {
    made += 1;
    const names = (await seen.list(projectPath("runs"))).map(({ name }) => name);
    return `${await seen.read(projectPath("runs/a"))} ${await seen.read(projectPath("more/b"))} ${names}`;
  };
  return memory.recall("a", view, compute);
}

it("Computes once while the files stay as they are", async () => {
  expect([await look(), await look(), await look()]).toEqual(Array(3).fill("one null a"));
  expect(made).toBe(1);
});

it("Computes again after each change: of a text, of one as long with its time set back, of what was missing, of a folder", async () => {
  await look();
  put("runs/a", "two");
  expect(await look()).toBe("two null a");
  put("runs/a", "six");
  utimesSync(join(root, "runs/a"), 1, 1);
  expect(await look()).toBe("six null a");
  mkdirSync(join(root, "more"));
  put("more/b", "three");
  expect(await look()).toBe("six three a");
  put("runs/c", "");
  expect(await look()).toBe("six three a,c");
  unlinkSync(join(root, "more/b"));
  expect(await look()).toBe("six null a,c");
  expect(made).toBe(6);
  await look();
  expect(made).toBe(6);
});

it("Keeps nothing that changed a moment ago, or that is gone since a moment ago", async () => {
  ahead = 0;
  await look();
  await look();
  expect(made).toBe(2);
});

it("Keeps nothing and recalls nothing while a commit waits in the journal", async () => {
  await look();
  isPending = true;
  await look();
  await look();
  expect(made).toBe(3);
});

it("Lets others have their turn while it computes much", async () => {
  let isTurn = false;
  setImmediate(() => {
    isTurn = true;
  });
  const view = openStore({ root, state: stateOf(root) }).view();
  for (const key of ["a", "b"])
    await memory.recall(key, view, async () => {
      expect(isTurn).toBe(key === "b");
      ahead += 100;
    });
});
