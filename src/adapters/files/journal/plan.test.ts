/** Which steps come of a change set, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../../test/crash/disk-with.ts";
import { append, edit, move, remove, write } from "../../../../test/crash/shapes.ts";
import { resultOrError } from "../../../../test/rig/error-texts.ts";
import { hashOf } from "../../../core/hash.ts";
import type { Change } from "../../../core/ports/store.ts";
import type { Disk } from "../disk.ts";
import type { FileOnDisk } from "../read-at.ts";
import { planSteps } from "./plan.ts";

type Files = Readonly<Record<string, string>>;

const planOn = (disk: Disk, changes: readonly Change[], looked = new Map<string, FileOnDisk | null>()) =>
  planSteps({ disk, filesRead: looked, checkedFolders: new Set() }, changes);
const plan = (files: Files, ...changes: readonly Change[]) => planOn(diskWith(files).disk, changes);
const hash = (content: string | Uint8Array) => hashOf(Buffer.from(content));
const put = (path: string, before: string | null, text: string, more: object = {}) => ({
  ...{ type: "put", path, before: before === null ? null : hash(before), after: hash(text), text },
  ...more,
});
const drop = (path: string, before: string) => ({ type: "drop", path, before: hash(before) });
const line = (path: string, id: string, offset: number, text: string) => ({
  ...{ type: "append", path, id, offset, text },
});

describe("a path that is changed once", () => {
  test.each<readonly [string, Files, Change, readonly object[]]>([
    ["a new file", {}, write("a", "new\n"), [put("a", null, "new\n")]],
    ["a file that is replaced", { a: "old\n" }, write("a", "new\n"), [put("a", "old\n", "new\n")]],
    ["a file that is removed", { a: "old\n" }, remove("a"), [drop("a", "old\n")]],
    ["a file that is not there to be removed", {}, remove("a"), []],
    ["a line of a new file", {}, append("a", "1", "one\n"), [line("a", "1", 0, "one\n")]],
    ["a line of an empty file", { a: "" }, append("a", "1", "one\n"), [line("a", "1", 0, "one\n")]],
    ["a line behind a line", { a: "zero\n" }, append("a", "1", "one\n"), [line("a", "1", 5, "one\n")]],
    ["a line behind half a line", { a: "zero" }, append("a", "1", "one\n"), [line("a", "1", 4, "\none\n")]],
    ["a text without an end behind it", { a: "zero" }, append("a", "1", "one"), [line("a", "1", 4, "one")]],
    [
      "an edit",
      { a: "one\n" },
      edit("a", "one\ntwo\n", "two"),
      [put("a", "one\n", "one\ntwo\n", { redo: { editor: "lines", edits: ["two"] } })],
    ],
    [
      "a file that is moved into a folder",
      { a: "one\n" },
      move("a", "done/a"),
      [put("done/a", null, "one\n"), drop("a", "one\n")],
    ],
  ])("%s", (_, files, change, expected) => {
    expect(plan(files, change)).toEqual(expected);
  });

  test("a file of other bytes than text is moved as it is, with its permissions and nothing else", () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0);
    const { disk, file } = diskWith({ a: "" });
    Object.assign(file("a"), { bytes: Buffer.from(bytes), mode: 0o4755 });
    expect(planOn(disk, [move("a", "b")])).toEqual([
      {
        ...{ type: "put", path: "b", before: null, after: hash(bytes), mode: 0o755 },
        base64: Buffer.from(bytes).toString("base64"),
      },
      { type: "drop", path: "a", before: hash(bytes) },
    ]);
  });
});

describe("a path that is changed several times", () => {
  test.each<readonly [string, Files, readonly Change[], readonly object[]]>([
    [
      "lines are one after the other, and each begins anew",
      { a: "zero" },
      [append("a", "1", "one\n"), append("a", "2", "two"), append("a", "3", "three\n")],
      [line("a", "1", 4, "\none\n"), line("a", "2", 9, "two"), line("a", "3", 12, "\nthree\n")],
    ],
    [
      "a letter counts as its bytes",
      { a: "zero\n" },
      [append("a", "1", "é\n"), append("a", "2", "two\n")],
      [line("a", "1", 5, "é\n"), line("a", "2", 8, "two\n")],
    ],
    [
      "a line behind a file that is written is part of it",
      { a: "old\n" },
      [write("a", "new"), append("a", "1", "one\n")],
      [put("a", "old\n", "new\none\n")],
    ],
    [
      "so is a line behind a whole line, and behind nothing",
      {},
      [write("a", "new\n"), append("a", "1", "one\n"), write("b", ""), append("b", "2", "two\n")],
      [put("a", null, "new\none\n"), put("b", null, "two\n")],
    ],
    [
      "a line behind a file that is removed begins it anew",
      { a: "old\n" },
      [remove("a"), append("a", "1", "one\n")],
      [put("a", "old\n", "one\n")],
    ],
    [
      "what is written last counts, on what was there first",
      { a: "old\n" },
      [append("a", "1", "one\n"), write("a", "two\n"), write("a", "three\n")],
      [put("a", "old\n", "three\n")],
    ],
    [
      "what is moved has the lines that were appended to it",
      { a: "old\n" },
      [append("a", "1", "one\n"), move("a", "b")],
      [drop("a", "old\n"), put("b", null, "old\none\n")],
    ],
    [
      "so has a file that only the lines made",
      {},
      [append("a", "1", "one\n"), move("a", "b")],
      [put("b", null, "one\n")],
    ],
    [
      "what is made and moved was never there",
      {},
      [write("a", "new\n"), move("a", "b")],
      [put("b", null, "new\n")],
    ],
    [
      "a file takes the place of one that is removed",
      { a: "one\n", b: "two\n" },
      [remove("b"), move("a", "b")],
      [put("b", "two\n", "one\n"), drop("a", "one\n")],
    ],
    ["what is made and removed was never there", {}, [write("a", "new\n"), remove("a")], []],
    [
      "a file that is removed twice is removed once",
      { a: "old\n" },
      [remove("a"), remove("a")],
      [drop("a", "old\n")],
    ],
    [
      "edits of one editor are one",
      { a: "one\n" },
      [edit("a", "one\ntwo\n", "two"), edit("a", "one\ntwo\nthree\n", "three")],
      [put("a", "one\n", "one\ntwo\nthree\n", { redo: { editor: "lines", edits: ["two", "three"] } })],
    ],
    [
      "an edit behind a file that is written cannot be made anew",
      { a: "old\n" },
      [write("a", "one\n"), edit("a", "one\ntwo\n", "two")],
      [put("a", "old\n", "one\ntwo\n")],
    ],
    [
      "nor one behind a file that is removed, or behind a line",
      { a: "old\n" },
      [remove("a"), edit("a", "two\n", "two"), append("b", "1", "one\n"), edit("b", "one\ntwo\n", "two")],
      [put("a", "old\n", "two\n"), put("b", null, "one\ntwo\n")],
    ],
    [
      "nor one of another editor",
      { a: "one\n" },
      [edit("a", "one\ntwo\n", "two"), { ...edit("a", "ONE\n"), editor: "capitals" } as Change],
      [put("a", "one\n", "ONE\n")],
    ],
  ])("%s", (_, files, changes, expected) => {
    expect(plan(files, ...changes)).toEqual(expected);
  });
});

describe("what was looked at", () => {
  test("counts, and is not read again", () => {
    const seen: FileOnDisk = { bytes: Buffer.from("seen\n"), hash: hash("seen\n"), mode: 0o600 };
    const looked = new Map<string, FileOnDisk | null>([
      ["a", seen],
      ["b", null],
    ]);
    const { disk } = diskWith({ a: "changed since\n", b: "made since\n", c: "c\n" });
    expect(planOn(disk, [move("a", "d"), write("b", "b\n"), write("c", "C\n")], looked)).toEqual([
      put("d", null, "seen\n", { mode: 0o600 }),
      drop("a", "seen\n"),
      put("b", null, "b\n"),
      put("c", "c\n", "C\n"),
    ]);
    expect(looked.get("c")?.hash).toBe(hash("c\n"));
  });
});

describe("a change set that cannot be", () => {
  test("a move to where a file is, or to where the change set puts one, is decided anew", () => {
    expect(plan({ a: "one\n", b: "two\n" }, move("a", "b"))).toBe("changed");
    expect(plan({ a: "one\n" }, append("b", "1", "one\n"), move("a", "b"))).toBe("changed");
  });

  const refused = (disk: Disk, ...changes: readonly Change[]) => resultOrError(() => planOn(disk, changes));

  test("a file that is not there is not moved", () => {
    const found = {
      code: "state-unreadable",
      message: "a cannot be moved to b: expected a file, found none.",
      fix: "Restore a, or run `pawl status` to see the state of the run.",
    };
    expect(refused(diskWith({}).disk, move("a", "b"))).toEqual(found);
    expect(refused(diskWith({ a: "one\n" }).disk, remove("a"), move("a", "b"))).toEqual(found);
  });

  test.each([
    [write(".pawl/journal", "mine\n")],
    [append(".pawl/locks/project.lock", "1")],
    [move("a", ".pawl/journal")],
    [move(".pawl/journal", "a")],
  ])("nothing touches what is the store's own: %o", (change) => {
    expect(refused(diskWith({ a: "one\n" }).disk, change)).toMatchObject({
      code: "internal",
      message: expect.stringMatching(/^A change set names \.pawl\/\S+, which is reserved for the store\.$/),
      fix: "Report this with the command that was run.",
    });
  });

  test("a file is not if another one needs a folder", () => {
    expect(refused(diskWith({}).disk, write("a", "one\n"), write("a/b/c", "two\n"))).toEqual({
      code: "internal",
      message: "A change set names a as a file and a/b as a folder.",
      fix: "Report this with the command that was run.",
    });
    expect(refused(diskWith({}).disk, write("a", "one\n"), write("ab/c", "two\n"))).toHaveLength(2);
  });

  /** May be written: these paths alone. */
  const where = (files: Files, ...writable: readonly string[]): Disk => ({
    ...diskWith(files).disk,
    writable: (path) => writable.includes(path),
  });
  const forbidden = (path: string, target: string) => ({
    code: "disk-failed",
    message: `${path} cannot be changed: permission to write ${target} is missing.`,
    fix: "Give this user permission to write there, then run the command again.",
  });

  test("the nearest folder that is there must be writable, as a file is made anew beside the old one", () => {
    const files = { "a/b": "one\n", c: "two\n" };
    expect(refused(where(files, "a"), write("a/b", "new\n"))).toHaveLength(1);
    expect(refused(where(files, "a"), write("a/x/y/z", "new\n"))).toHaveLength(1);
    expect(refused(where(files, ""), write("c", "new\n"))).toHaveLength(1);
    expect(refused(where(files, ""), write("x/y", "new\n"))).toHaveLength(1);
    expect(refused(where(files, "", "a/b"), write("a/b", "new\n"))).toEqual(forbidden("a/b", "a"));
    expect(refused(where(files, "c"), write("c", "new\n"))).toEqual(forbidden("c", "the project's folder"));
    expect(refused(where(files, "a"), move("a/b", "x/y"))).toEqual(forbidden("x/y", "the project's folder"));
  });

  test("a file that is there must itself be writable to be appended to, and its folder if it is not", () => {
    const files = { "a/b": "one\n" };
    expect(refused(where(files, "a/b"), append("a/b", "1"))).toHaveLength(1);
    expect(refused(where(files, "a"), append("a/b", "1"))).toEqual(forbidden("a/b", "a/b"));
    expect(refused(where(files, "a"), append("a/c", "1"))).toHaveLength(1);
    expect(refused(where(files, "a/b"), append("a/c", "1"))).toEqual(forbidden("a/c", "a"));
  });

  test("a folder that was checked before counts as there", () => {
    const disk = where({}, "made");
    const known = new Set(["made"]);
    const steps = planSteps({ disk, filesRead: new Map(), checkedFolders: known }, [
      write("made/a", "one\n"),
    ]);
    expect(steps).toEqual([put("made/a", null, "one\n")]);
  });
});
