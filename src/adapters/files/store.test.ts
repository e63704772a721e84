import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { stateOf } from "../../../test/rig/state-home.ts";
import { projectPath } from "../../core/path.ts";
import type { Change } from "../../core/ports/store.ts";
import { repairJournal } from "./journal/repair.ts";
import { openLocks, PROJECT_LOCK } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";
import { openStore, type StoreOptions } from "./store.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-store-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string) => join(root, path);
const text = (path: string) => readFileSync(at(path), "utf8");
const open = (options: Partial<StoreOptions> = {}) => openStore({ root, state: stateOf(root), ...options });
const write = (path: string, content: string): Change => ({
  type: "write",
  path: projectPath(path),
  text: content,
});
const append = (path: string, id: string, line: string): Change => ({
  type: "append",
  path: projectPath(path),
  id,
  text: line,
});
const move = (from: string, to: string): Change => ({
  type: "move",
  from: projectPath(from),
  to: projectPath(to),
});
const remove = (path: string): Change => ({ type: "remove", path: projectPath(path) });
const edit = (path: string, content: string, edits: readonly unknown[]): Change => ({
  type: "edit",
  path: projectPath(path),
  text: content,
  editor: "lines",
  edits,
});

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

const forgetMarker = () => stateOf(root).disk.unlink("applied");

async function commit(...changes: Change[]): Promise<string> {
  const store = open();
  return store.commit(store.view(), changes);
}

describe("a view", () => {
  test("reads a file's text as it is, with BOM and CRLF, and null if there is none", async () => {
    put("a.md", "\uFEFFone\r\ntwo\r\n");
    const view = open().view();
    expect(await view.read(projectPath("a.md"))).toBe("\uFEFFone\r\ntwo\r\n");
    expect(await view.read(projectPath("no/such.md"))).toBeNull();
  });

  test("refuses a file that is not UTF-8, naming the line", async () => {
    put("a.md", Buffer.from([0x61, 0x0a, 0x62, 0xff, 0x63]));
    await expect(open().view().read(projectPath("a.md"))).rejects.toMatchObject({
      code: "state-unreadable",
      message: expect.stringContaining("line 2 (at byte 3)"),
    });
  });

  test("lists a folder sorted, with kinds, without temporary files", async () => {
    put("d/b", "");
    put("d/a", "");
    put("d/.a.pawl-tmp", "");
    mkdirSync(at("d/c"));
    expect(await open().view().list(projectPath("d"))).toEqual([
      { name: "a", kind: "file" },
      { name: "b", kind: "file" },
      { name: "c", kind: "folder" },
    ]);
    expect(await open().view().list(projectPath("none"))).toEqual([]);
  });

  test("creates nothing in the project", async () => {
    put("a", "x");
    const store = open();
    const view = store.view();
    await view.read(projectPath("a"));
    await view.list(projectPath("d"));
    await store.holds(view);
    expect(readdirSync(root)).toEqual(["a"]);
  });

  test("refuses a symbolic link anywhere on the way, naming the component", async () => {
    promise("commit.links-refused");
    put("real/a", "x");
    symlinkSync(at("real"), at("link"));
    symlinkSync(at("real/a"), at("file-link"));
    for (const [path, component] of [
      ["link/a", "link"],
      ["file-link", "file-link"],
    ] as const)
      await expect(open().view().read(projectPath(path))).rejects.toMatchObject({
        code: "path-outside-project",
        message: expect.stringContaining(`${component} is a symbolic link`),
      });
  });

  test("refuses what is not a regular file", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    mkdirSync(at("folder"));
    for (const path of ["pipe", "folder"])
      await expect(open().view().read(projectPath(path))).rejects.toMatchObject({ code: "state-unreadable" });
  });

  test("reads packaged texts through what it was given", async () => {
    const store = open({ packaged: async (path) => (path === "p.md" ? "packaged" : null) });
    expect(await store.view().packaged("p.md")).toBe("packaged");
    expect(await store.view().packaged("q.md")).toBeNull();
  });
});

