import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { commits } from "./changes.ts";

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
    from: run("rev-parse", "main").toString().trim(),
    commits: [{ hash: run("rev-parse", "side").toString().trim(), title: "two: with a colon" }],
    files: [{ path: "b", added: 1, deleted: 0 }],
  });
  expect((await commits(PLACE(), "main", "0".repeat(40))).kind).toBe("unavailable");
});

/** Commits on top of what is checked out, without a file. */
const grow = (message: string) => {
  run("commit", "-q", "--allow-empty", "-m", message);
  return run("rev-parse", "HEAD").toString().trim();
};

/** `main` and `origin/main`, each from the same beginning with its own commits, and `work` from one of them. */
const diverge = (own: number, fetched: number, from: "main" | "origin/main") => {
  grow("Begin");
  run("remote", "add", "origin", "https://forge.example/acme/app.git");
  run("checkout", "-q", "--detach");
  for (let count = 0; count < fetched; count++) grow(`Fetched ${count}`);
  run("update-ref", "refs/remotes/origin/main", "HEAD");
  run("checkout", "-q", "main");
  for (let count = 0; count < own; count++) grow(`Own ${count}`);
  run("checkout", "-q", "--no-track", "-b", "work", from);
  return grow("The work");
};
const titles = async (head: string) => {
  const found = await commits(PLACE(), null, head);
  if (found.kind !== "commits") throw new Error(found.reason);
  return found.commits.map(({ title }) => title);
};

test.each([
  ["the remote-tracking branch, if the local one is behind it", 0, 1, "origin/main", ["The work"]],
  ["the local branch, if it is ahead", 1, 0, "main", ["The work"]],
  ["the remote-tracking branch, if both went on", 1, 1, "main", ["Own 0", "The work"]],
] as const)("work starts where it left %s", async (_, own, fetched, from, expected) => {
  promise("gates.base");
  expect(await titles(diverge(own, fetched, from))).toEqual(expected);
});

test("the remote-tracking branch is the one that is configured, and else the usual remote's", async () => {
  promise("gates.base");
  const head = diverge(0, 1, "origin/main");
  run("remote", "add", "fork", "https://forge.example/ada/app.git");
  run("update-ref", "refs/remotes/fork/main", "main");
  run("branch", "-q", "--set-upstream-to", "fork/main", "main");
  expect(await titles(head)).toEqual(["Fetched 0", "The work"]);
  run("branch", "-q", "--set-upstream-to", "origin/main", "main");
  expect(await titles(head)).toEqual(["The work"]);
});
