/** What an agent left behind the wall, brought into a real repository: nothing that it wrote there is trusted. */
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
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { bringIn, bringInRun } from "./bring-in.ts";
import { gitMounts } from "./git-view.ts";
import { openStore } from "./store.ts";

const ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Dev",
  GIT_AUTHOR_EMAIL: "dev@example.com",
  GIT_COMMITTER_NAME: "Dev",
  GIT_COMMITTER_EMAIL: "dev@example.com",
};

/** A project with a worktree, and a run whose agent sees it as the wall shows it. */
function openRun(branch = "bloom/T1") {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-wall-")));
  const git = (folder: string, more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      env: { ...ENVIRONMENT, ...more },
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  const outside = (...args: readonly string[]) => git(root, {}, ...args);
  outside("init", "-q", "-b", "main");
  outside("commit", "-q", "--allow-empty", "-m", "Begin");
  const folder = join(root, ".pawl/worktrees/@project/t1");
  outside("worktree", "add", "-q", "-b", branch, folder);
  const store = openStore(root, folder);
  const objects = join(store.folder, "objects");
  const head = join(store.folder, "heads", branch.slice(branch.lastIndexOf("/") + 1));
  const begin = (run: string) => {
    gitMounts(store, run, folder);
    // Where the repository's own objects are seen inside.
    writeFileSync(join(objects, "info/alternates"), `${join(root, ".git/objects")}\n`);
  };
  begin("T1.1");
  /** A commit made behind the wall, which moves the private branch alone. */
  const commit = (name: string): string => {
    const inside = { GIT_OBJECT_DIRECTORY: objects };
    writeFileSync(join(folder, name), name);
    git(folder, inside, "add", name);
    const tree = git(folder, inside, "write-tree");
    const parent = readFileSync(head, "utf8").trim();
    const id = git(folder, inside, "commit-tree", tree, "-p", parent, "-m", name);
    writeFileSync(head, `${id}\n`);
    return id;
  };
  return {
    root,
    folder,
    store,
    objects,
    head,
    outside,
    begin,
    commit,
    take: () => bringIn(store, ENVIRONMENT),
    at: () => outside("rev-parse", branch),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

it("brings in the commits of the run's own branch, and once is enough", async () => {
  promise("wall.one-branch");
  using run = openRun();
  run.commit("a");
  const id = run.commit("b");
  expect(await bringInRun(run.root, ENVIRONMENT, "T1.1")).toEqual([]);
  expect(run.at()).toBe(id);
  expect(run.outside("log", "--format=%s", id).split("\n")).toEqual(["b", "a", "Begin"]);
  expect(run.outside("fsck", "--strict")).toBe("");
  expect(run.outside("reflog", "-1", "--format=%gs", "bloom/T1")).toBe("pawl: run T1.1");
  expect(await bringInRun(run.root, ENVIRONMENT, "T1.1")).toEqual([]);
  expect(
    readdirSync(run.objects).filter(
      (name) => /^[0-9a-f]{2}$/.test(name) && readdirSync(join(run.objects, name)).length > 0,
    ),
  ).toEqual([]);
});

it("brings in what a killed loop had half done", async () => {
  promise("wall.crash");
  using run = openRun();
  const id = run.commit("a");
  const pending = readFileSync(join(run.store.folder, "pending.json"));
  await run.take();
  writeFileSync(join(run.store.folder, "pending.json"), pending);
  expect(await run.take()).toEqual([]);
  expect(run.at()).toBe(id);
});

it("leaves everything as it was where the run did nothing", async () => {
  promise("wall.one-branch");
  using run = openRun();
  const before = run.at();
  expect(await run.take()).toEqual([]);
  expect(run.at()).toBe(before);
  expect(existsSync(join(run.store.folder, "pending.json"))).toBe(false);
});

it("moves no other branch, whatever the private copies say", async () => {
  promise("wall.one-branch");
  using run = openRun("mine");
  const id = run.commit("a");
  writeFileSync(join(run.store.folder, "heads/main"), `${id}\n`);
  writeFileSync(join(run.store.folder, "heads/new"), `${id}\n`);
  const main = run.outside("rev-parse", "main");
  expect(await run.take()).toEqual([]);
  expect(run.at()).toBe(id);
  expect(run.outside("rev-parse", "main")).toBe(main);
  expect(run.outside("branch", "--format=%(refname:short)").split("\n")).toEqual(["main", "mine"]);
});

it("overwrites no branch that somebody else moved meanwhile, and keeps the run's commits", async () => {
  promise("wall.one-branch");
  using run = openRun();
  const id = run.commit("a");
  const other = run.outside("commit-tree", "-p", "main", "-m", "theirs", "main^{tree}");
  run.outside("update-ref", "refs/heads/bloom/T1", other);
  expect(await run.take()).toEqual([expect.stringContaining("refs/pawl/T1.1")]);
  expect(run.at()).toBe(other);
  expect(run.outside("rev-parse", "refs/pawl/T1.1")).toBe(id);
});

it("takes no object whose content is not what its name says, nor replaces one that is there", async () => {
  promise("wall.one-branch");
  using run = openRun();
  const before = run.at();
  const forge = (id: string) => {
    mkdirSync(join(run.objects, id.slice(0, 2)), { recursive: true });
    writeFileSync(join(run.objects, id.slice(0, 2), id.slice(2)), deflateSync("blob 4\0evil"));
  };
  const main = run.outside("rev-parse", "main");
  forge(main);
  forge("a".repeat(40));
  writeFileSync(run.head, `${"a".repeat(40)}\n`);
  const told = await run.take();
  expect(told).toEqual([
    expect.stringContaining("1 of its objects"),
    expect.stringContaining("not a complete commit"),
  ]);
  expect(run.outside("cat-file", "-t", main)).toBe("commit");
  expect(run.at()).toBe(before);
  expect(run.outside("fsck", "--strict")).toBe("");
});

it("moves no branch to a commit of which something is missing", async () => {
  promise("wall.one-branch");
  using run = openRun();
  const before = run.at();
  run.commit("a");
  const blob = run
    .outside("hash-object", "--stdin", "--path", "a", "-t", "blob", join(run.folder, "a"))
    .split("\n")[0];
  const name = execFileSync("git", ["hash-object", join(run.folder, "a")], { encoding: "utf8" }).trim();
  expect(blob).toBeDefined();
  rmSync(join(run.objects, name.slice(0, 2), name.slice(2)), { force: true });
  expect(await run.take()).toEqual([expect.stringContaining("not a complete commit")]);
  expect(run.at()).toBe(before);
});

it("follows no link of an agent's: not to another repository's objects, not to a file for a branch", async () => {
  promise("wall.one-branch");
  using run = openRun();
  using other = openRun();
  other.outside("commit", "-q", "--allow-empty", "-m", "private");
  const secret = other.outside("rev-parse", "main");
  const start = secret.slice(0, 2);
  symlinkSync(join(other.root, ".git/objects", start), join(run.objects, start));
  const file = join(other.root, ".git/objects", start, secret.slice(2));
  writeFileSync(join(run.objects, "info/alternates"), join(other.root, ".git/objects"));
  rmSync(run.head);
  symlinkSync(file, run.head);
  expect(await run.take()).toEqual([]);
  expect(() => run.outside("cat-file", "-e", secret)).toThrow();
  expect(existsSync(file)).toBe(true);
});

it("reads a pack anew, whatever lies beside it", async () => {
  promise("wall.one-branch");
  using run = openRun();
  const id = run.commit("a");
  execFileSync("git", ["repack", "-adlq"], {
    cwd: run.folder,
    env: { ...ENVIRONMENT, GIT_OBJECT_DIRECTORY: run.objects },
    stdio: "pipe",
  });
  const pack = join(run.objects, "pack");
  const ids = execFileSync("git", ["pack-objects", join(pack, "pack")], {
    cwd: run.folder,
    env: { ...ENVIRONMENT, GIT_OBJECT_DIRECTORY: run.objects },
    input: `${execFileSync("git", ["rev-list", "--objects", "--no-object-names", id, "^main"], { cwd: run.folder, env: { ...ENVIRONMENT, GIT_OBJECT_DIRECTORY: run.objects }, encoding: "utf8" })}`,
    encoding: "utf8",
  });
  expect(ids).not.toBe("");
  for (const name of readdirSync(run.objects))
    if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(run.objects, name), { recursive: true });
  for (const name of readdirSync(pack))
    if (name.endsWith(".idx")) {
      chmodSync(join(pack, name), 0o644);
      writeFileSync(join(pack, name), "evil");
    }
  expect(await run.take()).toEqual([]);
  expect(run.at()).toBe(id);
  expect(run.outside("fsck", "--strict")).toBe("");
});

it("leaves a worktree at its commit where its agent made a branch that does not count", async () => {
  promise("wall.one-branch");
  using run = openRun();
  const id = run.commit("a");
  writeFileSync(join(run.store.folder, "heads/own"), `${id}\n`);
  writeFileSync(join(run.root, ".git/worktrees/t1/HEAD"), "ref: refs/heads/bloom/own\n");
  expect(await run.take()).toEqual([]);
  expect(run.outside("-C", run.folder, "rev-parse", "HEAD")).toBe(id);
  expect(run.outside("-C", run.folder, "branch", "--show-current")).toBe("");
});

it("brings in an earlier run's work before the next begins", async () => {
  promise("wall.crash");
  using run = openRun();
  const id = run.commit("a");
  expect(await bringInRun(run.root, ENVIRONMENT, "T1.9")).toEqual([]);
  expect(run.at()).not.toBe(id);
  await run.take();
  run.begin("T1.2");
  expect(run.commit("b")).not.toBe(id);
  await run.take();
  expect(run.outside("log", "--format=%s", "bloom/T1").split("\n")).toEqual(["b", "a", "Begin"]);
});

it.each<readonly [string, string, (run: ReturnType<typeof openRun>, folder: string) => void]>([
  ["the label of the worktree", "disk-failed", (_, label) => mkdirSync(label)],
  ["what the label says", "wall-failed", (_, label) => writeFileSync(label, '{"branch":')],
  ["the label's branch", "wall-failed", (_, label) => writeFileSync(label, '{"branch":7}')],
  [
    "the repository's alternates",
    "disk-failed",
    ({ root }) => mkdirSync(join(root, ".git/objects/info/alternates"), { recursive: true }),
  ],
])(
  "an agent does not begin if %s cannot be read: it would see another branch or lack objects",
  (_, code, damage) => {
    using run = openRun();
    damage(run, join(run.root, ".pawl/worktrees/@project/@of-t1.json"));
    expect(() => run.begin("T1.2")).toThrow(expect.objectContaining({ code }));
  },
);
