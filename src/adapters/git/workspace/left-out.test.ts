/** What setup makes in a real workspace: for git it is not there until somebody changes it. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commit, git, USER, write } from "../../../../test/rig/git-user.ts";
import { promise } from "../../../../test/rig/promise.ts";
import type { Worktree } from "../../../core/ports/worktrees.ts";
import { openSetups } from "../../setup/setup.ts";
import { openWorkspaceFiles } from "./left-out.ts";
import { openWorktrees } from "./worktrees.ts";

let scratch: string;
let root: string;
let work: Worktree;

const open = () => openWorktrees(root, USER);
const setups = () => openSetups(root, openWorkspaceFiles(root, USER));
const ensure = (branch: string) => open().ensure({ repo: ".", branch });
const uncommitted = async (worktree = work) => (await open().state(worktree)).uncommitted.toSorted();
const put = (path: string, text: string, worktree = work) => {
  mkdirSync(dirname(join(worktree.folder.agentPath, path)), { recursive: true });
  writeFileSync(join(worktree.folder.agentPath, path), text);
};
const added = () => {
  git(work.folder.agentPath, "add", "-A");
  return git(work.folder.agentPath, "diff", "--cached", "--name-only", "-z")
    .split("\0")
    .filter(Boolean)
    .toSorted();
};

const SETUP = { run: ["make"], inputs: ["Makefile"] };
const CACHED = { ...SETUP, cache: ["lib"] };

beforeEach(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-left-out-")));
  root = join(scratch, "project");
  git(scratch, "init", "-qb", "main", root);
  write(root, "vendor/lib/code.js", "committed\n");
  write(root, "Makefile", "all:\n");
  git(root, "add", "-A");
  commit(root, "a.txt", "one\n", "Begin");
  work = await ensure("bloom/T1");
});
afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
  rmSync(join(work.folder.agentPath, "../.."), { recursive: true, force: true });
});

it("is no work of the task, whatever its name, until somebody changes it", async () => {
  promise("bloom.setup-left-out");
  put("mine.txt", "before setup\n");
  await setups().prepare(work.folder, SETUP, "fresh");
  const odd = ["#odd", "!odd", "a*b", "end ", "back\\slash", "[set]", "ä ö"];
  for (const name of ["uv.lock", "gen/one.ts", "gen/deep/two.ts", ...odd]) put(name, "made\n");
  await setups().done(work.folder, SETUP);
  expect(await uncommitted()).toEqual(["mine.txt"]);
  put("gen/three.ts", "by the agent\n");
  expect(added()).toEqual(["gen/three.ts", "mine.txt"]);
  // A neighbour of an odd name is not meant.
  put("axb", "by the agent\n");
  expect(await uncommitted()).toEqual(["axb", "gen/three.ts", "mine.txt"]);
  appendFileSync(join(work.folder.agentPath, "uv.lock"), "more\n");
  appendFileSync(join(work.folder.agentPath, "a*b"), "more\n");
  expect(await uncommitted()).toEqual(["a*b", "axb", "gen/three.ts", "mine.txt", "uv.lock"]);
  expect(added()).toEqual(["a*b", "axb", "gen/three.ts", "mine.txt", "uv.lock"]);
  git(work.folder.agentPath, "commit", "-qm", "work");
  expect(await uncommitted()).toEqual([]);
});

it("is a whole folder if nobody reads its files: a virtual environment, a repository, thousands", async () => {
  promise("bloom.setup-left-out");
  await setups().prepare(work.folder, SETUP, "fresh");
  put(".venv/pyvenv.cfg", "home = /usr/bin\n");
  put(".venv/bin/tool", "#!/bin/sh\n");
  for (let n = 0; n < 1001; n++) put(`many/${n}`, "");
  git(work.folder.agentPath, "init", "-q", "nested");
  commit(join(work.folder.agentPath, "nested"), "x", "x");
  await setups().done(work.folder, SETUP);
  put(".venv/lib/__pycache__/tool.pyc", "made by a test\n");
  put("many/more", "");
  expect(await uncommitted()).toEqual([]);
  expect(added()).toEqual([]);
});

it("stays left out in a second setup, which may change what the first made", async () => {
  await setups().prepare(work.folder, SETUP, "fresh");
  put("uv.lock", "one\n");
  await setups().done(work.folder, SETUP);
  put("mine.txt", "by the agent\n");
  put("Makefile", "all: more\n");
  expect(await setups().prepare(work.folder, SETUP, "worked")).toBe("needed");
  put("uv.lock", "two\n");
  put("other.lock", "two\n");
  await setups().done(work.folder, SETUP);
  expect(await uncommitted()).toEqual(["Makefile", "mine.txt"]);
});

it("of a setup that failed first is kept, too, and left out of its copy's workspace", async () => {
  promise("bloom.setup-left-out");
  expect(await setups().prepare(work.folder, CACHED, "fresh")).toBe("needed");
  put("lib/half.js", "made\n");
  put("fetched.lock", "made\n");
  // It failed. Another loop tries it again; the folder is not new by then.
  expect(await setups().prepare(work.folder, CACHED, "worked")).toBe("needed");
  put("lib/whole.js", "made\n");
  await setups().done(work.folder, CACHED);
  expect(await uncommitted()).toEqual([]);
  const second = await ensure("bloom/T2");
  expect(await setups().prepare(second.folder, CACHED, "fresh")).toBe("restored");
  expect(readFileSync(join(second.folder.agentPath, "lib/whole.js"), "utf8")).toBe("made\n");
  expect(readFileSync(join(second.folder.agentPath, "vendor/lib/code.js"), "utf8")).toBe("committed\n");
  expect(await uncommitted(second)).toEqual([]);
});

it("is not kept if the commands wrote into a folder that git has", async () => {
  expect(await setups().prepare(work.folder, CACHED, "fresh")).toBe("needed");
  put("vendor/lib/made.js", "made\n");
  put("lib/made.js", "made\n");
  await setups().done(work.folder, CACHED);
  const second = await ensure("bloom/T2");
  expect(await setups().prepare(second.folder, CACHED, "fresh")).toBe("needed");
  expect(existsSync(join(second.folder.agentPath, "lib"))).toBe(false);
});

it("puts back what setup changed in tracked files, unless somebody has worked there", async () => {
  promise("bloom.setup-put-back");
  const again = async (use: "fresh" | "worked", change: () => void) => {
    await setups().prepare(work.folder, { ...SETUP, inputs: ["mine.txt"] }, use);
    change();
    return setups().done(work.folder, SETUP);
  };
  const rewrite = () => {
    put("a.txt", "rewritten\n");
    rmSync(join(work.folder.agentPath, "vendor/lib/code.js"));
    chmodSync(join(work.folder.agentPath, "Makefile"), 0o755);
  };
  expect(await again("fresh", rewrite)).toEqual(["Makefile", "a.txt", "vendor/lib/code.js"]);
  expect(await uncommitted()).toEqual([]);
  expect(git(work.folder.agentPath, "status", "--porcelain")).toBe("");
  expect(readFileSync(join(work.folder.agentPath, "a.txt"), "utf8")).toBe("one\n");
  // The task's own change of a dependency makes a package manager write its lock file.
  put("mine.txt", "by the agent\n");
  expect(await again("worked", rewrite)).toEqual([]);
  expect(await uncommitted()).toEqual(["Makefile", "a.txt", "mine.txt", "vendor/lib/code.js"]);
});

it("puts nothing back if a person has edited files after a setup that failed", async () => {
  promise("bloom.setup-put-back");
  await setups().prepare(work.folder, SETUP, "fresh");
  put("a.txt", "by a person\n");
  await setups().prepare(work.folder, SETUP, "worked");
  expect(await setups().done(work.folder, SETUP)).toEqual([]);
  expect(readFileSync(join(work.folder.agentPath, "a.txt"), "utf8")).toBe("by a person\n");
});
