import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changes, commits } from "./changes.ts";

let root: string;

const run = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
const PLACE = () => ({ folder: root, environment: process.env });
const write = (name: string, text: string) => writeFileSync(join(root, name), text);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-changes-"));
  run("init", "-q", "-b", "main");
  run("config", "user.email", "dev@example.com");
  run("config", "user.name", "Dev");
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test("committed, staged, edited and new files count; what the base did meanwhile does not", async () => {
  mkdirSync(join(root, "sub"));
  for (const name of ["a", "b", "c", "sub/d"]) write(name, "1\n");
  run("add", "-A");
  run("commit", "-qm", "one");
  run("checkout", "-qb", "feature/x");
  write("a", "1\n2\n");
  run("commit", "-qam", "two");
  write("b", "2\n");
  run("add", "b");
  rmSync(join(root, "sub/d"));
  write("new file", "x");
  run("branch", "-f", "main", "main");
  const found = await changes(PLACE(), "main");
  expect(found).toEqual({
    kind: "changes",
    base: "main",
    files: [
      { path: "a", added: 1, deleted: 0 },
      { path: "b", added: 1, deleted: 1 },
      { path: "sub/d", added: 0, deleted: 1 },
      { path: "new file", added: null, deleted: null },
    ],
  });
});

test("an unknown base falls back to main; a name like an option is only a name", async () => {
  write("a", "1\n");
  run("add", "-A");
  run("commit", "-qm", "one");
  expect(await changes(PLACE(), "gone")).toMatchObject({
    kind: "changes",
    base: "main",
    files: [],
  });
  expect(await changes(PLACE(), "--help")).toMatchObject({ kind: "changes", base: "main" });
});

test("without a commit, or without a repository, it says why it cannot tell", async () => {
  expect((await changes(PLACE(), null)).kind).toBe("unavailable");
  rmSync(join(root, ".git"), { recursive: true });
  expect((await changes(PLACE(), null)).kind).toBe("unavailable");
});

test("of a commit it tells the commits and files since the base, and nothing that is not committed or came later", async () => {
  write("a", "1\n");
  run("add", "-A");
  run("commit", "-qm", "one");
  run("checkout", "-qb", "side");
  write("b", "1\n");
  run("add", "-A");
  run("commit", "-qm", "two: with a colon");
  run("checkout", "-qb", "feature/x", "main");
  run("merge", "-q", "--no-ff", "-m", "Merge", "side");
  const head = run("rev-parse", "HEAD").toString().trim();
  write("c", "1\n");
  run("add", "-A");
  run("commit", "-qm", "three");
  write("d", "new");
  const found = await commits(PLACE(), "main", head);
  expect(found).toEqual({
    kind: "commits",
    base: "main",
    commits: [{ hash: run("rev-parse", "side").toString().trim(), title: "two: with a colon" }],
    files: [{ path: "b", added: 1, deleted: 0 }],
  });
  expect((await commits(PLACE(), "main", "0".repeat(40))).kind).toBe("unavailable");
});
