import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { stateOf } from "../../../../test/rig/state-home.ts";
import { PawlError } from "../../../core/error.ts";
import { projectPath } from "../../../core/path.ts";
import type { Change } from "../../../core/ports/store.ts";
import type { Disk } from "../disk.ts";
import { nodeDisk } from "../node-disk.ts";
import { openStore } from "../store.ts";
import { refusalOf } from "./pending.ts";

let root: string;
/** By which errno the disk refuses what would change a file; null: it works. */
let refusal: string | null;
/** It refuses the journal and the locks, too. */
let isReadOnly: boolean;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-pending-"));
  refusal = null;
  isReadOnly = false;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const refuse = () => {
  if (refusal !== null) throw Object.assign(new Error(refusal), { code: refusal });
};

/** The journal's own file is still written: it is the files that the disk refuses. */
function refusingDisk(): Disk {
  const disk = nodeDisk(root);
  return {
    ...disk,
    open(path, how, mode) {
      if (how === "new" || how === "append" || (isReadOnly && how === "update")) refuse();
      return disk.open(path, how, mode);
    },
    mkdir: (path) => {
      refuse();
      disk.mkdir(path);
    },
    unlink: (path) => {
      if (disk.lstat(path) !== null) refuse();
      disk.unlink(path);
    },
  };
}

const editors = async () => ({
  lines: (text: string, edits: readonly unknown[]) => `${text}${edits.join("\n")}\n`,
});
const open = () => openStore({ root, state: stateOf(root), disk: refusingDisk(), editors });
const path = projectPath;
const put = (name: string, text: string) => writeFileSync(join(root, name), text);
const text = (name: string) => readFileSync(join(root, name), "utf8");
const read = async (name: string) => open().view().read(path(name));
const write = (name: string, to: string): Change => ({ type: "write", path: path(name), text: to });

async function commit(...changes: Change[]) {
  const store = open();
  return { result: await store.commit(store.view(), changes), store };
}

/** A commit of every kind of change, whose files the disk refuses. */
async function commitRefused(code: string) {
  put("gone.md", "gone\n");
  put("old.md", "archive me\n");
  put("notes.md", "- one\n");
  put("a.md", "before\n");
  // What a first commit makes is there.
  await commit(write("first.md", "first\n"));
  refusal = code;
  return commit(
    write("a.md", "after\n"),
    write("new/b.md", "b\n"),
    { type: "remove", path: path("gone.md") },
    { type: "move", from: path("old.md"), to: path("archive/old.md") },
    { type: "append", path: path("notes.md"), id: "two", text: "- two\n" },
  );
}

describe.each(["ENOSPC", "EDQUOT", "EROFS", "EIO"])("a commit whose files the disk refuses (%s)", (code) => {
  test("counts, and says how much waits for how much room", async () => {
    promise("commit.disk-refuses");
    const { result, store } = await commitRefused(code);
    expect(result).toBe("committed");
    expect(store.pending()).toMatchObject({
      changes: 6,
      bytes: expect.any(Number),
      reason: expect.stringContaining(code),
      message: expect.stringMatching(/^6 committed changes are in the journal but not in the files yet: /),
    });
    expect(store.pending()?.fix).toMatch(/\d+ KB/);
    expect(text("a.md")).toBe("before\n");
  });

  test("is what every later view reads and lists, however often, and what holds", async () => {
    promise("commit.disk-refuses");
    await commitRefused(code);
    for (let n = 0; n < 2; n++) {
      expect(await Promise.all(["a.md", "new/b.md", "archive/old.md", "notes.md"].map(read))).toEqual([
        "after\n",
        "b\n",
        "archive me\n",
        "- one\n- two\n",
      ]);
      expect(await Promise.all(["gone.md", "old.md"].map(read))).toEqual([null, null]);
      expect(await open().view().list(path("new"))).toEqual([{ name: "b.md", kind: "file" }]);
    }
    const store = open();
    const view = store.view();
    await view.read(path("a.md"));
    await view.list(path("archive"));
    expect(await store.holds(view)).toBe(true);
    expect(store.pending()?.changes).toBe(6);
    put("a.md", "a person's\n");
    expect(await store.holds(view)).toBe(true);
  });

  test("keeps the next one out, which says why, and is finished by it once the disk works", async () => {
    promise("commit.disk-refuses");
    await commitRefused(code);
    const store = open();
    const view = store.view();
    expect(await view.read(path("a.md"))).toBe("after\n");
    const next = [write("a.md", "later\n")];
    await expect(store.commit(view, next)).rejects.toMatchObject({
      code: "disk-failed",
      message: expect.stringMatching(/^Nothing new was committed: 6 earlier ones are committed/),
      fix: expect.stringMatching(/\d+ KB/),
    });
    expect(await read("a.md")).toBe("after\n");

    refusal = null;
    expect(await store.commit(view, next)).toBe("committed");
    expect(store.pending()).toBeNull();
    expect(["a.md", "new/b.md", "archive/old.md", "notes.md"].map(text)).toEqual([
      "later\n",
      "b\n",
      "archive me\n",
      "- one\n- two\n",
    ]);
    expect(readdirSync(root)).not.toContain("gone.md");
  });
});

