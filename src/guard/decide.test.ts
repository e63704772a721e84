import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import type { Scope } from "../runtime/scope.ts";
import type { Action } from "./action.ts";
import { decide, type Limits, type Place, widest } from "./decide.ts";
import { matchesGlob } from "./glob.ts";

const PLACE: Place = {
  root: "/p",
  checkout: "/p",
  files: { tasksFile: "plan/tasks.yaml", workflows: ["flows/release.yaml"] },
  home: "/home/dev",
  temporary: ["/tmp"],
  clientFolders: ["/home/dev/.claude/plans"],
  pawlFolders: ["/home/dev/.local/state/pawl"],
  program: "/opt/pawl/main.js",
  real: (path) => path,
};

const NONE: Scope = {
  ...{ run: "alfred:T", state: "plan", writes: "none", forbids: ["commit", "push"], planFiles: [] },
  ...{ next: "Hand in the plan.", awaits: "assistant" },
};
const PLAN: Scope = { ...NONE, writes: "plan", planFiles: [".ai/task/*.md", "notes/**"] };
const WORKTREE: Scope = { ...NONE, writes: "worktree", forbids: ["push"] };
const ALL: Scope = { ...NONE, writes: "all", forbids: [] };

const write = (path: string): Action => ({ type: "write", paths: [path], cwd: "/p" });
const shell = (command: string): Action => ({ type: "shell", command, cwd: "/p" });
const isAllowed = (action: Action, limits: Limits, place = PLACE) => decide(action, limits, place).allow;

