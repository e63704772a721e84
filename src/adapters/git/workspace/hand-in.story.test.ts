/** What an agent left in its workspace, as it comes into the hub: nothing that it wrote there is trusted. */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commit, git, USER } from "../../../../test/rig/git-user.ts";
import { end } from "../../../../test/rig/project.ts";
import { promise } from "../../../../test/rig/promise.ts";
import { unshare } from "../../../../test/rig/unshare.ts";
import type { Worktree } from "../../../core/ports/worktrees.ts";
import { openWorktrees } from "./worktrees.ts";

const SMALL_HUB = resolve(import.meta.dirname, "../../../../test/rig/small-hub.ts");

let scratch: string;
let root: string;
let hub: string;
let work: Worktree;

const open = () => openWorktrees(root, USER);
const inside = (...args: readonly string[]) => git(work.folder.agentPath, ...args);
const at = () => git(hub, "rev-parse", "bloom/T1");

beforeEach(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-hand-in-")));
  root = join(scratch, "project");
  git(scratch, "init", "-qb", "main", root);
  commit(root, "a.txt", "one\n", "Begin");
  work = await open().ensure({ repo: ".", branch: "bloom/T1" });
  hub = join(work.folder.agentPath, "../@hub.git");
});
afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
  rmSync(join(work.folder.agentPath, "../.."), { recursive: true, force: true });
});

/** A loose object of the workspace, whatever its name says. */
function plant(name: string, type: string, content: string | Buffer): void {
  const bytes = Buffer.from(content);
  const place = join(work.folder.agentPath, ".git/objects", name.slice(0, 2));
  mkdirSync(place, { recursive: true });
  const file = join(place, name.slice(2));
  rmSync(file, { force: true });
  writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])));
}

/** Writes an object that git itself would not make. */
function raw(type: string, content: string | Buffer): string {
  const args = ["hash-object", "-t", type, "-w", "--stdin", "--literally"];
  return execFileSync("git", args, {
    cwd: work.folder.agentPath,
    env: USER,
    input: content,
    encoding: "utf8",
  }).trim();
}

const whole = () => expect(git(hub, "fsck", "--strict", "--no-dangling")).toBe("");

