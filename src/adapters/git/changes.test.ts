import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
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
    commits: [{ hash: run("rev-parse", "side").toString().trim(), title: "two: with a colon" }],
    files: [{ path: "b", added: 1, deleted: 0 }],
  });
  expect((await commits(PLACE(), "main", "0".repeat(40))).kind).toBe("unavailable");
});
