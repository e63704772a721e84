/** `pawl push` between two stores, whatever others do at the same moment. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/adapters/files/store.ts";
import { EVENTS } from "../../src/core/event.ts";
import { projectPath } from "../../src/core/path.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { push, type Target } from "../../src/surfaces/cli/database/push.ts";
import { exportedPath } from "../../src/surfaces/cli/database/shared-state.ts";
import { promise } from "../rig/promise.ts";
import { stateOf } from "../rig/state-home.ts";

const TASKS = projectPath("tasks.yaml");
const EXPORTED = exportedPath(TASKS);
const tasks = (...titles: readonly string[]) =>
  `tasks:\n${titles.map((title, at) => `- id: T-${at}\n  title: ${title} # ${at}\n`).join("")}`;

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function storeIn(): Store {
  const root = mkdtempSync(join(tmpdir(), "pawl-push-"));
  roots.push(root);
  return openStore({ root, state: stateOf(root), packaged: async () => null });
}

const read = (store: Store, path = TASKS) => store.view().read(path);

async function save(store: Store, text: string, path = TASKS): Promise<void> {
  expect(await store.commit(store.view(), [{ type: "write", path, text }])).toBe("committed");
}

/** An exported folder whose tasks file was edited, and the database as it was at the export. */
async function edited(exported: string, mine: string): Promise<Target> {
  const [files, shared] = [storeIn(), storeIn()];
  await save(shared, exported);
  await save(files, exported, EXPORTED);
  await save(files, mine);
  const event: Target["event"] = ({ added, changed, removed }) => ({
    ...{ id: "e1", time: "2026-01-01T00:00:00.000Z", type: "tasks:pushed", file: TASKS, by: "ann" },
    ...{ added: added.length, changed: changed.length, removed: removed.length },
  });
  return { files, shared, path: TASKS, shown: "db", event };
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

describe("A push of exported tasks", () => {
  it("replaces the tasks that were exported, once, with an event, and can be followed by another", async () => {
    promise("backlog.push");
    const target = await edited(tasks("a", "b"), tasks("A", "b", "c"));
    expect(await push(target)).toEqual({ added: ["T-2"], changed: ["T-0"], removed: [] });
    expect(await read(target.shared)).toBe(tasks("A", "b", "c"));
    expect(await push(target)).toBeNull();
    expect((await read(target.shared, EVENTS))?.match(/"tasks:pushed"/g)).toHaveLength(1);
    await save(target.files, tasks("A", "B"));
    expect(await push(target)).toEqual({ added: [], changed: ["T-1"], removed: ["T-2"] });
    expect(await read(target.shared)).toBe(tasks("A", "B"));
  });

  it("is refused once others changed the tasks, names what they changed, and changes nothing", async () => {
    promise("backlog.push");
    const target = await edited(tasks("a", "b"), tasks("mine", "b"));
    await save(target.shared, tasks("a", "theirs", "c"));
    await expect(push(target)).rejects.toMatchObject({
      code: "database-differs",
      message: expect.stringContaining("1 task new (T-2), 1 task changed (T-1). Nothing was pushed."),
    });
    expect(await read(target.shared)).toBe(tasks("a", "theirs", "c"));
    expect(await read(target.shared, EVENTS)).toBeNull();
    expect(await read(target.files)).toBe(tasks("mine", "b"));
    expect(await read(target.files, EXPORTED)).toBe(tasks("a", "b"));
  });

  it("is refused for what others commit right before it", async () => {
    promise("backlog.push");
    const target = await edited(tasks("a", "b"), tasks("mine", "b"));
    const shared = beforeCommit(target.shared, () => save(target.shared, tasks("a", "theirs")));
    await expect(push({ ...target, shared })).rejects.toMatchObject({
      code: "database-differs",
      message: expect.stringContaining("1 task changed (T-1)"),
    });
    expect(await read(target.shared)).toBe(tasks("a", "theirs"));
  });

  it("is refused for a file that was never exported, unless the database has the same tasks or none", async () => {
    promise("backlog.push");
    const target = await edited(tasks("a"), tasks("mine"));
    await target.files.commit(target.files.view(), [{ type: "remove", path: EXPORTED }]);
    await expect(push(target)).rejects.toMatchObject({
      code: "database-differs",
      message: expect.stringContaining("was not exported from db"),
    });
    await target.shared.commit(target.shared.view(), [{ type: "remove", path: TASKS }]);
    expect(await push(target)).toEqual({ added: ["T-0"], changed: [], removed: [] });
    await target.files.commit(target.files.view(), [{ type: "remove", path: EXPORTED }]);
    expect(await push(target)).toBeNull();
    expect(await read(target.files, EXPORTED)).toBe(tasks("mine"));
  });

  it("notes what it pushed, not what was saved while it pushed", async () => {
    promise("backlog.push");
    const target = await edited(tasks("a", "b"), tasks("A", "b"));
    const shared = beforeCommit(target.shared, () => save(target.files, tasks("A", "B")));
    await push({ ...target, shared });
    expect(await read(target.shared)).toBe(tasks("A", "b"));
    expect(await read(target.files, EXPORTED)).toBe(tasks("A", "b"));
    await push(target);
    expect(await read(target.shared)).toBe(tasks("A", "B"));
  });

  it("happens once if it ends between the database's commit and its note", async () => {
    promise("backlog.push");
    const target = await edited(tasks("a", "b"), tasks("A", "b"));
    const files = beforeCommit(target.files, () => Promise.reject(new Error("killed")));
    await expect(push({ ...target, files })).rejects.toThrow("killed");
    expect(await push(target)).toBeNull();
    expect((await read(target.shared, EVENTS))?.match(/"tasks:pushed"/g)).toHaveLength(1);
    expect(await read(target.files, EXPORTED)).toBe(tasks("A", "b"));
  });

  it("is refused for tasks with problems", async () => {
    promise("backlog.push");
    const target = await edited(tasks("a", "b"), tasks("a", "b").replace("T-1", "T-0"));
    await expect(push(target)).rejects.toMatchObject({ code: "tasks-invalid" });
    expect(await read(target.shared)).toBe(tasks("a", "b"));
  });
});
