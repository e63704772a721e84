/** What `pawl pull` and `pawl push` do between two stores, whatever others do at the same moment. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/adapters/files/store.ts";
import { projectPath } from "../../src/core/path.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { basePaths, type Order, type Place, pull, push } from "../../src/surfaces/cli/database/exchange.ts";
import { stateOf } from "../rig/state-home.ts";

const TASKS = projectPath("tasks.yaml");
const BASE = basePaths("p1", TASKS);
const ORDER: Order = { dryRun: false, settle: () => null };
const tasks = (...titles: readonly string[]) =>
  `tasks:\n${titles.map((title, at) => `- id: T-${at}\n  title: ${title} # ${at}\n`).join("")}`;

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function storeIn(): Store {
  const root = mkdtempSync(join(tmpdir(), "pawl-exchange-"));
  roots.push(root);
  return openStore({ root, state: stateOf(root), packaged: async () => null });
}

const read = (store: Store, path = TASKS) => store.view().read(path);

async function save(store: Store, text: string, path = TASKS): Promise<void> {
  expect(await store.commit(store.view(), [{ type: "write", path, text }])).toBe("committed");
}

/** A checkout and a database that have these tasks, and nothing else. */
async function place(text: string): Promise<Place & { readonly commits: () => number }> {
  let commits = 0;
  const [files, inner] = [storeIn(), storeIn()];
  const shared: Store = {
    ...inner,
    async commit(view, changes) {
      const done = await inner.commit(view, changes);
      if (done === "committed") commits += 1;
      return done;
    },
  };
  const event: Place["event"] = ({ added, changed, removed }) => ({
    ...{ id: `e${commits}`, time: "2026-01-01T00:00:00.000Z", type: "tasks:pushed", file: TASKS, by: "ann" },
    ...{ added: added.length, changed: changed.length, removed: removed.length },
  });
  const made = { files, shared, path: TASKS, base: BASE, shown: "db", event, revision: async () => commits };
  await save(files, text);
  await push(made, ORDER);
  return { ...made, commits: () => commits };
}

/** The store, with something that happens right before its first commit. */
function beforeCommit(store: Store, act: () => Promise<void>): Store {
  let hasActed = false;
  return {
    ...store,
    async commit(view, changes) {
      if (!hasActed) {
        hasActed = true;
        await act();
      }
      return store.commit(view, changes);
    },
  };
}

describe("An exchange of tasks", () => {
  it("is made again on what others committed right before it", async () => {
    const at = await place(tasks("a", "b"));
    await save(at.files, tasks("A", "b"));
    const shared = beforeCommit(at.shared, () => save(at.shared, tasks("a", "b", "c")));
    expect(await push({ ...at, shared }, ORDER)).toMatchObject({ conflicts: null, isBehind: true });
    expect(await read(at.shared)).toBe(tasks("A", "b", "c"));
    expect(await read(at.files)).toBe(tasks("A", "b"));

    const files = beforeCommit(at.files, () => save(at.files, tasks("A", "B")));
    expect(await pull({ ...at, files }, ORDER)).toMatchObject({ conflicts: null, isBehind: true });
    expect(await read(at.files)).toBe(tasks("A", "B", "c"));
  });

  it("is in conflict with what others committed right before it, and then writes nothing", async () => {
    const at = await place(tasks("a", "b"));
    await save(at.files, tasks("mine", "b"));
    const shared = beforeCommit(at.shared, () => save(at.shared, tasks("theirs", "b")));
    expect(await push({ ...at, shared }, ORDER)).toMatchObject({
      conflicts: [{ ids: ["T-0"], key: "title" }],
    });
    expect(await read(at.shared)).toBe(tasks("theirs", "b"));
    expect(await read(at.files)).toBe(tasks("mine", "b"));
    expect(await read(at.files, BASE.text)).toBe(tasks("a", "b"));
  });

  it("notes what it pushed, not what was saved while it pushed", async () => {
    const at = await place(tasks("a", "b"));
    await save(at.files, tasks("A", "b"));
    const shared = beforeCommit(at.shared, () => save(at.files, tasks("A", "B")));
    await push({ ...at, shared }, ORDER);
    expect(await read(at.shared)).toBe(tasks("A", "b"));
    expect(await read(at.files, BASE.text)).toBe(tasks("A", "b"));
    await push(at, ORDER);
    expect(await read(at.shared)).toBe(tasks("A", "B"));
  });

  it("happens once where it ended between the database's commit and its note", async () => {
    const at = await place(tasks("a", "b"));
    await save(at.files, tasks("A", "b"));
    const files = beforeCommit(at.files, () => Promise.reject(new Error("killed")));
    await expect(push({ ...at, files }, ORDER)).rejects.toThrow("killed");
    await save(at.shared, tasks("A", "theirs"));
    const before = at.commits();
    expect(await push(at, ORDER)).toMatchObject({ conflicts: null });
    expect(at.commits()).toBe(before);
    await pull(at, ORDER);
    expect(await read(at.files)).toBe(tasks("A", "theirs"));
  });

  it("does without a base that is gone or damaged, and brings a file back that is gone", async () => {
    const at = await place(tasks("a", "b"));
    await save(at.files, tasks("A", "b"));
    await save(at.files, "tasks: {", BASE.text);
    await save(at.files, "no number", BASE.revision);
    expect(await push(at, ORDER)).toMatchObject({ conflicts: [{ ids: ["T-0"] }] });
    expect(await push(at, { ...ORDER, settle: () => "mine" })).toMatchObject({ conflicts: null });
    expect(await read(at.shared)).toBe(tasks("A", "b"));
    await at.files.commit(at.files.view(), [{ type: "remove", path: TASKS }]);
    await expect(push(at, ORDER)).rejects.toMatchObject({ code: "tasks-missing" });
    await pull(at, ORDER);
    expect(await read(at.files)).toBe(tasks("A", "b"));
  });
});
