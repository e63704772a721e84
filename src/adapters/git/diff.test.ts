import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { DiffOrder, FileDiff } from "../../core/ports/git.ts";
import { diff } from "./diff.ts";
import { between, snapshot } from "./tree.ts";

let home: string;
let root: string;

const OWN = () => ({ PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" });
const place = (folder = root) => ({ folder, environment: OWN() });
const run = (...args: string[]) =>
  execFileSync("git", args, { cwd: root, env: OWN(), stdio: "pipe", encoding: "utf8" }).trim();
const write = (name: string, text: string | Buffer) => writeFileSync(join(root, name), text);

/** The commit of what is there. */
const commit = () => {
  run("add", "-A");
  run("commit", "-q", "--allow-empty", "-m", "next");
  return run("rev-parse", "HEAD");
};

async function filesOf(order: Partial<DiffOrder>, folder = root): Promise<readonly FileDiff[]> {
  const found = await diff(place(folder), {
    from: run("rev-parse", "HEAD~1"),
    to: run("rev-parse", "HEAD"),
    path: null,
    bytes: 100_000,
    ...order,
  });
  if (found.kind !== "diff") throw new Error(found.reason);
  return found.files;
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-diff-test-"));
  root = join(home, "project");
  mkdirSync(root);
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
  run("init", "-q", "-b", "main");
  write("a.txt", "one\ntwo\n");
  write("moved.txt", "moved\n".repeat(20));
  commit();
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

describe("the differences between two objects of git", () => {
  it("are a unified diff for each file, a rename being a deletion and an addition", async () => {
    write("a.txt", "one\n2\n");
    run("mv", "moved.txt", "there.txt");
    commit();
    const files = await filesOf({});
    expect(files.map(({ leftOut, path }) => [path, leftOut])).toEqual([
      ["a.txt", 0],
      ["moved.txt", 0],
      ["there.txt", 0],
    ]);
    expect(files[0]?.text).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    expect(files[1]?.text).toMatch(/^deleted file mode 100644$/m);
    expect(files[2]?.text).toMatch(/^new file mode 100644$/m);
  });

  it("of one path are that path's alone, whatever its name means to git or to a shell", async () => {
    promise("review.differences");
    const names = ["*", ":(top)x", "-p", 'quote " and \\', "line\nfeed", "ümlaut", "diff --git ax bx", " "];
    for (const name of names) write(name, "new\n");
    write("other.txt", "diff --git a/x b/x\n");
    commit();
    expect((await filesOf({})).map(({ path }) => path).sort()).toEqual([...names, "other.txt"].sort());
    for (const path of names) {
      const [own, ...others] = await filesOf({ path });
      expect([own?.path, own?.text.endsWith("+new\n"), others]).toEqual([path, true, []]);
    }
  });

  it("of one path whose name is no text are found by the name that is shown", async () => {
    const evil = (byte: number) => Buffer.from([...Buffer.from(`${root}/a*`), byte, ...Buffer.from(".js")]);
    writeFileSync(evil(0xff), "evil\n");
    write("abc.js", "other\n");
    commit();
    const [own, ...others] = await filesOf({ path: "a*\uFFFD.js" });
    expect([own?.path, own?.text.endsWith("+evil\n"), others]).toEqual(["a*\uFFFD.js", true, []]);
    renameSync(evil(0xff), evil(0xfe));
    commit();
    const path = "a*\uFFFD.js";
    expect((await filesOf({ path, was: path })).map((file) => file.path)).toEqual([path, path]);
  });

  it("of renamed files are between their names, if that is asked for", async () => {
    run("mv", "moved.txt", "there.txt");
    write("there.txt", "moved\n".repeat(20).concat("more\n"));
    write("a.txt", "one\n2\n");
    commit();
    const [first, moved, ...others] = await filesOf({ renames: true });
    expect([first?.path, moved?.path, moved?.was, others]).toEqual(["a.txt", "there.txt", "moved.txt", []]);
    expect(first?.was).toBeUndefined();
    expect(moved?.text).toMatch(/^rename from moved\.txt$/m);
    expect(moved?.text).toContain("\n moved\n+more\n");
  });

  it("say of a binary file that it differs, and show a file that became a link as both", async () => {
    write("pixels", Buffer.from([0, 1, 2, 255]));
    rmSync(join(root, "a.txt"));
    symlinkSync("/etc/passwd", join(root, "a.txt"));
    write("z.txt", "Binary files are no text\n");
    commit();
    const [link, binary, last] = await filesOf({});
    expect(link?.text.match(/^diff --git /gm)).toHaveLength(2);
    expect(link?.text).toContain("+/etc/passwd\n");
    expect([link?.isBinary, binary?.isBinary, last?.isBinary]).toEqual([false, true, false]);
    expect(binary?.text).toContain("Binary files /dev/null and b/pixels differ");
    expect(last?.path).toBe("z.txt");
  });

  it("have nothing of git's configuration in them, which is read anew if it may have changed just now", async () => {
    const soon = new Date(Date.now() + 3_600_000);
    utimesSync(join(home, ".gitconfig"), soon, soon);
    write("a.txt", "one\n2\n");
    commit();
    const [file] = await filesOf({});
    expect(file?.text).toMatch(/^diff --git a\/a\.txt/);
    expect(file?.text).not.toContain("ada@example.com");
  });

  it("leave out what exceeds the limits, in whole lines, and say so", async () => {
    promise("review.differences");
    write("b.txt", "x".repeat(99).concat("\n").repeat(20_000));
    write("c.txt", "short\n");
    write("d.txt", "d".repeat(500).concat("\n"));
    commit();
    const found = await filesOf({ bytes: 2_400, bytesOfFile: 2_000 });
    expect(found.map(({ leftOut, path }) => [path, (leftOut ?? 0) > 0])).toEqual([
      ["b.txt", true],
      ["c.txt", false],
      ["d.txt", true],
    ]);
    expect(found[0]?.text).toMatch(/\+x{99}\n$/);
    expect(found.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(2_400);
    const whole = await filesOf({ bytes: 10_000_000 });
    expect(whole.map(({ leftOut }) => leftOut)).toEqual([0, 0, 0]);
    expect(found.map(({ leftOut, text }) => text.length + (leftOut ?? 0))).toEqual(
      whole.map(({ text }) => text.length),
    );
    const little = await filesOf({ bytes: 100 });
    expect(little.map(({ text }) => text === "")).toEqual([false, true, true]);
    expect((await filesOf({ bytes: 5_000, path: "d.txt" }))[0]?.leftOut).toBe(0);
  });

  it("are read no further than is needed, and the other files are still named", async () => {
    const line = "y".repeat(1_000_000).concat("\n");
    for (const name of ["b", "c", "d"]) write(name, line.repeat(30));
    commit();
    const found = await filesOf({ bytes: 1_000 });
    expect(found.map(({ path }) => path)).toEqual(["b", "c", "d"]);
    expect(found.every(({ leftOut, text }) => leftOut !== 0 && text.length <= 1_000)).toBe(true);
    expect(found.map(({ leftOut }) => leftOut === null)).toEqual([false, false, true]);
  });

  it("are shown though attributes call the files binary or name a program to show them", async () => {
    promise("review.differences");
    const evil = join(home, "evil.sh");
    writeFileSync(evil, `#!/bin/sh\ntouch ${home}/ran\necho nothing to see\n`);
    chmodSync(evil, 0o755);
    write(".gitattributes", "* -diff -text diff=evil linguist-generated\na.txt binary\n");
    mkdirSync(join(root, ".git/info"), { recursive: true });
    writeFileSync(join(root, ".git/info/attributes"), "* -diff\n");
    for (const [key, value] of Object.entries({
      "diff.external": evil,
      "diff.evil.command": evil,
      "diff.evil.textconv": evil,
      "diff.evil.binary": "true",
      "core.attributesFile": join(root, ".gitattributes"),
      "core.bigFileThreshold": "1",
      "diff.context": "0",
      "diff.noprefix": "true",
      "color.ui": "always",
    }))
      run("config", key, value);
    write("a.txt", "one\nchanged\n");
    commit();
    const found = (await filesOf({})).find(({ path }) => path === "a.txt");
    expect(found?.text).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+changed\n");
    expect(existsSync(join(home, "ran"))).toBe(false);
  });

  it("between snapshots of the working folder are found in a folder of the repository, by its paths", async () => {
    mkdirSync(join(root, "app"));
    write("app/x.txt", "1\n");
    commit();
    const folder = join(root, "app");
    const look = async () => {
      const found = await snapshot(place(folder), { base: "main", own: [".pawl"] });
      if (found.kind !== "tree") throw new Error(found.kind);
      return found.tree;
    };
    const from = await look();
    write("app/x.txt", "2\n");
    write("a.txt", "outside\n");
    const to = await look();
    expect((await between(place(folder), from, to))?.map(({ path }) => path)).toEqual(["../a.txt", "x.txt"]);
    expect((await filesOf({ from, to }, folder)).map(({ path }) => path)).toEqual(["../a.txt", "x.txt"]);
    const [own] = await filesOf({ from, to, path: "x.txt" }, folder);
    expect(own?.text).toContain("-1\n+2\n");
    expect(await filesOf({ from, to, path: "../a.txt" }, folder)).toHaveLength(1);
  });

  it("of what is no object are unavailable, with the reason", async () => {
    for (const from of ["HEAD", "--output=x", "0".repeat(40)])
      expect(
        await diff(place(), { from, to: run("rev-parse", "HEAD"), path: null, bytes: 10 }),
      ).toMatchObject({
        kind: "unavailable",
        reason: expect.any(String),
      });
  });
});