describe("a commit", () => {
  test("writes, appends, moves and removes, all in one", async () => {
    put("old", "old text");
    put("gone", "x");
    put("log.jsonl", "{}\n");
    const done = await commit(
      write("new/deep/file", "content"),
      append("log.jsonl", "id-1", '{"id":"id-1"}\n'),
      move("old", "archive/old"),
      remove("gone"),
    );
    expect(done).toBe("committed");
    expect(text("new/deep/file")).toBe("content");
    expect(text("log.jsonl")).toBe('{}\n{"id":"id-1"}\n');
    expect(text("archive/old")).toBe("old text");
    expect(existsSync(at("old"))).toBe(false);
    expect(existsSync(at("gone"))).toBe(false);
    expect(readdirSync(at("new/deep"))).toEqual(["file"]);
  });

  test("counts its changes in order, each on the result of those before", async () => {
    put("state", "one");
    await commit(
      move("state", "archive/state"),
      write("state", "two"),
      append("state", "i", "three\n"),
      append("log", "a", "a\n"),
      append("log", "b", "b\n"),
      write("brief", "x"),
      remove("brief"),
    );
    expect(text("archive/state")).toBe("one");
    expect(text("state")).toBe("two\nthree\n");
    expect(text("log")).toBe("a\nb\n");
    expect(existsSync(at("brief"))).toBe(false);
  });

  test("answers `changed` and writes nothing when a file that was read has changed", async () => {
    promise("commit.decides-again");
    put("a", "one");
    const store = open();
    const view = store.view();
    await view.read(projectPath("a"));
    expect(await store.holds(view)).toBe(true);
    put("a", "two");
    expect(await store.holds(view)).toBe(false);
    expect(await store.commit(view, [write("b", "x")])).toBe("changed");
    expect(existsSync(at("b"))).toBe(false);
  });

  test("answers `changed` when a file appears if none was read, or a listing differs", async () => {
    const store = open();
    const first = store.view();
    await first.read(projectPath("a"));
    const second = store.view();
    await second.list(projectPath("d"));
    put("a", "");
    put("d/x", "");
    expect(await store.commit(first, [write("b", "x")])).toBe("changed");
    expect(await store.commit(second, [write("b", "x")])).toBe("changed");
  });

  test("answers `changed` when the target of a move exists", async () => {
    put("a", "one");
    put("b", "two");
    expect(await commit(move("a", "b"))).toBe("changed");
    expect(text("b")).toBe("two");
  });

  test("puts .gitignore beside the journal, so that git never sees either", async () => {
    await commit(write("a", "x"));
    expect(text(".pawl/.gitignore")).toBe("*\n");
  });

  test("keeps the mode of the file that it replaces, and of the one that it moves", async () => {
    put("script", "#!/bin/sh\n");
    put("other", "#!/bin/sh\n");
    chmodSync(at("script"), 0o755);
    chmodSync(at("other"), 0o700);
    await commit(write("script", "#!/bin/bash\n"), move("other", "moved"), write("plain", "x"));
    expect(statSync(at("script")).mode & 0o777).toBe(0o755);
    expect(statSync(at("moved")).mode & 0o777).toBe(0o700);
    expect(statSync(at("plain")).mode & 0o777).toBe(0o644 & ~process.umask());
  });

  test("moves bytes that are no text unchanged", async () => {
    const bytes = Buffer.from([0, 255, 254, 10, 128]);
    put("image.png", bytes);
    await commit(move("image.png", "archive/image.png"));
    expect(readFileSync(at("archive/image.png"))).toEqual(bytes);
  });

  test("never glues a line to one without its end", async () => {
    put("log.jsonl", '{"half":');
    await commit(append("log.jsonl", "i", '{"id":"i"}\n'));
    expect(text("log.jsonl")).toBe('{"half":\n{"id":"i"}\n');
  });

  test("costs no more with a long log: it is not read", async () => {
    put("log.jsonl", "a line of the log\n".repeat(100_000));
    const disk = nodeDisk(root);
    let bytes = 0;
    const read: typeof disk.read = (...args) => {
      const found = disk.read(...args);
      bytes += found.length;
      return found;
    };
    const store = open({ disk: { ...disk, read } });
    const both = [write("state", "one"), append("log.jsonl", "i", "mine\n")];
    expect(await store.commit(store.view(), both)).toBe("committed");
    expect(text("log.jsonl").endsWith("log\nmine\n")).toBe(true);
    expect(bytes).toBeLessThan(10_000);
  });

  test("refuses to write through a symbolic link, and changes nothing", async () => {
    promise("commit.links-refused");
    const outside = mkdtempSync(join(tmpdir(), "pawl-outside-"));
    try {
      writeFileSync(join(outside, "file"), "theirs");
      symlinkSync(outside, at("dir"));
      symlinkSync(join(outside, "file"), at("file"));
      for (const path of ["dir/file", "file", "dir/new"])
        await expect(commit(write("first", "x"), write(path, "mine"))).rejects.toMatchObject({
          code: "path-outside-project",
        });
      await expect(commit(append("file", "i", "mine\n"))).rejects.toMatchObject({
        code: "path-outside-project",
      });
      expect(readFileSync(join(outside, "file"), "utf8")).toBe("theirs");
      expect(existsSync(at("first"))).toBe(false);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test("refuses a folder in the place of a file, a file in the place of a folder, and its own files", async () => {
    put("file", "x");
    mkdirSync(at("folder"));
    await expect(commit(write("folder", "x"))).rejects.toMatchObject({ code: "state-unreadable" });
    await expect(commit(write("file/below", "x"))).rejects.toMatchObject({ code: "state-unreadable" });
    await expect(commit(write("n", "x"), write("n/below", "x"))).rejects.toMatchObject({ code: "internal" });
    for (const own of [".pawl/journal", ".PAWL/Journal", ".pawl/locks/x", "d/.a.pawl-tmp"])
      await expect(commit(write(own, "x"))).rejects.toMatchObject({ code: "internal" });
    await expect(commit(move("none", "other"))).rejects.toMatchObject({ code: "state-unreadable" });
  });

  test("leaves nothing to replay: a person's later edit stays", async () => {
    promise("commit.persons-save");
    await commit(write("a", "ours"));
    put("a", "theirs");
    expect(await open().view().read(projectPath("a"))).toBe("theirs");
    await commit(write("b", "x"));
    expect(text("a")).toBe("theirs");
  });

  test("settles a journal that has grown long", async () => {
    const store = open({ journalBytes: 2000 });
    for (let i = 0; i < 20; i++) await store.commit(store.view(), [write("a", `${i} ${"x".repeat(300)}`)]);
    expect(statSync(at(".pawl/journal")).size).toBeLessThan(3000);
    expect(text("a")).toMatch(/^19 /);
  });
});

describe("settling", () => {
  test("empties the journal and changes no file", async () => {
    const store = open();
    await store.commit(store.view(), [write("a", "x"), append("l", "i", "i\n")]);
    expect(statSync(at(".pawl/journal")).size).toBeGreaterThan(0);
    await store.settle();
    expect(statSync(at(".pawl/journal")).size).toBe(0);
    put("a", "theirs");
    expect(await store.view().read(projectPath("a"))).toBe("theirs");
    await store.commit(store.view(), [write("b", "y")]);
    expect([text("a"), text("b"), text("l")]).toEqual(["theirs", "y", "i\n"]);
  });
});

describe("a long event log", () => {
  const EVENTS = ".pawl/events.jsonl";
  const aside = () => readdirSync(at(".pawl")).filter((name) => name.startsWith("events"));
  const happen = async (...ids: readonly string[]) => {
    const store = open({ eventsBytes: 30 });
    await store.commit(
      store.view(),
      ids.map((id) => append(EVENTS, id, `{"id":"${id}"}\n`)),
    );
    return store;
  };

  test("is put aside when the journal is settled, and a new one begins", async () => {
    promise("log.parts");
    await (await happen("e1", "e2")).settle();
    expect(aside()).toEqual(["events.jsonl"]);
    await happen("e3");
    expect(aside()).toEqual(["events.jsonl"]);
    await (await happen("e4")).settle();
    expect(aside()).toEqual(["events-000001.jsonl"]);
    await (await happen("e5", "e6", "e7")).settle();
    await happen("e8");
    expect(aside()).toEqual(["events-000001.jsonl", "events-000002.jsonl", "events.jsonl"]);
    const all = aside().map((name) => text(`.pawl/${name}`));
    expect(all.join("").match(/e\d/g)).toEqual(["e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8"]);
  });

  test("stays if a program is still writing a line of it", async () => {
    promise("log.parts");
    const store = await happen("e1", "e2", "e3");
    writeFileSync(at(EVENTS), '{"half', { flag: "a" });
    await store.settle();
    expect(aside()).toEqual(["events.jsonl"]);
  });

  test("stays if the disk knows no second name for a file, and nothing fails", async () => {
    promise("log.parts");
    const store = await happen("e1", "e2", "e3");
    await store.commit(store.view(), [write("a", "x")]);
    const disk = nodeDisk(root);
    const link = () => {
      throw Object.assign(new Error("not supported"), { code: "EPERM" });
    };
    await open({ eventsBytes: 30, disk: { ...disk, link } }).settle();
    expect(aside()).toEqual(["events.jsonl"]);
    expect(statSync(at(".pawl/journal")).size).toBe(0);
  });
});

describe("settling a project", () => {
  test("without a journal creates nothing", async () => {
    await open().settle();
    expect(readdirSync(root)).toEqual([]);
  });

  test("in which another process commits leaves it to that one", async () => {
    await commit(write("a", "x"));
    const size = () => statSync(at(".pawl/journal")).size;
    const lock = await openLocks(nodeDisk(root)).acquire(PROJECT_LOCK, "test", 0);
    await open().settle();
    expect(size()).toBeGreaterThan(0);
    lock.release();
    await open().settle();
    expect(size()).toBe(0);
  });
});

describe("a replay, if the marker was lost", () => {
  test("writes what is missing, and leaves what is there", async () => {
    put("gone", "x");
    await commit(write("a", "v1"), write("b", "w1"), remove("gone"), append("l", "id-1", "id-1\n"));
    forgetMarker();
    rmSync(at("a"));
    put("gone", "x");
    put("l", "");
    expect(await open().view().read(projectPath("a"))).toBe("v1");
    expect(text("b")).toBe("w1");
    expect(existsSync(at("gone"))).toBe(false);
    expect(text("l")).toBe("id-1\n");
  });

  test("takes an earlier version for its own, and keeps nothing aside", async () => {
    await commit(write("a", "v1"));
    await commit(write("a", "v2"));
    await commit(write("a", "v3"));
    forgetMarker();
    put("a", "v1");
    expect(await open().view().read(projectPath("a"))).toBe("v3");
    expect(existsSync(at(".pawl/kept"))).toBe(false);
  });

  test("keeps a person's text aside, reports it once, then writes", async () => {
    promise("commit.persons-save");
    await commit(write("a", "ours"));
    forgetMarker();
    put("a", "theirs");
    const told: unknown[] = [];
    const store = open({ onKept: (kept) => told.push(kept) });
    expect(await store.view().read(projectPath("a"))).toBe("ours");
    const [folder] = readdirSync(at(".pawl/kept"));
    const kept = `.pawl/kept/${folder}/a`;
    expect(text(kept)).toBe("theirs");
    expect(told).toEqual([{ path: "a", kept }]);
    forgetMarker();
    await open().view().read(projectPath("a"));
    const events = text(".pawl/events.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject([{ type: "edit:kept", path: "a", kept }]);
    expect(readdirSync(at(".pawl/kept"))).toHaveLength(1);
  });

  test("redoes an edit on a person's text, and keeps nothing aside", async () => {
    promise("commit.persons-save");
    const editors = async () => ({
      lines: (content: string, edits: readonly unknown[]) => `${content}${edits.join("")}`,
    });
    put("tasks", "one\n");
    const store = open({ editors });
    await store.commit(store.view(), [edit("tasks", "one\ntwo\n", ["two\n"])]);
    forgetMarker();
    put("tasks", "mine\n");
    const read = () => open({ editors }).view().read(projectPath("tasks"));
    expect(await read()).toBe("mine\ntwo\n");
    forgetMarker();
    expect(await read()).toBe("mine\ntwo\n");
    expect(existsSync(at(".pawl/kept"))).toBe(false);
  });

  test("keeps aside what its editor cannot redo", async () => {
    put("tasks", "one\n");
    await commit(edit("tasks", "one\ntwo\n", ["two\n"]));
    forgetMarker();
    put("tasks", "mine\n");
    const refuse = () => {
      throw new Error("no such task");
    };
    expect(
      await open({ editors: async () => ({ lines: refuse }) })
        .view()
        .read(projectPath("tasks")),
    ).toBe("one\ntwo\n");
    const [folder] = readdirSync(at(".pawl/kept"));
    expect(text(`.pawl/kept/${folder}/tasks`)).toBe("mine\n");
  });

  test("appends again only if the id is missing", async () => {
    promise("commit.append-once");
    await commit(append("l", "id-1", "id-1\n"));
    await commit(append("l", "id-2", "id-2\n"));
    forgetMarker();
    put("l", "a person's line\nid-1\n");
    await open().view().read(projectPath("l"));
    expect(text("l")).toBe("a person's line\nid-1\nid-2\n");
  });

  test("completes an append that was cut in the middle", async () => {
    promise("commit.append-once");
    put("l", "first\n");
    await commit(append("l", "id-1", "id-1 some text\n"));
    forgetMarker();
    put("l", "first\nid-1 so");
    await open().view().read(projectPath("l"));
    expect(text("l")).toBe("first\nid-1 some text\n");
  });

  test("keeps a person's text that an append was accepted on", async () => {
    await commit(write("notes", "v1\n"));
    put("notes", "v1, as I like it\n");
    await commit(append("notes", "id-1", "id-1\n"));
    forgetMarker();
    await open().view().read(projectPath("notes"));
    expect(text("notes")).toBe("v1, as I like it\nid-1\n");
    expect(existsSync(at(".pawl/kept"))).toBe(false);
  });
});

describe("the journal", () => {
  test("drops a tail that was never committed", async () => {
    promise("commit.bad-journal");
    await commit(write("a", "one"));
    appendFileSync(at(".pawl/journal"), "pawl-commit 2 1 2 500 0123");
    expect(await open().view().read(projectPath("a"))).toBe("one");
    await commit(write("a", "two"));
    forgetMarker();
    expect(await open().view().read(projectPath("a"))).toBe("two");
  });

  test("stops with an error that names `pawl repair` when something bad is before something good", async () => {
    promise("commit.bad-journal");
    await commit(write("a", "one"));
    const good = statSync(at(".pawl/journal")).size;
    await commit(write("a", "two"));
    await commit(write("a", "three"));
    const bytes = readFileSync(at(".pawl/journal"));
    bytes[good + 100] = 0;
    writeFileSync(at(".pawl/journal"), bytes);
    forgetMarker();
    await expect(open().view().read(projectPath("a"))).rejects.toMatchObject({
      code: "journal-damaged",
      fix: expect.stringContaining("pawl repair"),
    });
  });
});

describe("repairing", () => {
  const damage = (offset: number) => {
    const bytes = readFileSync(at(".pawl/journal"));
    bytes[offset] = 0;
    writeFileSync(at(".pawl/journal"), bytes);
    return bytes;
  };

  test("sets a damaged journal aside, and applies the records before and behind the damage", async () => {
    await commit(write("a", "a1"));
    const first = statSync(at(".pawl/journal")).size;
    await commit(write("b", "b1"));
    await commit(write("c", "c1"));
    const damaged = damage(first + 150);
    forgetMarker();
    rmSync(at("a"));
    rmSync(at("c"));
    const report = await repairJournal({ root, state: stateOf(root) });
    expect(report).toMatchObject({ goodRecords: 2, lostCommits: 1 });
    expect(readFileSync(at(report.aside ?? ""))).toEqual(damaged);
    expect([text("a"), text("b"), text("c")]).toEqual(["a1", "b1", "c1"]);
    await commit(write("a", "a2"));
    expect(await open().view().read(projectPath("a"))).toBe("a2");
  });

  test("does not take a person's later edit for something in the way", async () => {
    await commit(write("a", "a1"));
    const first = statSync(at(".pawl/journal")).size;
    await commit(write("b", "b1"));
    await commit(write("c", "c1"));
    damage(first + 150);
    put("a", "theirs");
    put("c", "theirs too");
    await repairJournal({ root, state: stateOf(root) });
    expect([text("a"), text("b"), text("c")]).toEqual(["theirs", "b1", "theirs too"]);
  });

  test("sees a journal that was cut short behind the marker's back", async () => {
    await commit(write("a", "a1"));
    await commit(write("b", "b1"));
    const bytes = readFileSync(at(".pawl/journal"));
    writeFileSync(at(".pawl/journal"), bytes.subarray(0, bytes.length - 10));
    await expect(open().view().read(projectPath("a"))).rejects.toMatchObject({ code: "journal-damaged" });
    expect(await repairJournal({ root, state: stateOf(root) })).toMatchObject({
      goodRecords: 1,
      lostCommits: 1,
    });
    put("a", "theirs");
    expect(await open().view().read(projectPath("a"))).toBe("theirs");
  });

  test("changes nothing if nothing is damaged", async () => {
    expect(await repairJournal({ root, state: stateOf(root) })).toMatchObject({ aside: null });
    expect(readdirSync(root)).toEqual([]);
    await commit(write("a", "a1"));
    const journal = readFileSync(at(".pawl/journal"));
    expect(await repairJournal({ root, state: stateOf(root) })).toMatchObject({
      aside: null,
      goodRecords: 1,
    });
    expect(readFileSync(at(".pawl/journal"))).toEqual(journal);
  });
});

describe("a debug log", () => {
  test("gets whole lines, and a failure is silent", async () => {
    const store = open();
    await store.log(projectPath("logs/debug.log"), "one");
    await store.log(projectPath("logs/debug.log"), "two\n");
    expect(text("logs/debug.log")).toBe("one\ntwo\n");
    mkdirSync(at("folder"));
    await store.log(projectPath("folder"), "x");
    symlinkSync(at("logs"), at("link"));
    await store.log(projectPath("link/debug.log"), "x");
    expect(text("logs/debug.log")).toBe("one\ntwo\n");
  });
});
