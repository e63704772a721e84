import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { discover } from "./discover.ts";
import { tracksPawl } from "./tracked.ts";

let base: string;
const at = (path: string) => join(base, path);
const environment = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", HOME: "/nonexistent" };
const git = (folder: string, ...args: string[]) =>
  execFileSync("git", args, { cwd: folder, env: environment, stdio: "pipe", encoding: "utf8" }).trim();

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "pawl-discover-")));
  git(base, "init", "-q", "-b", "main");
  mkdirSync(at("inner/.git"), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** What stands in `inner/.git`. */
const SHAPES: Readonly<Record<string, () => void>> = {
  "an empty folder": () => {},
  "a folder with HEAD and nothing else": () => writeFileSync(at("inner/.git/HEAD"), "ref: refs/heads/main\n"),
  "a folder with everything but HEAD": () => {
    for (const name of ["objects", "refs"]) mkdirSync(at(`inner/.git/${name}`));
  },
  "a folder with everything, and a HEAD that says nothing": () => {
    for (const name of ["objects", "refs"]) mkdirSync(at(`inner/.git/${name}`));
    writeFileSync(at("inner/.git/HEAD"), "");
  },
  "a whole repository": () => void git(at("inner"), "init", "-q", "-b", "main"),
  "a whole repository with a detached HEAD": () => {
    git(at("inner"), "init", "-q", "-b", "main");
    writeFileSync(at("inner/.git/HEAD"), `${"a".repeat(40)}\n`);
  },
  "a whole repository whose HEAD is a link": () => {
    git(at("inner"), "init", "-q", "-b", "main");
    rmSync(at("inner/.git/HEAD"));
    symlinkSync("refs/heads/main", at("inner/.git/HEAD"));
  },
  "a link to a whole repository": () => {
    git(base, "init", "-q", "-b", "main", "other");
    rmSync(at("inner/.git"), { recursive: true });
    symlinkSync(at("other/.git"), at("inner/.git"));
  },
  "the file of a worktree": () => {
    git(base, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "one");
    rmSync(at("inner"), { recursive: true });
    git(base, "worktree", "add", "-q", "-b", "side", "inner");
  },
};

describe("a folder's repository", () => {
  it.each(Object.keys(SHAPES))("is the one that git finds, if %s stands in .git", (shape) => {
    promise("project.repository");
    SHAPES[shape]?.();
    const found = discover(at("inner"));
    expect(found?.top).toBe(git(at("inner"), "rev-parse", "--show-toplevel"));
    expect(realpathSync(found?.own ?? "")).toBe(git(at("inner"), "rev-parse", "--absolute-git-dir"));
  });

  it("is the one whose index shows that files of .pawl/ are tracked, past an empty .git", () => {
    promise("project.repository");
    mkdirSync(at("inner/.pawl"));
    writeFileSync(at("inner/.pawl/journal"), "");
    git(base, "add", "-f", "inner/.pawl/journal");
    expect(tracksPawl(at("inner"))).not.toBe("no");
  });

  it("whose index cannot be read is asked of git, not taken for one without such files", () => {
    promise("state-home.unreadable");
    mkdirSync(at(".pawl"));
    mkdirSync(at(".git/index"));
    expect(tracksPawl(base)).toBe("perhaps");
  });
});