test("a person's text in the way of what is pending is shown as it will be: the edit redone on it, or replaced", async () => {
  promise("commit.disk-refuses");
  put("tasks.yaml", "one\n");
  put("a.md", "before\n");
  await commit(write("first.md", "first\n"));
  refusal = "ENOSPC";
  await commit(write("a.md", "after\n"), {
    type: "edit",
    path: path("tasks.yaml"),
    text: "one\ntwo\n",
    editor: "lines",
    edits: ["two"],
  });
  put("tasks.yaml", "zero\none\n");
  put("a.md", "a person's\n");
  const shown = [await read("tasks.yaml"), await read("a.md")];
  expect(shown).toEqual(["zero\none\ntwo\n", "after\n"]);
  isReadOnly = true;
  expect([await read("tasks.yaml"), await read("a.md")]).toEqual(shown);
  refusal = null;
  expect([await read("tasks.yaml"), await read("a.md")]).toEqual(shown);
  expect([text("tasks.yaml"), text("a.md")]).toEqual(shown);
  const [day = ""] = readdirSync(join(root, ".pawl/kept")).filter((name) => /-\d+$/.test(name));
  expect(text(`.pawl/kept/${day}/a.md`)).toBe("a person's\n");
});

test("a project that this user may only read is read with what is pending in it", async () => {
  await commitRefused("EACCES");
  expect(await read("a.md")).toBe("after\n");
});

