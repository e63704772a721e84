import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { copyPrepared } from "../../../test/rig/prepared.ts";
import { promise } from "../../../test/rig/promise.ts";
import type { PinnedBase, Snapshot } from "../../core/ports/git.ts";
import { between, checkOut, pin, snapshot } from "./tree.ts";

let home: string;
let root: string;
let base: PinnedBase;

const ENVIRONMENT = () => ({ PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" });
const PLACE = () => ({ folder: root, environment: ENVIRONMENT() });
const run = (...args: string[]) =>
  execFileSync("git", args, { cwd: root, env: ENVIRONMENT(), stdio: "pipe", encoding: "utf8" }).trim();
const write = (name: string, text: string) => writeFileSync(join(root, name), text);

type Tree = Extract<Snapshot, { kind: "tree" }>;

async function look(
  from: PinnedBase | string | null = base,
  own: readonly string[] = [".pawl"],
): Promise<Tree> {
  const found = await snapshot(PLACE(), { base: from, own });
  if (found.kind !== "tree") throw new Error(JSON.stringify(found));
  return found;
}
const pathsOf = ({ files }: Tree) => files.map(({ path }) => path);

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "pawl-tree-test-")));
  root = join(home, "project");
  copyPrepared("tree", home, (folder) => {
    writeFileSync(join(folder, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
    const cwd = join(folder, "project");
    mkdirSync(join(cwd, "sub"), { recursive: true });
    for (const name of ["a", "b", "c", "sub/d"]) writeFileSync(join(cwd, name), "1\n");
    writeFileSync(join(cwd, ".gitignore"), "node_modules/\n");
    const env = { ...ENVIRONMENT(), HOME: folder };
    for (const words of ["init -q -b main", "add -A", "commit -qm one"])
      execFileSync("git", words.split(" "), { cwd, env, stdio: "pipe" });
  });
  base = (await pin(PLACE(), "feature/x")) ?? { branch: "none", commit: "none" };
  run("checkout", "-qb", "feature/x");
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

it("holds what is committed, staged, edited, deleted and new, and not what the tree's own files ignore", async () => {
  write("a", "1\n2\n");
  run("commit", "-qam", "two");
  write("b", "2\n");
  run("add", "b");
  rmSync(join(root, "sub/d"));
  write("new file", "x\n");
  mkdirSync(join(root, "node_modules"));
  write("node_modules/x", "x");
  mkdirSync(join(root, ".pawl"));
  write(".pawl/state", "x");
  expect(await look()).toMatchObject({
    base: { ...base, isPinned: true },
    branchNow: base.commit,
    holdsBase: true,
    hidden: [],
    files: [
      { path: "a", added: 1, deleted: 0 },
      { path: "b", added: 1, deleted: 1 },
      { path: "new file", added: 1, deleted: 0 },
      { path: "sub/d", added: 0, deleted: 1 },
    ],
  });
  expect(run("status", "--porcelain")).toContain("M  b");
});

it("is the very tree that a commit of it has, and is equal for equal files only", async () => {
  write("b", "2\n");
  chmodSync(join(root, "c"), 0o755);
  symlinkSync("a", join(root, "link"));
  const { tree } = await look();
  run("add", "-A", "--", ".", ":!.pawl");
  run("commit", "-qm", "all");
  expect(run("rev-parse", "HEAD^{tree}")).toBe(tree);
  expect((await look()).tree).toBe(tree);
  write("b", "3\n");
  expect((await look()).tree).not.toBe(tree);
});

it("leaves the project's own files out, whether they are committed or not", async () => {
  mkdirSync(join(root, ".alfred"));
  write(".alfred/state", "1");
  run("add", "-A");
  run("commit", "-qm", "state");
  const { tree } = await look(base, [".pawl", ".alfred"]);
  write(".alfred/state", "2");
  write(".alfred/other", "2");
  expect((await look(base, [".pawl", ".alfred"])).tree).toBe(tree);
  write(".git/info/exclude", ".alfred\n.pawl\n");
  expect((await look(base, [".pawl", ".alfred"])).tree).toBe(tree);
});

it("counts a folder of a larger repository from the project's own root", async () => {
  write("a", "2\n");
  write("sub/d", "2\n");
  const found = await snapshot({ ...PLACE(), folder: join(root, "sub") }, { base, own: [".pawl"] });
  expect(pathsOf(found as Tree)).toEqual(["../a", "d"]);
});

describe("cannot be fooled by", () => {
  beforeEach(() => {
    write("a", "the work\n");
    run("commit", "-qam", "work");
  });

  it("update-ref: the base is the commit that it was, and a branch that moved is told", async () => {
    promise("evidence.tree");
    run("update-ref", "refs/heads/main", "HEAD");
    const found = await look();
    expect(pathsOf(found)).toEqual(["a"]);
    expect(found.branchNow).not.toBe(base.commit);
  });

  it("symbolic-ref", async () => {
    promise("evidence.tree");
    run("symbolic-ref", "refs/heads/main", "refs/heads/feature/x");
    const found = await look();
    expect(pathsOf(found)).toEqual(["a"]);
    expect(found.branchNow).not.toBe(base.commit);
    run("symbolic-ref", "HEAD", "refs/heads/unborn");
    expect(pathsOf(await look())).toEqual(["a"]);
    expect((await look()).holdsBase).toBe(false);
  });

  it("a history that does not have the base", async () => {
    run("checkout", "-q", "--orphan", "other");
    run("commit", "-qm", "orphan");
    expect(await look()).toMatchObject({ holdsBase: false });
  });

  it.each(["--assume-unchanged", "--skip-worktree"])("%s", async (flag) => {
    run("update-index", flag, "b");
    write("b", "hidden\n");
    expect(run("status", "--porcelain")).not.toContain(" b");
    expect(pathsOf(await look())).toEqual(["a", "b"]);
  });

  it.each(["clean", "process"])("a %s filter", async (part) => {
    run("config", `filter.hide.${part}`, "git show main:b");
    write(".gitattributes", "b filter=hide\n");
    write("b", "hidden\n");
    expect(pathsOf(await look())).toEqual([".gitattributes", "a", "b"]);
  });

  it("info/attributes and core.attributesFile", async () => {
    run("config", "filter.hide.clean", "git show main:b");
    writeFileSync(join(home, "attributes"), "b filter=hide\n");
    run("config", "core.attributesFile", join(home, "attributes"));
    writeFileSync(join(root, ".git/info/attributes"), "b filter=hide\n");
    write("b", "hidden\n");
    expect(pathsOf(await look())).toEqual(["a", "b"]);
  });

  it("git replace", async () => {
    promise("evidence.tree");
    const forged = run("commit-tree", "HEAD^{tree}", "-m", "forged");
    run("replace", base.commit, forged);
    expect(run("diff", "--name-only", base.commit)).toBe("");
    expect(pathsOf(await look())).toEqual(["a"]);
  });

  it("grafts", async () => {
    writeFileSync(join(root, ".git/info/grafts"), `${run("rev-parse", "HEAD")}\n`);
    expect(await look()).toMatchObject({ holdsBase: true });
  });

  it("core.checkStat, with times and size as they were", async () => {
    promise("evidence.tree");
    const { atime, mtime } = statSync(join(root, "b"));
    run("config", "core.checkStat", "minimal");
    run("config", "core.trustctime", "false");
    write("b", "9\n");
    utimesSync(join(root, "b"), atime, mtime);
    expect(pathsOf(await look())).toEqual(["a", "b"]);
  });

  it.each([
    ["core.fileMode", "false"],
    ["core.ignoreStat", "true"],
    ["core.untrackedCache", "true"],
    ["core.sparseCheckout", "true"],
    ["core.symlinks", "false"],
    ["core.autocrlf", "true"],
    ["status.showUntrackedFiles", "no"],
    ["diff.ignoreSubmodules", "all"],
    ["core.ignoreCase", "true"],
  ])("%s", async (key, value) => {
    write("b", "edited\n");
    write("new", "x\n");
    const honest = await look();
    run("config", key, value);
    expect(await look()).toEqual(honest);
  });

  it("core.worktree: it is refused by name", async () => {
    promise("evidence.tree");
    run("config", "core.worktree", home);
    expect(await snapshot(PLACE(), { base, own: [] })).toMatchObject({
      kind: "unavailable",
      reason: expect.stringContaining("core.worktree"),
    });
  });

  it.each([
    ["info/exclude", () => writeFileSync(join(root, ".git/info/exclude"), ".npmrc\n")],
    [
      "core.excludesFile",
      () => {
        writeFileSync(join(home, "excludes"), ".npmrc\n");
        run("config", "core.excludesFile", join(home, "excludes"));
      },
    ],
  ])("a file that only %s hides: it is named, and no part of the tree", async (_, hide) => {
    promise("evidence.tree");
    hide();
    write(".npmrc", "script-shell=/bin/true\n");
    const found = await look();
    expect(found.hidden).toEqual([{ path: ".npmrc", by: "repository" }]);
    expect(pathsOf(found)).toEqual(["a"]);
    await checkOut(PLACE(), found.tree, join(home, "checkout"));
    expect(existsSync(join(home, "checkout/.npmrc"))).toBe(false);
  });

  it("a file that the person's own list hides: it is told from the repository's", async () => {
    mkdirSync(join(home, ".config/git"), { recursive: true });
    writeFileSync(join(home, ".config/git/ignore"), ".idea/\n");
    mkdirSync(join(root, ".idea"));
    write(".idea/x", "x");
    expect((await look()).hidden).toEqual([{ path: ".idea/", by: "person" }]);
  });

  it("an index.lock, or an index that is no index", async () => {
    writeFileSync(join(root, ".git/index.lock"), "");
    writeFileSync(join(root, ".git/index"), "none");
    expect(pathsOf(await look())).toEqual(["a"]);
  });

  it("a repository within it: it is a change", async () => {
    mkdirSync(join(root, "inner"));
    execFileSync("git", ["init", "-q"], { cwd: join(root, "inner"), env: ENVIRONMENT() });
    write("inner/x", "x");
    execFileSync("git", ["add", "-A"], { cwd: join(root, "inner"), env: ENVIRONMENT() });
    execFileSync("git", ["commit", "-qm", "x"], { cwd: join(root, "inner"), env: ENVIRONMENT() });
    expect(pathsOf(await look())).toEqual(["a", "inner"]);
  });

  it("another repository in the environment", async () => {
    const place = {
      ...PLACE(),
      environment: { ...ENVIRONMENT(), GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere" },
    };
    expect(await snapshot(place, { base, own: [".pawl"] })).toEqual(await look());
  });
});

it("tells the files in which two trees differ, and that it does not know one", async () => {
  const first = await look();
  write("b", "2\n");
  write("new", "2\n");
  const second = await look();
  expect(await between(PLACE(), first.tree, second.tree)).toEqual([
    { path: "b", added: 1, deleted: 1 },
    { path: "new", added: 1, deleted: 0 },
  ]);
  expect(await between(PLACE(), first.tree, "0".repeat(40))).toBeNull();
});

it("checks a tree out, whatever is in the working folder by then, and leaves nothing of its own behind", async () => {
  const temporary = join(home, "temporary");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  write("b", "2\n");
  chmodSync(join(root, "c"), 0o755);
  symlinkSync("a", join(root, "link"));
  const { tree } = await look();
  write("b", "3\n");
  const into = join(home, "checkout");
  await checkOut(PLACE(), tree, into);
  expect(readFileSync(join(into, "b"), "utf8")).toBe("2\n");
  expect(statSync(join(into, "c")).mode & 0o111).not.toBe(0);
  expect(readdirSync(into).sort()).toEqual([".gitignore", "a", "b", "c", "link", "sub"]);
  vi.unstubAllEnvs();
  expect(readdirSync(temporary)).toEqual([]);
});

it("does not check out what only bears a tree's name", async () => {
  promise("evidence.checks");
  write("b", "honest\n");
  const { tree } = await look();
  const honest = run("hash-object", "b");
  write("b", "forged\n");
  const forged = run("hash-object", "-w", "b");
  const objects = join(root, ".pawl/trees");
  const place = (id: string) => join(objects, id.slice(0, 2), id.slice(2));
  const from = join(root, ".git/objects", forged.slice(0, 2), forged.slice(2));
  rmSync(place(honest), { force: true });
  writeFileSync(place(honest), readFileSync(from));
  await expect(checkOut(PLACE(), tree, join(home, "checkout"))).rejects.toThrow();
});

it("says why there is none: no repository, or one that does not answer", async () => {
  rmSync(join(root, ".git"), { recursive: true });
  expect(await snapshot(PLACE(), { base, own: [] })).toEqual({ kind: "not-a-repository" });
  expect(await pin(PLACE(), "feature/x")).toBeNull();
});

it("pins what is checked out, or if the work's own branch left main", async () => {
  write("a", "2\n");
  run("commit", "-qam", "two");
  expect(await pin(PLACE(), "feature/x")).toEqual(base);
  run("checkout", "-qb", "develop");
  expect(await pin(PLACE(), "feature/x")).toEqual({ branch: "develop", commit: run("rev-parse", "HEAD") });
});
