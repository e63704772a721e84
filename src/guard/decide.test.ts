import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import type { Scope } from "../runtime/scope.ts";
import type { Action } from "./action.ts";
import { decide, type GuardContext, type Limits, widest } from "./decide.ts";
import { matchesGlob } from "./glob.ts";

const PLACE: GuardContext = {
  root: "/p",
  checkout: "/p",
  files: { tasksFile: "plan/tasks.yaml", workflows: ["flows/release.yaml"] },
  home: "/home/dev",
  temporary: ["/tmp"],
  clientFolders: ["/home/dev/.claude/plans"],
  pawlFolders: ["/home/dev/.local/state/pawl"],
  own: [],
  program: "/opt/pawl/main.js",
  shell: "none",
  real: (path) => path,
  twin: () => null,
  repository: () => null,
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

  it("is nothing if the project cannot be read, but in temporary folders", () => {
    const fault = { fault: "it cannot be read", fix: "Run `pawl status`." };
    expect(isAllowed(write("src/a"), fault)).toBe(false);
    expect(isAllowed(write("/tmp/a"), fault)).toBe(true);
    expect(isAllowed(shell("npm test"), fault)).toBe(true);
    expect(isAllowed({ type: "other" }, fault)).toBe(true);
    expect(isAllowed({ type: "call", server: "pawl", tool: "x", input: {} }, fault)).toBe(true);
  });

  it.each([
    ...["node_modules/pawl", "node_modules/pawl/dist/main.js", "sub/node_modules/Pawl/package.json"],
    ...["pawl", "bloom", "sh", "node", "npx"].map((name) => `node_modules/.bin/${name}`),
    ...[".npmrc", "sub/.npmrc", "/home/dev/.npmrc", ".husky/_/h"],
    ...[".husky/pre-commit", ".husky/commit-msg", ".githooks/pre-push", "sub/.husky/pre-commit"],
    ...["/opt/pawl/main.js", "/opt/pawl/other.js"],
  ])("is never what starts the guard: %s", (path) => {
    promise("guard.protected");
    for (const limits of [WORKTREE, ALL, null]) {
      expect(isAllowed(write(path), limits)).toBe(false);
      expect(isAllowed(shell(`echo > ${path}`), limits)).toBe(false);
    }
  });

  it("is what stands beside it, and the packages of a project that has no Pawl of its own", () => {
    for (const path of [
      ...["node_modules/pawl-other/a", "node_modules/.bin/tsc", "husky/commit-msg", "githooks/a"],
      ...["/opt/other", "npmrc"],
    ])
      expect(isAllowed(write(path), ALL), path).toBe(true);
    expect(isAllowed(shell("rm -rf node_modules node_modules/*"), ALL)).toBe(true);
  });

  it("is no file that is the same as a protected one by another name", () => {
    promise("guard.protected");
    const linked = { ...PLACE, twin: (path: string) => (path === "/p/notes.txt" ? "pawl.yaml" : null) };
    const verdict = decide(write("notes.txt"), ALL, linked);
    expect(verdict).toMatchObject({
      allow: false,
      reason: expect.stringContaining('the same file as "pawl.yaml"'),
    });
  });

  it("is Pawl's own source if that is the project", () => {
    const own = { ...PLACE, program: "/p/src/main.ts" };
    for (const path of ["src/main.ts", "README.md"]) expect(isAllowed(write(path), ALL, own)).toBe(true);
  });

  it("is judged if a link leads, and if its path says", () => {
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
  });
});