describe("what is said of what waits", () => {
  const line = (name: string, to: string): Change => ({
    type: "append",
    path: path(name),
    id: to.trim(),
    text: to,
  });
  /** Changes that the disk refuses, in a project that has these files. */
  async function waiting(
    code: string,
    files: Readonly<Record<string, string>>,
    ...changes: readonly Change[]
  ) {
    for (const [name, to] of Object.entries(files)) put(name, to);
    await commit(write("first.md", "first\n"));
    refusal = code;
    return (await commit(...changes)).store;
  }

  test("one change, on a full disk: the room that it needs, in whole blocks", async () => {
    const store = await waiting("ENOSPC", {}, write("a.md", "x".repeat(4097)));
    expect(store.pending()).toEqual({
      changes: 1,
      bytes: 12_288,
      reason: "the disk is full (ENOSPC)",
      message:
        "1 committed change is in the journal but not in the files yet: the disk is full (ENOSPC). It counts: meanwhile Pawl reads the journal.",
      fix: "Free at least 12 KB on the project's disk; the next command then writes them.",
    });
    const [view, next] = [store.view(), [write("b.md", "b\n")]];
    await expect(store.commit(view, next)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Nothing new was committed: 1 earlier one is committed but not in the files yet/,
      ),
    });
  });

  test("several, on a disk that may only be read: what it takes for it to be written", async () => {
    const store = await waiting("EROFS", {}, write("a.md", "a\n"), write("b.md", "x".repeat(4096)));
    expect(store.pending()).toEqual({
      changes: 2,
      bytes: 16_384,
      reason: "the file system is read-only (EROFS)",
      message:
        "2 committed changes are in the journal but not in the files yet: the file system is read-only (EROFS). They count: meanwhile Pawl reads the journal.",
      fix: "Make it writable, or work on a writable copy of the project. It needs 16 KB.",
    });
  });

  test("a used up quota, as a full disk", async () => {
    expect((await waiting("EDQUOT", {}, write("c.md", "c\n"))).pending()?.fix).toMatch(/^Free at least /);
  });

  test("lines need room for themselves alone, a file that is written anew for all of it", async () => {
    const long = `${"x".repeat(9999)}\n`;
    const grown = await waiting("ENOSPC", { "a.md": long }, line("a.md", "one\n"), line("a.md", "two\n"));
    expect(grown.pending()).toMatchObject({ changes: 1, bytes: 8192 });
  });

  test("a file that is written and appended to needs room for all of it", async () => {
    const long = `${"x".repeat(9999)}\n`;
    const anew = await waiting("ENOSPC", { "a.md": "old\n" }, write("a.md", long), line("a.md", "one\n"));
    expect(anew.pending()).toMatchObject({ changes: 1, bytes: 16_384 });
  });

  test("a file that is to go needs a block, and one that is as it is to be needs none", async () => {
    const gone = await waiting(
      "ENOSPC",
      { "a.md": "old\n" },
      { type: "remove", path: path("a.md") },
      write("b.md", "b\n"),
    );
    expect(gone.pending()).toMatchObject({ changes: 2, bytes: 12_288 });
    put("b.md", "b\n");
    await open().view().read(path("a.md"));
    const store = open();
    await store.view().read(path("a.md"));
    expect(store.pending()).toMatchObject({ changes: 1, bytes: 4096 });
  });

  test("nothing, once all is as it is to be", async () => {
    await waiting("ENOSPC", {}, write("b.md", "b\n"));
    put("b.md", "b\n");
    const store = open();
    expect(await store.view().read(path("b.md"))).toBe("b\n");
    expect(store.pending()).toBeNull();
  });
});

describe("a folder in which something waits", () => {
  const names = async (folder: string) => {
    const listed = await open()
      .view()
      .list(folder as never);
    return listed.map(({ kind, name }) => `${kind} ${name}`).filter((each) => !each.endsWith(" .pawl"));
  };

  test("is listed as it will be, at each depth", async () => {
    put("gone.md", "gone\n");
    put("stays.md", "stays\n");
    mkdirSync(join(root, "docs/old"), { recursive: true });
    put("docs/old/a.md", "a\n");
    put("docs/b.md", "b\n");
    await commit(write("stays.md", "first\n"));
    refusal = "ENOSPC";
    await commit(
      { type: "remove", path: path("gone.md") },
      { type: "remove", path: path("docs/old/a.md") },
      write("new/deep/c.md", "c\n"),
      write("docs/b2.md", "b\n"),
      write("stays.md", "second\n"),
    );
    expect(await names("")).toEqual(["folder docs", "folder new", "file stays.md"]);
    expect(await names("docs")).toEqual(["file b.md", "file b2.md", "folder old"]);
    expect(await names("docs/old")).toEqual([]);
    expect(await names("new")).toEqual(["folder deep"]);
    expect(await names("new/deep")).toEqual(["file c.md"]);
    expect(await names("ne")).toEqual([]);
  });
});

test("a disk that refuses is known by what it says, also behind Pawl's own words for it", () => {
  const failure = (code: string) => Object.assign(new Error("no"), { code });
  expect(["ENOSPC", "EACCES", "ENOENT", "EMFILE"].map((code) => refusalOf(failure(code)))).toEqual([
    "ENOSPC",
    "EACCES",
    null,
    null,
  ]);
  expect(refusalOf(new PawlError("disk-failed", "It failed.", "Try again.", failure("EROFS")))).toBe("EROFS");
  expect(refusalOf(new PawlError("disk-failed", "It failed.", "Try again."))).toBeNull();
  expect([refusalOf(new Error("no")), refusalOf("ENOSPC"), refusalOf(null)]).toEqual([null, null, null]);
});