it("takes the commits of the task's branch in, rewritten ones too, and once is enough", async () => {
  promise("wall.one-branch");
  commit(work.folder.agentPath, "b.txt", "b\n", "b");
  expect(await open().state(work, "main")).toMatchObject({ unmerged: 1, uncommitted: [] });
  expect(git(hub, "log", "--format=%s", "bloom/T1")).toBe("b\nBegin");
  inside("commit", "-q", "--amend", "-m", "B");
  await open().state(work);
  expect(at()).toBe(inside("rev-parse", "HEAD"));
  const packs = readdirSync(join(hub, "objects/pack"));
  await open().state(work);
  expect(readdirSync(join(hub, "objects/pack"))).toEqual(packs);
  expect(readdirSync(hub).filter((name) => name.startsWith("incoming"))).toEqual([]);
  expect(git(root, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  whole();
});

it("takes in what it left on another branch or on none, and says where it is", async () => {
  promise("wall.one-branch");
  inside("switch", "-q", "--detach");
  const id = commit(work.folder.agentPath, "b.txt", "b\n");
  expect(await open().state(work, "main")).toMatchObject({ branch: null, head: id, unmerged: 1 });
  expect(git(hub, "cat-file", "-t", id)).toBe("commit");
  expect(at()).toBe(git(root, "rev-parse", "main"));
});

it("takes no content under another object's name", async () => {
  promise("wall.one-branch");
  const blob = git(root, "rev-parse", "main:a.txt");
  plant(blob, "blob", "forged\n");
  commit(work.folder.agentPath, "b.txt", "b\n");
  await open()
    .state(work)
    .catch(() => {});
  expect(git(hub, "cat-file", "blob", blob)).toBe("one");
  whole();
});

it("takes no commit of which something is missing", async () => {
  promise("wall.one-branch");
  const before = at();
  const tree = "1".repeat(40);
  const id = raw(
    "commit",
    `tree ${tree}\nparent ${before}\nauthor A <a@b> 0 +0000\ncommitter A <a@b> 0 +0000\n\nx\n`,
  );
  writeFileSync(join(work.folder.agentPath, ".git/refs/heads/bloom/T1"), `${id}\n`);
  await expect(open().state(work)).rejects.toMatchObject({
    code: "git-failed",
    message: expect.stringMatching(/^git pack-objects /),
  });
  expect(at()).toBe(before);
  whole();
});

it.each([
  [".git", "a folder named .git"],
  [".GIT", "the same in capitals"],
  ["..", "a way out"],
])("takes no tree with %s: %s", async (name) => {
  promise("wall.one-branch");
  const before = at();
  const blob = Buffer.from(git(root, "rev-parse", "main:a.txt"), "hex");
  const tree = raw("tree", Buffer.concat([Buffer.from(`100644 ${name}\0`), blob]));
  const id = inside("commit-tree", tree, "-p", before, "-m", "x");
  inside("update-ref", "refs/heads/bloom/T1", id);
  await expect(open().state(work)).rejects.toMatchObject({
    code: "git-failed",
    message: expect.stringContaining("cannot be imported: git does not accept them"),
  });
  expect(at()).toBe(before);
  whole();
});

it("lets nothing that is no commit stand for the branch", async () => {
  promise("wall.one-branch");
  const before = at();
  writeFileSync(join(work.folder.agentPath, "a.txt"), "two\n");
  inside("add", "a.txt");
  for (const tree of [inside("rev-parse", "HEAD^{tree}"), inside("write-tree")]) {
    writeFileSync(join(work.folder.agentPath, ".git/refs/heads/bloom/T1"), `${tree}\n`);
    await expect(open().state(work)).rejects.toMatchObject({ code: "git-failed" });
    expect(at()).toBe(before);
  }
  rmSync(join(work.folder.agentPath, ".git/refs/heads/bloom"), { recursive: true });
  writeFileSync(join(scratch, "secret"), `${"2".repeat(40)}\n`);
  symlinkSync(scratch, join(work.folder.agentPath, ".git/refs/heads/bloom"));
  await expect(open().state(work)).rejects.toMatchObject({ code: "git-failed" });
  expect(at()).toBe(before);
});

it("sees what is not committed, whatever the workspace's git folder says", async () => {
  promise("evidence.tree");
  const lies: readonly (() => void)[] = [
    () => inside("update-index", "--assume-unchanged", "a.txt"),
    () => inside("update-index", "--skip-worktree", "a.txt"),
    () => writeFileSync(join(work.folder.agentPath, ".git/info/exclude"), "*\n"),
    () => {
      inside("config", "filter.x.clean", "git cat-file blob HEAD:a.txt");
      writeFileSync(join(work.folder.agentPath, ".git/info/attributes"), "* filter=x\n");
    },
    () => inside("config", "core.worktree", scratch),
    () => inside("config", "status.showUntrackedFiles", "no"),
  ];
  writeFileSync(join(work.folder.agentPath, "a.txt"), "changed\n");
  writeFileSync(join(work.folder.agentPath, "new.txt"), "new\n");
  for (const lie of lies) {
    lie();
    expect((await open().state(work)).uncommitted).toEqual(["a.txt", "new.txt"]);
  }
});

it("starts no program that the workspace's configuration names to look at it", async () => {
  promise("git.runs-nothing");
  const ran = join(scratch, "ran");
  const program = join(scratch, "program");
  writeFileSync(program, `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(program, 0o755);
  for (const key of [
    "core.fsmonitor",
    "core.pager",
    "diff.external",
    "filter.x.clean",
    "filter.x.smudge",
    "core.editor",
  ])
    inside("config", key, program);
  inside("config", "core.hooksPath", scratch);
  for (const name of ["post-index-change", "reference-transaction", "pre-commit"])
    symlinkSync(program, join(scratch, name));
  writeFileSync(join(work.folder.agentPath, ".gitattributes"), "* filter=x diff=x\n");
  writeFileSync(join(work.folder.agentPath, "a.txt"), "changed\n");
  expect((await open().state(work)).uncommitted).toEqual(["a.txt", ".gitattributes"]);
  expect(existsSync(ran)).toBe(false);
});

it.each<readonly [string, () => void]>([
  ["a pipe as HEAD", () => pipe(".git/HEAD")],
  ["a pipe as its branch", () => pipe(".git/refs/heads/bloom/T1")],
  ["a pipe as its index and its configuration", () => [".git/index", ".git/config"].forEach(pipe)],
  [
    "a folder as its configuration",
    () => {
      remove(".git/config");
      mkdirSync(join(work.folder.agentPath, ".git/config"));
    },
  ],
  ["a configuration that is none", () => writeFileSync(join(work.folder.agentPath, ".git/config"), "[[[")],
  [
    "packed refs that are none",
    () => writeFileSync(join(work.folder.agentPath, ".git/packed-refs"), Buffer.alloc(9000, 255)),
  ],
])("says in a sentence what is wrong with %s, and hangs nowhere", async (_, harm) => {
  promise("git.once");
  const before = at();
  // What was committed since, git itself must say.
  commit(work.folder.agentPath, "b.txt", "b\n", "More");
  harm();
  const [told] = await Promise.allSettled([open().state(work)]);
  expect(told).toMatchObject({
    status: "rejected",
    reason: { code: "git-failed", message: /\.git|config|packed|ref/i },
  });
  expect(at()).toBe(before);
  whole();
});

it("sees past what fills a workspace: a sparse file of 10 GB, pipes, loops of links, names of 255 bytes or no text", async () => {
  promise("git.once");
  truncateSync(touched("huge"), 10 * 2 ** 30);
  pipe("pipe");
  symlinkSync("loop", join(work.folder.agentPath, "loop"));
  touched("n".repeat(255));
  writeFileSync(Buffer.concat([Buffer.from(`${work.folder.agentPath}/`), Buffer.from([0xff, 0xfe])]), "");
  mkdirSync(join(work.folder.agentPath, "many"));
  for (let n = 0; n < 2000; n++) touched(`many/${n}`);
  const { uncommitted } = await open().state(work);
  expect(uncommitted).toHaveLength(4 + 2000);
  expect(uncommitted).toEqual(expect.arrayContaining(["huge", "loop", "n".repeat(255), "many/7"]));
});

function remove(path: string): void {
  rmSync(join(work.folder.agentPath, path), { recursive: true, force: true });
}

function pipe(path: string): void {
  remove(path);
  execFileSync("mkfifo", [join(work.folder.agentPath, path)]);
}

function touched(path: string): string {
  writeFileSync(join(work.folder.agentPath, path), "");
  return join(work.folder.agentPath, path);
}

it("takes away what a killed call left apart", async () => {
  promise("git.once");
  mkdirSync(join(hub, "incoming-999999999-0/pack"), { recursive: true });
  commit(work.folder.agentPath, "b.txt", "b\n");
  await open().state(work);
  expect(readdirSync(hub).filter((name) => name.startsWith("incoming"))).toEqual([]);
});

it("keeps what a workspace borrows, whatever the person's repository does", async () => {
  promise("git.no-work-lost");
  commit(work.folder.agentPath, "b.txt", "b\n");
  await open().state(work);
  git(root, "checkout", "-q", "--orphan", "other");
  git(root, "commit", "-qm", "other");
  git(root, "branch", "-D", "main");
  git(root, "reflog", "expire", "--expire=now", "--all");
  git(root, "gc", "-q", "--prune=now");
  expect(inside("fsck", "--connectivity-only", "--no-dangling")).toBe("");
  rmSync(root, { recursive: true, force: true });
  expect(inside("log", "--format=%s")).toContain("Begin");
});

it.skipIf(unshare === undefined)(
  "refuses commits for which the disk has no room, and leaves room for everything else",
  async () => {
    promise("wall.one-branch");
    const place = join(scratch, "disk");
    mkdirSync(place);
    const { code, err, out } = await end(
      spawn("unshare", [unshare ?? "", process.execPath, SMALL_HUB, place], { env: USER }),
    );
    expect(`${code} ${err}`).toBe("0 ");
    const { after, before, refused, unmerged } = JSON.parse(out);
    expect(refused).toMatch(
      /the commits of bloom\/T1 cannot be imported: they do not fit: the disk has \d+ MB left; free some space/,
    );
    expect([before - after, unmerged]).toEqual([0, 1]);
  },
);
