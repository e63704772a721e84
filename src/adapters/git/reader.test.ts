import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { git as call, USER } from "../../../test/rig/git-user.ts";
import { promise } from "../../../test/rig/promise.ts";
import { giveLoose } from "./loose.ts";
import { ask, countMissing, isAncestor } from "./reader.ts";

let scratch: string;
let folder: string;
const git = (...args: readonly string[]) => call(folder, ...args);
const place = () => ({ folder, environment: USER });

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "pawl-reader-"));
  folder = join(scratch, "one");
  call(scratch, "init", "-qb", "main", folder);
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** Numbers as others would come by chance, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
}

/** A history with merges, of clocks that go wrong. Returns its commits. */
function history(length: number): readonly string[] {
  const next = numbers(7);
  const lines: string[] = [];
  for (let n = 1; n <= length; n++) {
    const parents = [...new Set(Array.from({ length: 1 + next(2) }, () => n - 1 - next(6)))].filter(
      (p) => p > 0,
    );
    const [first, ...others] = parents;
    lines.push(`commit refs/heads/b${n}`, `mark :${n}`);
    lines.push(`committer A <a@b> ${1_700_000_000 + 60 * n - 60 * next(12)} +0000`, "data 1", `${n % 10}`);
    if (first !== undefined) lines.push(`from :${first}`, ...others.map((p) => `merge :${p}`));
  }
  execFileSync("git", ["fast-import", "--quiet"], { cwd: folder, env: USER, input: `${lines.join("\n")}\n` });
  return Array.from({ length }, (_, n) => git("rev-parse", `b${n + 1}`));
}

it("counts and finds commits as git does, whatever their history", async () => {
  promise("git.once");
  const commits = history(60);
  const next = numbers(3);
  const one = () => commits[next(commits.length)] as string;
  for (let n = 0; n < 60; n++) {
    const [older, newer, third] = [one(), one(), one()];
    const beyond = Number(git("rev-list", "--count", older, third, "--not", newer));
    expect(await countMissing(place(), [older, third], [newer])).toBe(beyond);
    const isThere = git("rev-list", "--count", older, "--not", newer) === "0";
    expect(await isAncestor(place(), older, newer)).toBe(isThere);
  }
});

it("sees what came into the repository since it was asked, and a repository in the place of another", async () => {
  promise("git.once");
  git("commit", "-q", "--allow-empty", "-m", "One");
  const [first] = [git("rev-parse", "HEAD")];
  expect([...(await ask(place(), [first, "f".repeat(40)])).keys()]).toEqual([first]);
  git("commit", "-q", "--allow-empty", "-m", "Two");
  const second = git("rev-parse", "HEAD");
  git("repack", "-adq");
  expect((await ask(place(), [second])).get(second)?.type).toBe("commit");
  rmSync(folder, { recursive: true });
  call(scratch, "init", "-qb", "main", folder);
  expect((await ask(place(), [second])).size).toBe(0);
});

it("reads a commit with a message of many megabytes at once, and refuses one that is larger still", async () => {
  const commitOf = (megabytes: number) => {
    const input = `${"a".repeat(1024 * 1024 - 1)}\n`.repeat(megabytes);
    const options = { cwd: folder, env: USER, encoding: "utf8" as const, maxBuffer: 1e9 };
    return execFileSync("git", ["commit-tree", tree], { ...options, input }).trim();
  };
  const tree = git("write-tree");
  const [large, huge] = [commitOf(40), commitOf(130)];
  const begun = process.threadCpuUsage();
  expect((await ask(place(), [large])).get(large)?.bytes.length).toBeGreaterThan(40 * 1024 * 1024);
  await expect(ask(place(), [huge])).rejects.toThrow("it printed more than");
  // Looked at anew with each chunk, it takes ten times as long. Processor time, since the machine may be busy.
  expect(process.threadCpuUsage(begun).user).toBeLessThan(6_000_000);
});

it("gives a repository just what it lacks, files that another work has brought here included", async () => {
  promise("git.once");
  const write = (path: string, text: string) =>
    execFileSync(
      "sh",
      ["-c", `mkdir -p "$(dirname ${path})"; printf '${text}' > ${path}; git add -A; git commit -qm x`],
      {
        cwd: folder,
        env: USER,
      },
    );
  write("a/b/one", "1");
  const other = join(scratch, "other");
  call(scratch, "clone", "-q", folder, other);
  write("a/b/two", "2");
  git("checkout", "-qb", "work", "HEAD^");
  write("c/three", "2");
  git("merge", "-q", "-m", "Both", "main");
  const tip = git("rev-parse", "HEAD");
  const from = { folder: join(folder, ".git"), environment: USER };
  const to = { folder: other, environment: USER };
  expect(await giveLoose(from, join(other, ".git"), to, [tip])).toBe(true);
  call(other, "rev-list", "--objects", "--quiet", tip);
  call(other, "fsck", "--strict", "--connectivity-only", tip);
  git("commit", "-q", "--allow-empty", "-m", "Packed");
  git("repack", "-adq");
  expect(await giveLoose(from, join(other, ".git"), to, [git("rev-parse", "HEAD")])).toBe(false);
  expect(readdirSync(join(other, ".git/objects/pack"))).toEqual([]);
});

it("looks once at each name of a large folder that stayed as it was", { timeout: 60_000 }, async () => {
  promise("git.once");
  const FILES = 30_000;
  const lines = ["commit refs/heads/main", "committer A <a@b> 1 +0000", "data 1", "a"];
  for (let n = 0; n < FILES; n++) lines.push(`M 100644 inline f${n}`, "data 1", "x");
  execFileSync("git", ["fast-import", "--quiet"], { cwd: folder, env: USER, input: `${lines.join("\n")}\n` });
  const other = join(scratch, "other");
  call(scratch, "clone", "-q", "--no-checkout", folder, other);
  const tip = git("commit-tree", "-p", "main", "-m", "Same", "main^{tree}");
  const [from, to] = [
    { folder: join(folder, ".git"), environment: USER },
    { folder: other, environment: USER },
  ];
  const file = git("hash-object", "-w", "--stdin");
  const most = { cwd: folder, env: USER, encoding: "utf8", maxBuffer: 2 ** 24 } as const;
  const listed = `${execFileSync("git", ["ls-tree", "main"], most)}100644 blob ${file}\tnew\n`;
  const tree = execFileSync("git", ["mktree"], { ...most, input: listed }).trim();
  const changed = git("commit-tree", "-p", tip, "-m", "One more", tree);
  const before = process.cpuUsage().user;
  expect(await giveLoose(from, join(other, ".git"), to, [changed])).toBe(true);
  expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(3);
  call(other, "fsck", "--strict", "--connectivity-only", changed);
});
