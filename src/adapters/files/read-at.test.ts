/** How files and folders are looked at, on a simulated disk. */

import { describe, expect, test } from "vitest";
import { diskWith } from "../../../test/crash/disk-with.ts";
import { SimError } from "../../../test/crash/sim-machine.ts";
import { resultOrError } from "../../../test/rig/error-texts.ts";
import { fileName } from "../../core/path.ts";
import type { Disk, EntryKind, FileStat } from "./disk.ts";
import {
  checkFolders,
  fileOnDisk,
  folderOf,
  foldersOf,
  readAndHold,
  readAt,
  readToEnd,
  statFile,
  statFolder,
  textOf,
  tryTextOf,
} from "./read-at.ts";

/** As if something of this kind were at the path. */
const withKind = (disk: Disk, at: string, kind: EntryKind): Disk => ({
  ...disk,
  lstat: (path) =>
    path === at ? ({ kind, size: 0, mode: 0o644, inode: "1" } satisfies FileStat) : disk.lstat(path),
});

test("A path has a name, a folder, and the folders on its way", () => {
  expect([folderOf("a/b/c"), fileName("a/b/c"), foldersOf("a/b/c")]).toEqual(["a/b", "c", ["a", "a/b"]]);
  expect([folderOf("a"), fileName("a"), foldersOf("a")]).toEqual(["", "a", []]);
});

describe("folders on the way", () => {
  test("are checked from the top, until one is missing", () => {
    const { called, disk } = diskWith({ "a/b/c": "" });
    expect(checkFolders(disk, "a/b/c")).toBe(true);
    expect(called("lstat")).toEqual(["a", "a/b"]);
    expect(checkFolders(disk, "a/x/y/z")).toBe(false);
    expect(called("lstat").slice(2)).toEqual(["a", "a/x"]);
    expect(checkFolders(disk, "c")).toBe(true);
    expect(called("lstat")).toHaveLength(4);
  });

  test("are looked at once in one piece of work", () => {
    const { called, disk } = diskWith({ "a/b/c": "" });
    const known = new Set<string>();
    for (const path of ["a/b/c", "a/b/d", "a/e"]) expect(checkFolders(disk, path, known)).toBe(true);
    expect([called("lstat"), [...known]]).toEqual([
      ["a", "a/b"],
      ["a", "a/b"],
    ]);
    checkFolders(disk, "a/x/y", known);
    expect([...known]).toEqual(["a", "a/b"]);
  });

  test.each<readonly [EntryKind, object]>([
    [
      "link",
      {
        code: "path-outside-project",
        message:
          "a is a symbolic link: expected a folder. Pawl follows no links inside a project, because they can lead out of it.",
        fix: "Replace the link a with a real folder.",
      },
    ],
    [
      "file",
      {
        code: "state-unreadable",
        message: "a cannot be used: expected a folder, found a file.",
        fix: "Move a away, then run the command again.",
      },
    ],
    [
      "other",
      {
        code: "state-unreadable",
        message: "a cannot be used: expected a folder, found something that is neither a file nor a folder.",
        fix: "Move a away, then run the command again.",
      },
    ],
  ])("are refused if they are a %s", (kind, expected) => {
    const disk = withKind(diskWith({ "a/b": "" }).disk, "a", kind);
    const known = new Set<string>();
    expect(resultOrError(() => checkFolders(disk, "a/b", known))).toEqual(expected);
    expect(resultOrError(() => statFile(disk, "a/b"))).toEqual(expected);
    expect(resultOrError(() => statFolder(disk, "a/b"))).toEqual(expected);
    expect(resultOrError(() => statFolder(disk, "a"))).toEqual(expected);
    expect(known).toEqual(new Set());
  });
});