describe("what a scope lets an assistant write", () => {
  it.each([
    ["src/a", [false, false, true, true]],
    [".ai/task/plan.md", [false, true, true, true]],
    ["notes/a/b.md", [false, true, true, true]],
    ["/tmp/a", [true, true, true, true]],
    ["/home/dev/.claude/plans/a.md", [true, true, true, true]],
    ["/home/dev/other/a", [false, false, false, true]],
    ["/p2/a", [false, false, false, true]],
    ["plan/tasks.yaml", [false, false, false, false]],
    ["flows/release.yaml", [false, false, false, false]],
    [".ai/task/state.json", [false, false, false, false]],
    ["/home/dev/.codex/config.toml", [false, false, false, false]],
    ["/home/dev/.local/state/pawl/projects/x/key", [false, false, false, false]],
  ])("is the same whatever the run: %s", (path, expected) => {
    promise("guard.scope");
    expect([NONE, PLAN, WORKTREE, ALL].map((limits) => isAllowed(write(path), limits))).toEqual(expected);
    expect([NONE, PLAN, WORKTREE, ALL].map((limits) => isAllowed(shell(`echo > ${path}`), limits))).toEqual(
      expected,
    );
    expect(isAllowed(write(path), null)).toBe(expected[3]);
  });

  it("ends at the checkout in which the session works", () => {
    promise("guard.scope");
    const worktree = { ...PLACE, checkout: "/p/.pawl/worktrees/@project/t-1" };
    expect(isAllowed(write("/p/.pawl/worktrees/@project/t-1/src/a"), WORKTREE, worktree)).toBe(true);
    expect(isAllowed(write("/p/src/a"), WORKTREE, worktree)).toBe(false);
    expect(isAllowed(write("/p/.pawl/worktrees/@project/t-2/src/a"), ALL, worktree)).toBe(false);
    expect(isAllowed(write("/p/.pawl/worktrees/@project/t-1/pawl.yaml"), ALL, worktree)).toBe(false);
    expect(isAllowed(write("/p/.pawl/worktrees/@project/t-1/.git"), ALL, worktree)).toBe(false);
    const above = { ...PLACE, root: "/p/sub", checkout: "/p" };
    expect(isAllowed(write("/p/other/a"), WORKTREE, above)).toBe(true);
    expect(isAllowed(write("/p/sub/pawl.yaml"), ALL, above)).toBe(false);
    expect(isAllowed(write("/p/.git/config"), ALL, above)).toBe(false);
  });

  it("is nothing where the project cannot be read, but in temporary folders", () => {
    const fault = { fault: "it cannot be read", fix: "Run `pawl status`." };
    expect(isAllowed(write("src/a"), fault)).toBe(false);
    expect(isAllowed(write("/tmp/a"), fault)).toBe(true);
    expect(isAllowed(shell("npm test"), fault)).toBe(true);
    expect(isAllowed({ type: "other" }, fault)).toBe(true);
    expect(isAllowed({ type: "call", server: "pawl", tool: "x", input: {} }, fault)).toBe(true);
  });

  it.each([
    ...["node_modules/pawl", "node_modules/pawl/dist/main.js", "sub/node_modules/Pawl/package.json"],
    ...["node_modules/.bin/pawl", "node_modules/.bin/bloom", "node_modules/.bin/pawl.cmd"],
    ...[".npmrc", "sub/.npmrc", "/home/dev/.npmrc", ".husky/_/h"],
    ...[".husky/pre-commit", ".husky/pre-push", ".githooks/pre-commit", ".githooks/pre-push"],
    ...["/opt/pawl/main.js", "/opt/pawl/other.js"],
  ])("is never what starts the guard: %s", (path) => {
    promise("guard.protected");
    for (const limits of [WORKTREE, ALL, null]) {
      expect(isAllowed(write(path), limits)).toBe(false);
      expect(isAllowed(shell(`echo > ${path}`), limits)).toBe(false);
      expect(isAllowed(shell(`rm -rf ${path}`), limits)).toBe(false);
    }
  });

  it("is what stands beside it, and the packages of a project that has no Pawl of its own", () => {
    for (const path of [
      ...["node_modules/pawl-other/a", "node_modules/.bin/tsc", ".husky/commit-msg", ".githooks/a"],
      ...["/opt/other", "npmrc"],
    ])
      expect(isAllowed(write(path), ALL), path).toBe(true);
    expect(isAllowed(shell("rm -rf node_modules node_modules/*"), ALL)).toBe(true);
    expect(isAllowed(shell("rm -rf .husky"), ALL)).toBe(false);
  });

  it.each([
    "/p/node_modules/pawl/dist/main.js",
    "/p/node_modules/.pnpm/pawl@1/node_modules/pawl/dist/main.js",
  ])("is no folder around the package that starts the guard: %s", (program) => {
    promise("guard.protected");
    const own = { ...PLACE, program };
    for (const command of ["rm -rf node_modules", "mv node_modules /tmp/x", "rm -rf node_modules*"])
      expect(isAllowed(shell(command), ALL, own), command).toBe(false);
    expect(isAllowed(write(program.replace("main.js", "a.js")), ALL, own)).toBe(false);
    expect(isAllowed(shell("rm -rf node_modules/.cache"), ALL, own)).toBe(true);
  });

  it.each([
    ["find . -name '*.pyc' -delete", true],
    ["find . -type f -name '*.orig' -exec rm {} +", true],
    ["find . -name node_modules -prune -exec rm -rf '{}' +", true],
    ["find src -name '*.yaml' -delete", true],
    ["find . -type f -delete", false],
    ["find . -exec rm {} +", false],
    ["find . -name '*.yaml' -delete", false],
    ["find . -name state.json -exec rm {} +", false],
    ["find . -name '.PAW*' -exec rm -rf {} +", false],
    ["find . -name settings.json -delete", false],
    ["find .pawl -name x -delete", false],
    ["find .. -name '*.pyc' -delete", false],
    ["find . -name '*.pyc' -o -delete", false],
    [`find ${"src ".repeat(300)} .pawl -name a -delete`, false],
    [`find . -name '${"*".repeat(5000)}.yaml' -delete`, false],
  ])("is what a search by name may take away: %s", (command, expected) => {
    promise("guard.protected");
    expect(isAllowed(shell(command), null)).toBe(expected);
  });

  it("is Pawl's own source where that is the project", () => {
    const own = { ...PLACE, program: "/p/src/main.ts" };
    for (const path of ["src/main.ts", "README.md"]) expect(isAllowed(write(path), ALL, own)).toBe(true);
  });

  it("is judged where a link leads, and where its path says", () => {
    const linked = {
      ...PLACE,
      real: (path: string) => path.replace("/p/link", "/p/.pawl").replace("/p/away", "/q"),
    };
    expect(isAllowed(write("link/journal"), ALL, linked)).toBe(false);
    expect(isAllowed(write("away/a"), WORKTREE, linked)).toBe(false);
  });

  it("says what was refused, why, and what comes next", () => {
    promise("guard.scope");
    expect(decide(write("src/a"), NONE, PLACE)).toEqual({
      allow: false,
      reason:
        'Pawl refuses writing "src/a": alfred:T is in "plan", where no file may be written. Hand in the plan.',
    });
    const long = decide(write("x".repeat(3000)), NONE, PLACE);
    expect(long.allow ? "" : long.reason.length).toBeLessThan(500);
  });

  it("refuses a path that no file can have, and too many of them", () => {
    for (const path of ["a\0b", "x/".repeat(3000)]) expect(isAllowed(write(path), ALL)).toBe(false);
    expect(isAllowed({ type: "write", paths: Array(3000).fill("a"), cwd: "/p" }, ALL)).toBe(false);
    expect(isAllowed(shell("rm a;".repeat(3000)), ALL)).toBe(false);
  });
});

describe("the widest of several scopes", () => {
  it("allows what any of them allows", () => {
    promise("guard.sessions");
    expect(widest([])).toBeNull();
    expect(widest([NONE, PLAN, WORKTREE])).toMatchObject({ writes: "worktree", forbids: ["push"] });
    expect(widest([PLAN, { ...PLAN, planFiles: ["b"] }])?.planFiles).toEqual([...PLAN.planFiles, "b"]);
    expect(widest([ALL, NONE])).toMatchObject({ writes: "all", forbids: [] });
  });
});

describe("a glob", () => {
  it.each([
    ["a/b.md", "a/*.md", true],
    ["a/b/c.md", "a/*.md", false],
    ["a/b/c.md", "a/**", true],
    ["a/b/c.md", "**/c.md", true],
    ["c.md", "**/c.md", true],
    ["a/b/x/c.md", "a/**/c.md", true],
    ["a.md", "./a.md", true],
    ["ab", "a?", true],
    ["a", "a?", false],
    ["a*", "a[*]", true],
    ["", "**", true],
  ])("matches as shells do: %s, %s", (path, glob, expected) => {
    expect(matchesGlob(path, glob)).toBe(expected);
  });
});