describe("a place that an argument names", () => {
  const isWritten = (path: string) => isAllowed(write(path), ALL);

  it.each([
    ...[
      "file:///p/pawl.yaml",
      "FILE:///p/pawl.yaml",
      "file:/p/pawl.yaml",
      "file://localhost/p/pawl.yaml",
      "file:///p/p%61wl.yaml",
    ],
    ...[
      "file:///p/pawl%2eyaml?x",
      "~/.npmrc",
      "~dev/.npmrc",
      "$HOME/.npmrc",
      "./x/../pawl.yaml",
      "//p//pawl.yaml",
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a tool may expand it
    "${HOME}/.claude/settings.json",
  ])("is protected in any form: %s", (path) => {
    promise("guard.protected");
    expect(isWritten(path)).toBe(false);
  });

  it("is looked at if no key says that it is one, too, and what is no place is left alone", () => {
    promise("guard.protected");
    const mentions = (text: string): Action => ({
      type: "write",
      paths: ["a"],
      mentions: [text],
      cwd: "/p",
      tool: "x",
    });
    expect(isAllowed(mentions("pawl.yaml"), ALL)).toBe(false);
    expect(isAllowed(mentions("src/../.pawl/events.jsonl"), WORKTREE)).toBe(false);
    for (const text of ["see pawl.yaml", "a/b", "x\npawl.yaml", "\0", "x".repeat(10_000)])
      expect(isAllowed(mentions(text), ALL), text).toBe(true);
  });

  it("is missing in the call of a tool that writes: it is refused if nothing may be written", () => {
    promise("guard.scope");
    const unknown: Action = { type: "write", paths: [], mentions: [], cwd: "/p", tool: "save_all" };
    expect([NONE, PLAN, WORKTREE, ALL, null].map((limits) => isAllowed(unknown, limits))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(decide(unknown, NONE, PLACE)).toMatchObject({
      reason: expect.stringContaining('"save_all": it does not say where'),
    });
  });
});

describe("a shell's command", () => {
  const G: Scope = { ...NONE, forbids: ["push"] };
  const judged = (command: string, limits: Limits, kind: GuardContext["shell"]) => {
    const verdict = decide(shell(command), limits, { ...PLACE, shell: kind });
    return verdict.allow ? (verdict.wall ?? "as it is") : "refused";
  };
  const KINDS = ["wall", "closed", "own", "none"] as const;
  const byKind = (command: string, limits: Limits) => KINDS.map((kind) => judged(command, limits, kind));
  const all = (one: string) => KINDS.map(() => one);

  it("that only reads, or is Pawl's, runs as it is in every state", () => {
    promise("guard.shell");
    const fault = { fault: "it cannot be read", fix: "Mend it." };
    for (const limits of [NONE, PLAN, WORKTREE, ALL, null, fault])
      for (const command of ["grep -n a b | head", "git log --oneline", "npx --no pawl call x '{}'"])
        expect(byKind(command, limits), command).toEqual(all("as it is"));
  });

  it("that may write runs behind a wall if nothing may be written, or not at all", () => {
    promise("guard.shell");
    for (const limits of [NONE, PLAN, { fault: "x", fix: "y" }])
      for (const command of ["echo x > a", "python3 a.py", "sort -o a b", "cat $(ls)", "git add -A"])
        expect(byKind(command, limits), command).toEqual(["closed", "closed", "as it is", "refused"]);
    const { reason = "" } = decide(shell("echo > a"), NONE, PLACE) as { reason?: string };
    expect(reason).toMatch(
      /no file may be written, and here nothing keeps.*plain commands.*your file tools.*Hand in the plan/,
    );
  });

  it("is not on the short list if what it starts is decided outside of the project", () => {
    promise("guard.shell");
    const tops: Readonly<Record<string, string | null>> = { "/p": "/p", "/p/a": "/p", "/tmp/x": "/tmp/x" };
    const repository = (folder: string) =>
      folder === "/p/bare" ? { top: null } : folder in tops ? { top: tops[folder] ?? null } : null;
    const place = { ...PLACE, repository };
    const isRun = (command: string, cwd = "/p", limits: Limits = NONE) =>
      decide({ type: "shell", command, cwd }, limits, place).allow;
    for (const command of [
      ...["git status", "cd a && git log", "git -C a log", "git -C a -C .. log", "git log -C HEAD"],
      ...["cd /tmp/x; ls", "npx --no pawl status", "npm test", "cd a; npm test", "pawl status"],
    ])
      expect(isRun(command), command).toBe(true);
    for (const command of [
      ...[
        "git -C /tmp/x status",
        "cd /tmp/x && git status",
        "cd /tmp/x; cd /p | git status",
        "git -C bare log",
      ],
      ...["git -C a -C ../../tmp/x log", "cd -; git status", "cd /tmp/x; cd missing; git status"],
      ...["cd /tmp/x; npx --no pawl status", "cd /tmp/x; npm test", "cd bare; git log"],
    ])
      expect(isRun(command), command).toBe(false);
    expect(isRun("git status", "/tmp/x")).toBe(false);
    expect(isRun("npx --no pawl status", "/tmp/x")).toBe(false);
    expect(isRun("pawl status", "/tmp/x")).toBe(true);
    expect(isRun("git -C /tmp/x status", "/p", ALL)).toBe(true);
  });

  it.each([
    ...["test -v 'a[$(touch x)]'", "test -R 'a[$(touch x)]'", "printf -v 'a[$(touch x)]' y"],
    ...["printf '-va[$(touch x)]' y", "tree -R -L 1 -H .", "tree -aR -L 1 -H ."],
  ])("is not on the short list by words that the shell executes, or that write: %s", (command) => {
    promise("guard.shell");
    expect(byKind(command, NONE)).toEqual(["closed", "closed", "as it is", "refused"]);
  });

  it("of git's runs as it is if git may commit, and no client's own wall stands there", () => {
    promise("guard.shell");
    expect(byKind("git add -A && git commit -m x", G)).toEqual(all("as it is"));
    expect(byKind("git push", G)).toEqual(all("refused"));
    expect(byKind("make", G)).toEqual(["closed", "closed", "refused", "refused"]);
    expect(byKind("git commit -m x", NONE)).toEqual(all("refused"));
    expect(byKind("git commit -m x", { ...WORKTREE, forbids: ["commit"] })).toEqual(all("refused"));
  });

  it("that runs the project's tests runs in every state", () => {
    promise("guard.lawful");
    expect(byKind("npm test 2>&1 | tail -20", NONE)).toEqual(["open", "as it is", "as it is", "as it is"]);
  });

  it("runs behind a wall around the protected places in every other state, or may not name one", () => {
    promise("guard.protected");
    for (const limits of [WORKTREE, ALL, null]) {
      expect(byKind("make", limits)).toEqual(["open", "as it is", "as it is", "as it is"]);
      for (const command of [
        "echo x > pawl.yaml",
        "F=pawl.yaml; echo x > $F",
        "sed -i s/a/b/ ./.claude/settings.json",
        "rm -rf .alfred",
      ])
        expect(byKind(command, limits), command).toEqual(["open", "refused", "refused", "refused"]);
      for (const command of ["cat pawl.yaml", "git add pawl.yaml", "git commit -m 'Mend pawl.yaml'"])
        expect(judged(command, ALL, "none"), command).toBe("as it is");
    }
  });

  it("may put back what has strayed", () => {
    promise("guard.out-of-scope-edits");
    const undoing: Scope = { ...PLAN, planFiles: ["made.txt"] };
    expect(byKind("rm made.txt", undoing)).toEqual(all("as it is"));
    expect(judged("rm other.txt", undoing, "none")).toBe("refused");
  });

  it("that is a person's word is refused in every state", () => {
    promise("guard.person");
    for (const limits of [NONE, ALL, null])
      expect(byKind("true && pawl approve x", limits)).toEqual(all("refused"));
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
