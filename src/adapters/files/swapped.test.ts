/** A folder that becomes a link to elsewhere while a commit is at work: tried before every one of its calls. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { stateOf } from "../../../test/rig/state-home.ts";
import { projectPath } from "../../core/path.ts";
import type { Change } from "../../core/ports/store.ts";
import type { Disk } from "./disk.ts";
import { nodeDisk } from "./node-disk.ts";
import { openStore } from "./store.ts";

let place: string;
const root = () => join(place, "project");
const outside = () => join(place, "outside");
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "pawl-swapped-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const THEIRS = { "old.md": "theirs\n", "gone.md": "theirs\n", "notes.md": "theirs\n" };

function begin(): void {
  for (const folder of [root(), outside()]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  mkdirSync(join(root(), "d"));
  for (const [name, text] of Object.entries(THEIRS)) {
    writeFileSync(join(root(), "d", name), text);
    writeFileSync(join(outside(), name), text);
  }
}

/** Calls `before` ahead of every call on files. */
function watched(before: (call: string) => void): Disk {
  const disk = nodeDisk(root());
  const names = [
    "open",
    "write",
    "lstat",
    "stat",
    "list",
    "mkdir",
    "rename",
    "unlink",
    "fsync",
    "close",
  ] as const;
  const wrapped = names.map((name) => [
    name,
    (...args: never[]) => {
      before(name);
      return (disk[name] as (...given: never[]) => unknown)(...args);
    },
  ]);
  return { ...disk, ...Object.fromEntries(wrapped) };
}

const write = (path: string): Change => ({ type: "write", path: projectPath(path), text: "ours\n" });
const CHANGES: Readonly<Record<string, Change>> = {
  "a new file": write("d/new.md"),
  "a replaced file": write("d/old.md"),
  "a file in a new folder": write("d/sub/new.md"),
  "a removed file": { type: "remove", path: projectPath("d/gone.md") },
  "an append": { type: "append", path: projectPath("d/notes.md"), id: "x1", text: "x1\n" },
  "an append to a new file": { type: "append", path: projectPath("d/log.md"), id: "x1", text: "x1\n" },
};

/** Commits; before call `at` the folder becomes a link. Answers which call that was; null: there were fewer. */
async function commitSwapped(change: Change, at: number): Promise<string | null> {
  begin();
  let calls = 0;
  let swapped: string | null = null;
  const store = openStore({
    root: root(),
    state: stateOf(root()),
    disk: watched((call) => {
      if (++calls !== at) return;
      swapped = call;
      renameSync(join(root(), "d"), join(root(), "d-before"));
      symlinkSync(outside(), join(root(), "d"));
    }),
  });
  await store.commit(store.view(), [change]).catch(() => {});
  return swapped;
}

/** What the system does by name in one call, which nothing can come between: an empty folder, or a removal. */
const BY_NAME: readonly unknown[] = ["mkdir", "unlink"];

describe("a folder that becomes a link during a commit", () => {
  test.each(Object.keys(CHANGES))("leads none of its texts out of the project (%s)", async (what) => {
    promise("commit.links-refused");
    const change = CHANGES[what] as Change;
    const led: (string | null)[] = [];
    let at = 1;
    for (let call: string | null = ""; call !== null; at++) {
      call = await commitSwapped(change, at);
      const there = readdirSync(outside(), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name), "utf8")]);
      const isSame = JSON.stringify(Object.fromEntries(there.sort())) === JSON.stringify(sorted(THEIRS));
      if (!isSame) led.push(call);
    }
    expect(at).toBeGreaterThan(20);
    expect(led.filter((call) => !BY_NAME.includes(call))).toEqual([]);
  });

  test("is named as what is in the way of what is committed, which is finished once it is a folder again", async () => {
    promise("commit.links-refused");
    begin();
    let isSwapped = false;
    const store = openStore({
      root: root(),
      state: stateOf(root()),
      disk: watched((call) => {
        if (call !== "rename" || isSwapped) return;
        isSwapped = true;
        renameSync(join(root(), "d"), join(root(), "d-before"));
        symlinkSync(outside(), join(root(), "d"));
      }),
    });
    expect(await store.commit(store.view(), [CHANGES["a replaced file"] as Change])).toBe("committed");
    const read = () =>
      openStore({ root: root(), state: stateOf(root()) })
        .view()
        .read(projectPath("d/old.md"));
    await expect(read()).rejects.toMatchObject({
      code: "path-outside-project",
      message: expect.stringContaining("d is a symbolic link"),
    });
    rmSync(join(root(), "d"));
    renameSync(join(root(), "d-before"), join(root(), "d"));
    expect(await read()).toBe("ours\n");
  });
});

function sorted(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).sort());
}
