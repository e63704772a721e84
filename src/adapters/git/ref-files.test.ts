/** What is read from the repository's files is what git itself says of them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { discover } from "./discover.ts";
import { ABSENT, readCheckouts, readRef } from "./ref-files.ts";

let root: string;

const git = (...args: string[]) =>
  execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    stdio: "pipe",
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
    },
  }).trim();
const repository = (folder = root) => {
  const found = discover(folder);
  if (found === null) throw new Error(`no repository at ${folder}`);
  return found;
};
const commit = (message: string) => git("commit", "-q", "--allow-empty", "-m", message);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-refs-")));
  git("init", "-qb", "main");
  commit("one");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("finds a branch that is packed, that moved since, and that was removed", () => {
  git("branch", "packed");
  git("branch", "gone");
  git("pack-refs", "--all");
  commit("two");
  git("branch", "-D", "gone");
  for (const name of ["HEAD", "refs/heads/main", "refs/heads/packed"])
    expect(readRef(repository(), name)).toBe(git("rev-parse", name));
  expect(readRef(repository(), "refs/heads/gone")).toBe(ABSENT);
  expect(readRef(repository(), "refs/heads/never/was")).toBe(ABSENT);
});

it("follows a branch that stands for another, and leaves a ring of them to git", () => {
  git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
  expect(readRef(repository(), "refs/heads/alias")).toBe(git("rev-parse", "main"));
  git("symbolic-ref", "refs/heads/ring", "refs/heads/ring");
  expect(readRef(repository(), "refs/heads/ring")).toBeNull();
});

it("leaves a file that is no ref to git, however long", () => {
  writeFileSync(join(root, ".git/refs/heads/odd"), "not a commit\n");
  writeFileSync(join(root, ".git/refs/heads/long"), "0".repeat(1_000_000));
  writeFileSync(join(root, ".git/refs/heads/out"), "ref: refs/../../../etc/passwd\n");
  for (const name of ["odd", "long", "out"]) expect(readRef(repository(), `refs/heads/${name}`)).toBeNull();
});

it("lists the checkouts as git does, detached ones and those without a folder included", () => {
  const folder = (name: string) => join(root, "..", `${root.split("/").at(-1)}-${name}`);
  const folders = ["side", "loose", "lost"].map(folder);
  try {
    git("worktree", "add", "-q", "-b", "side", folders[0] as string);
    git("worktree", "add", "-q", "--detach", folders[1] as string);
    git("worktree", "add", "-q", "-b", "lost", folders[2] as string);
    rmSync(folders[2] as string, { recursive: true });
    const listed = git("worktree", "list", "--porcelain")
      .split("\n\n")
      .map((entry) => ({
        folder: /^worktree (.*)$/m.exec(entry)?.[1],
        branch: /^branch refs\/heads\/(.*)$/m.exec(entry)?.[1] ?? null,
        bare: false,
      }))
      .sort((a, b) => String(a.folder).localeCompare(String(b.folder)));
    const seen = (from: string) =>
      [...(readCheckouts(repository(from), { repository: repository(from), entries: [] }) ?? [])].sort(
        (a, b) => a.folder.localeCompare(b.folder),
      );
    expect(listed).toHaveLength(4);
    expect(seen(root)).toEqual(listed);
    expect(seen(folders[0] as string)).toEqual(listed);
    expect(readRef(repository(folders[0]), "HEAD")).toBe(git("rev-parse", "side"));
  } finally {
    for (const each of folders) rmSync(each, { recursive: true, force: true });
  }
});

it("leaves a bare repository, and one whose files are elsewhere, to git", () => {
  const known = (key: string, value: string) => ({
    repository: repository(),
    entries: [{ scope: "local", key, value }],
  });
  expect(readCheckouts(repository(), known("core.bare", "true"))).toBeNull();
  expect(readCheckouts(repository(), known("core.worktree", "/elsewhere"))).toBeNull();
});