describe("what is at a path", () => {
  test("is a file, or nothing", () => {
    const { disk } = diskWith({ "a/b": "four" });
    expect(statFile(disk, "a/b")).toMatchObject({ kind: "file", size: 4 });
    expect([statFile(disk, "a/x"), statFile(disk, "x/b")]).toEqual([null, null]);
    expect([readAt(disk, "a/x"), readAt(disk, "x/b")]).toEqual([null, null]);
    expect(resultOrError(() => statFile(disk, "a"))).toMatchObject({
      message: "a cannot be used: expected a file, found a folder.",
    });
  });

  test("is a folder, or nothing", () => {
    const { disk } = diskWith({ "a/b/c": "" });
    expect(statFolder(disk, "a/b")).toMatchObject({ kind: "folder" });
    expect([statFolder(disk, "a/x"), statFolder(disk, "x/b")]).toEqual([null, null]);
    expect(resultOrError(() => statFolder(disk, "a/b/c"))).toMatchObject({
      message: "a/b/c cannot be used: expected a folder, found a file.",
    });
  });

  test("is nothing if it, or a folder on its way, is gone, whatever the disk would say of it", () => {
    const there: FileStat = { kind: "file", size: 1, mode: 0o644, inode: "1" };
    const disk: Disk = { ...diskWith({}).disk, lstat: (path) => (path === "a/b" ? there : null) };
    expect([statFile(disk, "a/b"), statFolder(disk, "a/b")]).toEqual([null, null]);
    const unseen: Disk = {
      ...diskWith({ a: "text" }).disk,
      lstat: () => null,
    };
    expect(readAt(unseen, "a")).toBeNull();
  });

  test("is read with its permissions, and its hash if that is asked for", () => {
    const { disk, file } = diskWith({ a: "text" });
    file("a").mode = 0o600;
    const found = readAt(disk, "a");
    expect([Buffer.from(found?.bytes ?? []).toString(), found?.mode]).toEqual(["text", 0o600]);
    expect(found?.hash).toBe("982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1");
    const other = fileOnDisk(Buffer.from("text"), 0o644);
    expect(other.hash).toBe(other.hash);
  });

  test("is held open, or closed", () => {
    const { disk, open } = diskWith({ a: "text" });
    readAt(disk, "a");
    expect(open).toEqual(new Set());
    const { fd } = readAndHold(disk, "a");
    expect(open).toEqual(new Set([fd]));
    expect(readAndHold(disk, "x")).toEqual({ file: null, fd: null });
    const failing: Disk = {
      ...disk,
      read() {
        throw new SimError("EIO", "a");
      },
    };
    expect(resultOrError(() => readAt(failing, "a"))).toMatchObject({ code: "EIO" });
    expect(open).toEqual(new Set([fd]));
  });

  test("is nothing if it is removed between the check and the opening, and an error if it cannot be opened", () => {
    const { disk } = diskWith({ a: "text" });
    const failing = (code: string): Disk => ({
      ...disk,
      open(path) {
        throw new SimError(code, path);
      },
    });
    expect(readAt(failing("ENOENT"), "a")).toBeNull();
    expect(resultOrError(() => readAt(failing("EACCES"), "a"))).toMatchObject({ code: "EACCES" });
  });
});

describe("a file is read to its end", () => {
  /** Its size is told wrong; each read may return so many bytes at most. */
  const read = (text: string, expected: number) => {
    const { disk } = diskWith({ a: text });
    const asked: (readonly [number, number])[] = [];
    const watched: Disk = {
      ...disk,
      read(fd, offset, length) {
        asked.push([offset, length]);
        return disk.read(fd, offset, length);
      },
    };
    const bytes = readToEnd(watched, watched.open("a", "read"), expected);
    return { text: Buffer.from(bytes).toString(), asked };
  };

  test("by one call if its size is as it was, or less", () => {
    expect(read("text", 4)).toEqual({ text: "text", asked: [[0, 5]] });
    expect(read("te", 4)).toEqual({ text: "te", asked: [[0, 5]] });
    expect(read("", 0)).toEqual({ text: "", asked: [[0, 1]] });
  });

  test("by more if it has grown", () => {
    const long = "x".repeat(150_000);
    expect(read(long, 4)).toEqual({
      text: long,
      asked: [
        [0, 5],
        [5, 65_536],
        [65_541, 65_536],
        [131_077, 65_536],
        [150_000, 65_536],
      ],
    });
    expect(read("12345", 4)).toEqual({
      text: "12345",
      asked: [
        [0, 5],
        [5, 65_536],
      ],
    });
  });
});

describe("bytes as text", () => {
  test("are decoded as they are, with a byte order mark", () => {
    expect(textOf(Buffer.from("\uFEFFé\r\n"), "a")).toBe("\uFEFFé\r\n");
    expect(tryTextOf(Uint8Array.of(0xff))).toBeNull();
  });

  test.each<readonly [string, Uint8Array, number, number]>([
    ["at once", Uint8Array.of(0xff), 1, 0],
    ["behind letters of several bytes", Buffer.from([0xc3, 0xa9, 0x0a, 0x41, 0xff, 0x42]), 2, 4],
    ["in the middle of a letter that ends there", Buffer.from([0x41, 0xc3]), 1, 1],
    ["in a letter that goes on otherwise", Buffer.from([0x0a, 0x0a, 0xe2, 0x82, 0x41]), 3, 4],
  ])("are refused if they are none: %s", (_, bytes, line, at) => {
    expect(resultOrError(() => textOf(bytes, "a.md"))).toEqual({
      code: "state-unreadable",
      message: `The file a.md is not valid UTF-8: expected text, found invalid bytes in line ${line} (at byte ${at}).`,
      fix: "Save a.md as UTF-8 in your editor, or restore an earlier version.",
    });
  });
});
