import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commit, git, USER } from "../../../test/rig/git-user.ts";
import { promise } from "../../../test/rig/promise.ts";
import { moveRef } from "./hub-refs.ts";

let folder: string;
let tip: string;
const hub = () => ({ folder, environment: USER });
const REF = "refs/heads/bloom/T1";

beforeEach(() => {
  const scratch = mkdtempSync(join(tmpdir(), "pawl-refs-"));
  git(scratch, "init", "-qb", "main");
  tip = commit(scratch, "a", "a");
  folder = join(scratch, ".git");
});
afterEach(() => rmSync(dirname(folder), { recursive: true, force: true }));

it("makes, moves and removes a ref as git sees it, and only from where it is said to be", async () => {
  promise("git.once");
  await moveRef(hub(), REF, tip, null);
  expect(git(folder, "rev-parse", REF)).toBe(tip);
  await expect(moveRef(hub(), REF, tip, null)).rejects.toMatchObject({ code: "git-failed" });
  git(folder, "pack-refs", "--all");
  await moveRef(hub(), REF, null, tip);
  expect(git(folder, "for-each-ref", REF)).toBe("");
  // A folder without refs is in nobody's way.
  await moveRef(hub(), "refs/heads/bloom", tip, null);
  expect(git(folder, "rev-parse", "bloom")).toBe(tip);
});

it.each([
  ["of a process that has ended", "4194304", 0],
  ["of a git that was cut off", "", 3_600_000],
])("is not stopped by a lock %s", async (_, holder, age) => {
  promise("git.once");
  const lock = join(folder, `${REF}.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, holder);
  utimesSync(lock, new Date(Date.now() - age), new Date(Date.now() - age));
  await moveRef(hub(), REF, tip);
  expect(readFileSync(join(folder, REF), "utf8")).toBe(`${tip}\n`);
  expect(existsSync(lock)).toBe(false);
});
