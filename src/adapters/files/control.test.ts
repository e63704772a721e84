/** What the store keeps for itself, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../test/crash/disk-with.ts";
import { ensureControl, ensureFolder, isReserved, isTemporary } from "./control.ts";
import type { Disk } from "./disk.ts";

describe("the store's own folder", () => {
  test("is made with its .gitignore, the locks last, and found there after that", () => {
    const { disk, done, tree } = diskWith({});
    ensureControl(disk);
    expect(tree()).toEqual({ ".pawl/.gitignore": "*\n" });
    expect(done().filter((call) => /^(mkdir|open) /.test(call))).toEqual([
      ...["mkdir .pawl", "open .pawl/.gitignore", "mkdir .pawl/locks"],
    ]);
    const before = done().length;
    ensureControl(disk);
    expect(
      done()
        .slice(before)
        .every((call) => call.startsWith("lstat ")),
    ).toBe(true);
  });

  test("keeps a .gitignore that is there, also one that another process makes at that moment", () => {
    const there = diskWith({ ".pawl/.gitignore": "mine\n" });
    ensureControl(there.disk);
    expect(there.tree()).toEqual({ ".pawl/.gitignore": "mine\n" });
    const raced = diskWith({ ".pawl/.gitignore": "theirs\n" });
    const blind: Disk = {
      ...raced.disk,
      lstat: (path) => (path.endsWith(".gitignore") ? null : raced.disk.lstat(path)),
    };
    ensureControl(blind);
    expect(raced.tree()).toEqual({ ".pawl/.gitignore": "theirs\n" });
  });

  test("is made whole if there was no room for the text of its .gitignore", () => {
    let isFull = true;
    const { disk, tree } = diskWith({}, ({ name }) => (isFull && name === "write" ? "ENOSPC" : undefined));
    expect(() => ensureControl(disk)).toThrow("ENOSPC");
    isFull = false;
    ensureControl(disk);
    expect(tree()).toEqual({ ".pawl/.gitignore": "*\n" });
  });

  test("is told where it cannot be made", () => {
    const full = (path: string) =>
      diskWith({}, (call) => (call.path === path && call.name !== "lstat" ? "ENOSPC" : undefined)).disk;
    for (const path of [".pawl", ".pawl/.gitignore", ".pawl/locks"])
      expect(() => ensureControl(full(path))).toThrow("ENOSPC");
    const { disk } = diskWith({ "a/b": "" });
    ensureFolder(disk, "a");
    expect(() => ensureFolder(disk, "x/y")).toThrow();
  });

  test.each([
    ".pawl",
    ".pawl/journal",
    ".pawl/.gitignore",
    ".pawl/locks",
    ".pawl/locks/x",
    ".pawl/kept",
    ".pawl/kept/a/b",
    ".PAWL/Journal",
    ".pawl./locks. /x",
    "a/.b.pawl-tmp",
    ".b.pawl-tmp/a",
  ])("keeps %s for itself", (path) => {
    expect(isReserved(path)).toBe(true);
  });

  test.each([
    "a",
    ".pawl/events.jsonl",
    ".pawl/journals",
    ".pawl/keptx",
    ".pawl/lockss/x",
    "x/.pawl/journal",
    "a.pawl-tmp",
    ".pawl-tmp",
    "pawl/kept/a",
  ])("leaves %s to others", (path) => {
    expect(isReserved(path)).toBe(false);
  });

  test("knows its temporary files in any folder", () => {
    const paths = ["a/.b.pawl-tmp", ".b.pawl-tmp", "a/b.pawl-tmp", ".b.pawl-tmp/a", "a/.b.pawl-tmpx"];
    expect(paths.map(isTemporary)).toEqual([true, true, false, false, false]);
  });
});
