import { spawn } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commit, git, USER, write } from "../../../../test/rig/git-user.ts";
import { looking } from "../../../../test/rig/looking.ts";
import { copyPrepared } from "../../../../test/rig/prepared.ts";
import { promise } from "../../../../test/rig/promise.ts";
import { projectPath } from "../../../core/path.ts";
import type { MergeOrder, Worktree } from "../../../core/ports/worktrees.ts";
import { workFolder } from "../../process/work-folder.ts";
import { encodeName, worktreePathsOf } from "./worktree-paths.ts";
import { openWorktrees } from "./worktrees.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-git-")));
  copyPrepared("worktrees", root, (folder) => {
    git(folder, "init", "-qb", "main");
    write(folder, ".gitignore", "ignored/\n");
    git(folder, "add", ".");
    commit(folder, "a.txt", "one\ntwo\nthree\n", "first");
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (environment: Readonly<Record<string, string | undefined>> = USER) =>
  looking(openWorktrees(root, environment));
const order = (branch: string, into = "main"): MergeOrder => ({
  repo: ".",
  branch,
  into,
  message: `Merge ${branch}`,
});

async function worked(branch: string, path = `${branch}.txt`, text = "work\n"): Promise<Worktree> {
  const worktree = await open().ensure({ repo: ".", branch });
  commit(worktree.folder.agentPath, path, text);
  return worktree;
}

function bareRemote(): string {
  const remote = join(root, "ignored/remote.git");
  git(root, "init", "-q", "--bare", "-b", "main", remote);
  git(root, "remote", "add", "origin", remote);
  git(root, "push", "-q", "origin", "main");
  return remote;
}

describe("names of folders", () => {
  it("differ for different branches, in letters that no file system confuses, and never are special", () => {
    const part = fc.oneof(
      fc.constantFrom("a", "A", "/", ".", "..", "~", "_-", "_a", "_", "-", "ä"),
      fc.string(),
    );
    const name = fc.array(part, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(name, name, (one, other) => {
        fc.pre(one !== other && one !== "" && other !== "");
        const [a, b] = [encodeName(one), encodeName(other)];
        expect(a.toLowerCase()).not.toBe(b.toLowerCase());
        expect(a).toMatch(/^[a-z0-9_-]([a-z0-9_.@-]*[a-z0-9_-])?$/);
        expect(a.length).toBeLessThanOrEqual(255);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("making a worktree", () => {
  it("starts from the repository's branch, is kept afterwards, and is listed", async () => {
    const first = await open().ensure({ repo: ".", branch: "feature/x" });
    expect(first).toMatchObject({ from: "base", branch: "feature/x" });
    expect(readFileSync(join(first.folder.agentPath, "a.txt"), "utf8")).toContain("two");
    expect(await open().ensure({ repo: ".", branch: "feature/x" })).toMatchObject({ from: "kept" });
    expect(await open().list()).toEqual([{ repo: ".", branch: "feature/x", folder: first.folder }]);
    expect(git(root, "status", "--porcelain")).toBe("");
  });

  it("has no lock in it that a killed git has left", async () => {
    promise("git.left-lock");
    const { folder } = await open().ensure({ repo: ".", branch: "w" });
    const locks = ["index", "HEAD", "refs/heads/w"].map((name) =>
      join(folder.agentPath, `.git/${name}.lock`),
    );
    for (const lock of locks) writeFileSync(lock, "");
    write(folder.agentPath, "b.txt", "b\n");
    expect(() => git(folder.agentPath, "add", "-A")).toThrow("index.lock");
    expect(await open().ensure({ repo: ".", branch: "w" })).toMatchObject({ from: "kept" });
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    commit(folder.agentPath, "c.txt", "c\n");
  });

  it("takes the local branch, else the remote's, else the base that is named", async () => {
    const remote = bareRemote();
    git(root, "branch", "plain");
    git(root, "switch", "-qc", "local");
    commit(root, "local.txt", "x");
    git(root, "switch", "-q", "main");
    const clone = join(root, "ignored/clone");
    git(root, "clone", "-q", remote, clone);
    git(clone, "switch", "-qc", "theirs");
    const theirs = commit(clone, "their.txt", "x");
    git(clone, "push", "-q", "origin", "theirs");
    git(root, "branch", "old-base");
    commit(root, "new.txt", "x");
    // Nothing is lost where a branch has no commit of its own.
    expect(await open().ensure({ repo: ".", branch: "plain" })).toMatchObject({ from: "base" });
    for (const branch of ["local", "theirs"])
      await expect(open().ensure({ repo: ".", branch })).rejects.toMatchObject({
        code: "branch-in-use",
        fix: expect.stringContaining(`branch: ${branch}`),
      });
    const adopted = await open().ensure({ repo: ".", branch: "local", adopts: true });
    expect(adopted).toMatchObject({ from: "local" });
    expect(existsSync(join(adopted.folder.agentPath, "local.txt"))).toBe(true);
    const fetched = await open().ensure({ repo: ".", branch: "theirs", adopts: true });
    expect(fetched.from).toBe("remote");
    expect(git(fetched.folder.agentPath, "rev-parse", "HEAD")).toBe(theirs);
    const based = await open().ensure({ repo: ".", branch: "mine", base: "old-base" });
    expect(existsSync(join(based.folder.agentPath, "new.txt"))).toBe(false);
  });

  it("takes a branch that has the commit at which the task's run left its work, and no other", async () => {
    git(root, "switch", "-qc", "own");
    const work = commit(root, "work.txt", "x");
    const tip = commit(root, "repair.txt", "x");
    git(root, "switch", "-q", "main");
    const other = commit(root, "other.txt", "x");
    for (const wrong of [other, "1".repeat(40)])
      await expect(open().ensure({ repo: ".", branch: "own", work: wrong })).rejects.toMatchObject({
        code: "branch-in-use",
      });
    expect(await open().ensure({ repo: ".", branch: "own", work })).toMatchObject({
      from: "local",
      head: tip,
    });
  });

  it("of twenty branches at once makes all of them whole", async () => {
    for (let at = 0; at < 30; at++) write(root, `files/${at}.txt`, "x\n");
    git(root, "add", ".");
    git(root, "commit", "-qm", "files");
    const names = Array.from({ length: 20 }, (_, at) => `task-${at}`);
    const made = await Promise.all(names.map((branch) => open().ensure({ repo: ".", branch })));
    for (const { folder } of made) expect(git(folder.agentPath, "status", "--porcelain")).toBe("");
    expect(new Set(made.map(({ folder }) => folder)).size).toBe(20);
  });

  it("that was killed half way is finished by the next call", async () => {
    const { folder } = await open().ensure({ repo: ".", branch: "half" });
    const base = join(folder.agentPath, "..");
    rmSync(join(folder.agentPath, ".git/refs"), { recursive: true });
    rmSync(join(folder.agentPath, "a.txt"));
    writeFileSync(join(base, "@new-half"), '{"from":"ba');
    expect(await open().ensure({ repo: ".", branch: "half" })).toMatchObject({ folder });
    expect(git(folder.agentPath, "status", "--porcelain")).toBe("");
    expect(existsSync(join(base, "@new-half"))).toBe(false);
  });

  it("whose folder was deleted by hand is made anew, with the branch's commits", async () => {
    const { folder } = await worked("gone");
    await open().reached({ repo: ".", branch: "gone", into: "main", fetch: false });
    rmSync(folder.agentPath, { recursive: true });
    expect(await open().ensure({ repo: ".", branch: "gone" })).toMatchObject({ from: "local" });
    expect(existsSync(join(folder.agentPath, "gone.txt"))).toBe(true);
  });

  it.each([
    "-rf",
    "--upload-pack=touch x",
    "a..b",
    "a b",
    "x.lock",
    "a/.hidden",
    "",
    "HEAD",
    "a\u0000b",
    "a~1",
  ])("refuses the branch name %j", async (branch) => {
    await expect(open().ensure({ repo: ".", branch })).rejects.toMatchObject({ code: "branch-invalid" });
  });

  it.each(["feature/ünïcode", "Fix;touch pwned", "$(touch pwned)", "a'b\"c", "fix/#12-&-more", "x/-y"])(
    "takes the strange but valid branch name %j",
    async (branch) => {
      const name = branch.replaceAll(" ", "_");
      const { folder } = await open().ensure({ repo: ".", branch: name });
      expect(git(folder.agentPath, "symbolic-ref", "--short", "HEAD")).toBe(name);
      expect(existsSync(join(root, "pwned"))).toBe(false);
    },
  );

  it("says where a branch is checked out already, and which base is missing", async () => {
    await expect(open().ensure({ repo: ".", branch: "main" })).rejects.toMatchObject({
      code: "branch-in-use",
      message: expect.stringContaining(root),
    });
    await expect(open().ensure({ repo: ".", branch: "x", base: "nowhere" })).rejects.toMatchObject({
      code: "base-missing",
    });
  });

  it("refuses a repository outside the project, and a folder that is none", async () => {
    symlinkSync(tmpdir(), join(root, "link"));
    const at = (repo: string) => open().ensure({ repo: projectPath(repo), branch: "x" });
    await expect(at("link")).rejects.toMatchObject({ code: "path-outside-project" });
    await expect(at("absent")).rejects.toMatchObject({ code: "repository-missing" });
    mkdirSync(join(root, "plain"));
    await expect(at("plain")).rejects.toMatchObject({
      code: "repository-missing",
      message: expect.stringContaining("part of"),
    });
  });

  it("serves repositories inside the project, each with worktrees of its own", async () => {
    const inner = join(root, "ignored/inner");
    git(root, "init", "-qb", "main", inner);
    commit(inner, "inner.txt", "x");
    const one = await open().ensure({ repo: projectPath("ignored/inner"), branch: "x" });
    const two = await open().ensure({ repo: ".", branch: "x" });
    expect(one.folder).not.toEqual(two.folder);
    expect(existsSync(join(one.folder.agentPath, "inner.txt"))).toBe(true);
  });
});

describe("a worktree that lost its .git", () => {
  const losses: readonly (readonly [string, (folder: string) => void])[] = [
    ["was removed", (folder) => rmSync(join(folder, ".git"), { recursive: true })],
    [
      "became a file that leads to another",
      (folder) => {
        rmSync(join(folder, ".git"), { recursive: true });
        writeFileSync(join(folder, ".git"), `gitdir: ${join(folder, "../other/.git")}\n`);
      },
    ],
    [
      "became a link to another",
      (folder) => {
        rmSync(join(folder, ".git"), { recursive: true });
        symlinkSync(join(folder, "../other/.git"), join(folder, ".git"));
      },
    ],
    ["has no refs any more", (folder) => rmSync(join(folder, ".git/refs"), { recursive: true })],
  ];
  it.each(losses)("is set aside whole and made anew: it %s", async (_, lose) => {
    promise("git.lost-worktree");
    await open().ensure({ repo: ".", branch: "other" });
    const worktree = await worked("w");
    await open().state(worktree);
    write(worktree.folder.agentPath, "draft.txt", "not committed\n");
    lose(worktree.folder.agentPath);
    const made = await open().ensure({ repo: ".", branch: "w" });
    expect(made).toMatchObject({ folder: worktree.folder, from: "local" });
    expect(readFileSync(join(made.lost?.agentPath ?? "", "draft.txt"), "utf8")).toBe("not committed\n");
    expect(git(made.folder.agentPath, "rev-parse", "--show-toplevel")).toBe(made.folder.agentPath);
    expect(git(made.folder.agentPath, "status", "--porcelain")).toBe("");
    expect(existsSync(join(made.folder.agentPath, "w.txt"))).toBe(true);
    expect(await open().ensure({ repo: ".", branch: "w" })).toEqual({
      ...worktree,
      from: "kept",
      head: made.head,
    });
  });

  it("is set aside beside those before it", async () => {
    await worked("w");
    const lose = async () => {
      const { folder } = await open().ensure({ repo: ".", branch: "w" });
      rmSync(join(folder.agentPath, ".git"), { recursive: true });
      return (await open().ensure({ repo: ".", branch: "w" })).lost;
    };
    const [first, second] = [await lose(), await lose()];
    expect(first).not.toEqual(second);
    expect([first, second].every((folder) => existsSync(folder?.agentPath ?? ""))).toBe(true);
  });

  it("is never taken for the checkout around it, nor removed", async () => {
    const worktree = await worked("w");
    rmSync(join(worktree.folder.agentPath, ".git"), { recursive: true });
    await expect(open().state(worktree)).rejects.toThrow("lost its .git");
    expect(await open().remove(worktree, { into: "main", branch: true })).toMatchObject({
      kind: "kept",
      detail: expect.stringContaining("lost its .git"),
    });
  });
});

describe("how far the work is", () => {
  it("tells what is uncommitted, unmerged and unpushed, names with line breaks and quotes included", async () => {
    bareRemote();
    const worktree = await worked("w");
    for (const name of ['qu"ote', "line\nbreak", "-dash", "ünï"]) write(worktree.folder.agentPath, name, "x");
    write(worktree.folder.agentPath, "ignored/no", "x");
    const state = await open().state(worktree, "main");
    expect([...state.uncommitted].sort()).toEqual(["-dash", "line\nbreak", 'qu"ote', "ünï"]);
    expect(state).toMatchObject({ branch: "w", unfinished: null, unmerged: 1, unpushed: null });
    await open().push(".", "w");
    expect(await open().state(worktree, "nowhere")).toMatchObject({ unmerged: null, unpushed: 0 });
  });

  it("ends a rebase of which only the end is missing, and no other", async () => {
    git(root, "branch", "side");
    const worktree = await worked("w", "a.txt", "theirs\n");
    commit(worktree.folder.agentPath, "more.txt", "x");
    git(root, "switch", "-q", "side");
    const onto = commit(root, "a.txt", "side\n");
    const inside = (...args: readonly string[]) => git(worktree.folder.agentPath, ...args);
    inside("fetch", "-q", root, "side");
    expect(() => inside("rebase", "-q", "FETCH_HEAD")).toThrow();
    expect(await open().state(worktree)).toMatchObject({ unfinished: "rebase", branch: null });
    // As agents do: the conflict is committed, and a commit is still to be picked.
    write(worktree.folder.agentPath, "a.txt", "both\n");
    inside("commit", "-qam", "resolved");
    expect(await open().state(worktree)).toMatchObject({ unfinished: "rebase", uncommitted: [] });
    inside("rebase", "--abort");
    inside("reset", "-q", "--hard", "HEAD~");
    expect(() => inside("rebase", "-q", "FETCH_HEAD")).toThrow();
    write(worktree.folder.agentPath, "a.txt", "both\n");
    inside("commit", "-qam", "resolved");
    const ended = await open().state(worktree, "side");
    expect(ended).toMatchObject({ unfinished: null, branch: "w", uncommitted: [] });
    expect(inside("merge-base", "HEAD", onto)).toBe(onto);
  });

  it("counts work that an agent left on another branch or on none", async () => {
    const worktree = await worked("w");
    git(worktree.folder.agentPath, "switch", "-q", "--detach");
    commit(worktree.folder.agentPath, "more.txt", "x");
    expect(await open().state(worktree, "main")).toMatchObject({ branch: null, unmerged: 2 });
  });

  it("notices what changes in the checkout, and when", async () => {
    commit(root, "kept.txt", "x");
    write(root, "edited.txt", "x");
    write(root, "removed.txt", "x");
    const changed = await open().watchCheckout(".");
    write(root, "sneaky.txt", "x");
    write(root, "kept.txt", "y");
    write(root, "edited.txt", "y");
    rmSync(join(root, "removed.txt"));
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect([...(await changed()).files].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: "edited.txt", at },
      { path: "kept.txt", at },
      { path: "removed.txt", at: null },
      { path: "sneaky.txt", at },
    ]);
  });

  it("takes a commit of what was there, and a log that another program writes, for nobody's edit", async () => {
    promise("agents.strayed");
    write(root, "mine.txt", "x");
    commit(root, "old.txt", "x");
    const log = openSync(join(root, "server.log"), "a");
    writeSync(log, "before\n");
    // A file system's clock runs behind: what was written a moment ago may be written after the look began.
    const age = () => Date.now() - lstatSync(join(root, "old.txt")).ctimeMs;
    await vi.waitFor(() => expect(age()).toBeGreaterThan(100));
    const changed = await open().watchCheckout(".");
    writeSync(log, "meanwhile\n");
    git(root, "add", "mine.txt");
    git(root, "commit", "-qm", "Mine");
    git(root, "reset", "-q", "--soft", "HEAD~2");
    expect((await changed()).files).toEqual([]);
    closeSync(log);
    write(root, "server.log", "over\n");
    expect((await changed()).files.map(({ path }) => path)).toEqual(["server.log"]);
  });

  it("tells a branch that was moved, and not by a merge of Pawl's nor in a worktree of its", async () => {
    git(root, "branch", "release");
    const { folder } = await worked("w");
    const from = git(root, "rev-parse", "release");
    const changed = await open().watchCheckout(".");
    commit(folder.agentPath, "more.txt", "x");
    const merge = await open().prepareMerge(order("w"));
    if (merge.kind !== "prepared") throw new Error(merge.kind);
    await open().publishMerge(order("w"), merge);
    await worked("v");
    expect((await changed()).branches).toEqual([]);
    const to = git(folder.agentPath, "rev-parse", "HEAD");
    git(root, "update-ref", "refs/heads/release", to);
    expect((await changed()).branches).toEqual([{ branch: "release", from, to }]);
  });
});

describe("the hub", () => {
  const hubOf = () => dirname(worktreePathsOf({ projectRoot: root, work: workFolder(root, USER) }, ".").hub);

  it("is put aside with its workspaces if another repository is made at the same path", async () => {
    promise("git.no-work-lost");
    const { folder } = await worked("w");
    const old = git(folder.agentPath, "rev-parse", "HEAD");
    rmSync(join(root, ".git"), { recursive: true });
    git(root, "init", "-qb", "main");
    commit(root, "b.txt", "another\n", "first of another");
    const made = await open().ensure({ repo: ".", branch: "w" });
    expect(made.from).toBe("base");
    expect(git(made.folder.agentPath, "log", "--format=%s")).toBe("first of another");
    commit(made.folder.agentPath, "c.txt", "x\n");
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({ kind: "published" });
    const aside = join(`${dirname(hubOf())}.aside-1`, basename(hubOf()), encodeName("w"));
    expect(git(aside, "cat-file", "-t", old)).toBe("commit");
  });

  it("stays if the same repository was put back", async () => {
    promise("git.no-work-lost");
    const { folder } = await worked("w");
    cpSync(join(root, ".git"), join(root, "copy"), { recursive: true });
    rmSync(join(root, ".git"), { recursive: true });
    renameSync(join(root, "copy"), join(root, ".git"));
    expect(await open().ensure({ repo: ".", branch: "w" })).toMatchObject({ from: "kept", folder });
    expect(existsSync(`${dirname(hubOf())}.aside-1`)).toBe(false);
  });
});

describe("pushing", () => {
  it("is impossible without a remote or beside certain branches: that is said before anybody works", async () => {
    const ensure = (branch: string) => open().ensure({ repo: ".", branch, base: "main", fetch: true });
    await expect(ensure("bloom/T1")).rejects.toMatchObject({ code: "repository-missing" });
    bareRemote();
    for (const name of ["bloom", "feature/a/b"]) git(root, "push", "-q", "origin", `main:${name}`);
    for (const branch of ["bloom/T1", "feature/a", "feature"]) {
      const refused = { code: "branch-in-use", message: expect.stringContaining("cannot be pushed") };
      await expect(ensure(branch), branch).rejects.toMatchObject(refused);
    }
    git(root, "pack-refs", "--all");
    await expect(ensure("feature/a")).rejects.toMatchObject({ code: "branch-in-use" });
    expect(await ensure("feature/b")).toMatchObject({ from: "base" });
  });

  it("is done once, and never forced", async () => {
    const remote = bareRemote();
    const worktree = await worked("w");
    expect(await open().push(".", "w")).toMatchObject({ kind: "pushed", remote: "origin" });
    expect(await open().push(".", "w")).toMatchObject({ kind: "unchanged" });
    git(worktree.folder.agentPath, "commit", "-q", "--amend", "-m", "rewritten");
    expect(await open().push(".", "w")).toMatchObject({
      kind: "rejected",
      reason: expect.stringContaining("non-fast"),
    });
    expect(git(remote, "log", "-1", "--format=%s", "w")).toBe("change w.txt");
  });

  it("tells a hook's refusal from a remote that cannot be reached, and from none", async () => {
    await worked("w");
    expect(await open().push(".", "w")).toEqual({ kind: "no-remote" });
    const remote = bareRemote();
    writeFileSync(join(remote, "hooks/pre-receive"), "#!/bin/sh\necho not on a Friday >&2\nexit 1\n", {
      mode: 0o755,
    });
    expect(await open().push(".", "w")).toMatchObject({
      kind: "rejected",
      reason: expect.stringContaining("not on a Friday"),
    });
    const own = join(root, ".git/hooks/pre-push");
    for (const stream of [1, 2]) {
      writeFileSync(own, `#!/bin/sh\necho the tests fail >&${stream}\nexit 1\n`, { mode: 0o755 });
      const reason = "your pre-push hook refuses it: the tests fail";
      expect(await open().push(".", "w")).toEqual({ kind: "rejected", reason });
    }
    rmSync(own);
    git(root, "remote", "set-url", "origin", join(root, "ignored/nowhere.git"));
    expect(await open().push(".", "w")).toEqual({
      kind: "unreachable",
      reason: `fatal: '${join(root, "ignored/nowhere.git")}' does not appear to be a git repository`,
    });
  });
});

describe("merging", () => {
  it("prepares aside, publishes with a merge commit, and once only", async () => {
    await worked("w");
    const before = git(root, "rev-parse", "main");
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    expect(git(root, "rev-parse", "main")).toBe(before);
    expect(existsSync(join(prepared.folder.agentPath, "w.txt"))).toBe(true);
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({ kind: "published" });
    expect(git(root, "log", "-1", "--format=%s %p", "main").split(" ")).toHaveLength(4);
    expect(readFileSync(join(root, "w.txt"), "utf8")).toBe("work\n");
    expect(git(root, "status", "--porcelain")).toBe("");
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({ kind: "published" });
    expect(await open().prepareMerge(order("w"))).toMatchObject({ kind: "merged-already" });
  });

  it("makes a merge's folder anew: what a check left there is gone, and the merge is the same", async () => {
    promise("bloom.flaky");
    await worked("w");
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    write(prepared.folder.agentPath, "w.txt", "spoilt\n");
    write(prepared.folder.agentPath, "ignored/left", "x\n");
    write(prepared.folder.agentPath, ".git/info/exclude", "ignored/\n");
    await open().renewMerge(order("w"), prepared);
    expect(git(prepared.folder.agentPath, "rev-parse", "HEAD")).toBe(prepared.commit);
    expect(readFileSync(join(prepared.folder.agentPath, "w.txt"), "utf8")).toBe("work\n");
    expect(existsSync(join(prepared.folder.agentPath, "ignored"))).toBe(false);
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({ kind: "published" });
  });

  it("moves a branch that is checked out nowhere", async () => {
    git(root, "branch", "release");
    await worked("w");
    const prepared = await open().prepareMerge(order("w", "release"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    await open().publishMerge(order("w", "release"), prepared);
    expect(git(root, "rev-parse", "release")).toBe(prepared.commit);
    expect(existsSync(join(root, "w.txt"))).toBe(false);
  });

  it("keeps a person's other edits, and stops at those that it would overwrite", async () => {
    promise("git.no-work-lost");
    await worked("w", "a.txt", "changed\n");
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    write(root, "a.txt", "my own edit\n");
    write(root, "untouched.txt", "mine\n");
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({
      kind: "in-the-way",
      files: ["a.txt"],
    });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("my own edit\n");
    expect(git(root, "rev-parse", "main")).toBe(prepared.onto);
    git(root, "checkout", "-q", "--", "a.txt");
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({ kind: "published" });
    expect(readFileSync(join(root, "untouched.txt"), "utf8")).toBe("mine\n");
  });

  it.each([
    ["the file itself", "mine.env", "mine.env"],
    ["a file in the place of its folder", "conf", "conf/mine.env"],
    ["a folder in the place of the file", "mine.env/a", "mine.env"],
  ])("puts no task's work in the place of a file that git ignores: %s", async (_, theirs, mine) => {
    promise("git.no-work-lost");
    commit(root, ".gitignore", "*.env\nconf\n");
    const worktree = await open().ensure({ repo: ".", branch: "w" });
    write(worktree.folder.agentPath, theirs, "theirs\n");
    git(worktree.folder.agentPath, "add", "-f", theirs);
    git(worktree.folder.agentPath, "commit", "-qm", "work");
    write(root, mine, "mine\n");
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({ kind: "in-the-way" });
    expect(readFileSync(join(root, mine), "utf8")).toBe("mine\n");
    expect(git(root, "rev-parse", "main")).toBe(prepared.onto);
    rmSync(join(root, mine), { recursive: true });
    if (mine.includes("/")) rmSync(join(root, "conf"), { recursive: true });
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({ kind: "published" });
  });

  it("does not disturb a merge or a rebase that a person has begun", async () => {
    git(root, "switch", "-qc", "side");
    commit(root, "a.txt", "side\n");
    git(root, "switch", "-q", "main");
    commit(root, "a.txt", "main\n");
    await worked("w");
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    expect(() => git(root, "merge", "side")).toThrow();
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({
      kind: "in-the-way",
      reason: expect.stringContaining("a merge is unfinished"),
    });
    git(root, "merge", "--abort");
    expect(() => git(root, "rebase", "side")).toThrow();
    expect(await open().publishMerge(order("w"), prepared)).toMatchObject({
      kind: "in-the-way",
      reason: expect.stringContaining("a rebase is unfinished"),
    });
  });

  it("says that the target moved, and prepares again on what is there", async () => {
    await worked("w");
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    commit(root, "meanwhile.txt", "x");
    expect(await open().publishMerge(order("w"), prepared)).toEqual({ kind: "moved" });
    const again = await open().prepareMerge(order("w"));
    if (again.kind !== "prepared") throw new Error(again.kind);
    expect(await open().publishMerge(order("w"), again)).toMatchObject({ kind: "published" });
    expect(existsSync(join(root, "meanwhile.txt"))).toBe(true);
  });

  it("reports conflicts, hands them to the worktree, and merges what was resolved there", async () => {
    const worktree = await worked("w", "a.txt", "theirs\n");
    commit(root, "a.txt", "ours\n");
    expect(await open().prepareMerge(order("w"))).toEqual({ kind: "conflicts", files: ["a.txt"] });
    expect(await open().bringIn(worktree, { into: "main" })).toEqual({ kind: "conflicts", files: ["a.txt"] });
    expect(await open().bringIn(worktree, { into: "main" })).toEqual({ kind: "conflicts", files: ["a.txt"] });
    expect(await open().state(worktree, "main")).toMatchObject({ unfinished: "merge" });
    write(worktree.folder.agentPath, "a.txt", "both\n");
    git(worktree.folder.agentPath, "commit", "-qam", "resolve");
    expect(await open().bringIn(worktree, { into: "main" })).toEqual({ kind: "unchanged" });
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    await open().publishMerge(order("w"), prepared);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("both\n");
  });

  it("starts clean after a killed one left its folder in any state", async () => {
    await worked("w");
    const first = await open().prepareMerge(order("w"));
    if (first.kind !== "prepared") throw new Error(first.kind);
    write(first.folder.agentPath, "a.txt", "junk\n");
    write(first.folder.agentPath, "left.txt", "junk\n");
    await worked("v");
    const second = await open().prepareMerge(order("v"));
    if (second.kind !== "prepared") throw new Error(second.kind);
    expect(git(second.folder.agentPath, "status", "--porcelain")).toBe("");
    expect(existsSync(join(second.folder.agentPath, "left.txt"))).toBe(false);
    expect(existsSync(join(second.folder.agentPath, "w.txt"))).toBe(false);
  });

  it("is prepared on a merge that is not published yet, in a folder of its own, and published after it", async () => {
    await worked("one");
    await worked("two");
    const ahead = await open().prepareMerge({ ...order("one"), slot: 0 });
    if (ahead.kind !== "prepared") throw new Error(ahead.kind);
    const behind = await open().prepareMerge({ ...order("two"), slot: 1, onto: ahead.commit });
    if (behind.kind !== "prepared") throw new Error(behind.kind);
    expect(behind.folder).not.toEqual(ahead.folder);
    expect(git(behind.folder.agentPath, "rev-parse", "HEAD^1")).toBe(ahead.commit);
    expect(await open().publishMerge(order("two"), behind)).toEqual({ kind: "moved" });
    expect(await open().publishMerge(order("one"), ahead)).toMatchObject({ kind: "published" });
    expect(await open().publishMerge(order("two"), behind)).toMatchObject({ kind: "published" });
    expect(git(root, "rev-parse", "main")).toBe(behind.commit);
    expect(git(root, "status", "--porcelain")).toBe("");
  });

  it("works for people without a configured identity, and runs no hooks", async () => {
    await worked("w");
    writeFileSync(join(root, ".git/hooks/pre-merge-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, ...nobody } = USER;
    git(root, "config", "user.useConfigOnly", "true");
    const prepared = await open(nobody).prepareMerge(order("w"));
    expect(prepared).toMatchObject({ kind: "prepared" });
  });

  it("names a branch that is missing", async () => {
    await worked("w");
    expect(await open().prepareMerge(order("nothing"))).toEqual({ kind: "missing", branch: "nothing" });
    expect(await open().prepareMerge(order("w", "nowhere"))).toEqual({ kind: "missing", branch: "nowhere" });
  });

  it("is one owner's turn at a time, named to the others, free when its process dies", async () => {
    const turn = await open().takeTurn(".", "main", "task A");
    expect(await open().takeTurn(".", "main", "task B")).toEqual({ kind: "taken", owner: "task A" });
    expect(await open().takeTurn(".", "other", "task B")).toMatchObject({ kind: "mine" });
    if (turn.kind === "mine") await turn.release();
    const script = `import { openWorktrees } from ${JSON.stringify(join(import.meta.dirname, "worktrees.ts"))};
      const turn = await openWorktrees(${JSON.stringify(root)}, process.env).takeTurn(".", "main", "the dead");
      console.log(turn.kind); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((done) => child.stdout.once("data", done));
    expect(await open().takeTurn(".", "main", "task B")).toEqual({ kind: "taken", owner: "the dead" });
    const died = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await died;
    expect(await open().takeTurn(".", "main", "task B")).toMatchObject({ kind: "mine" });
  });
});

describe("leaving a branch to the person", () => {
  const at = () => git(root, "rev-parse", "--verify", "--quiet", "refs/heads/w");

  it("puts it into their repository, and moves it with the work, rewritten or not, until they work on it", async () => {
    promise("git.no-work-lost");
    const { folder, ...worktree } = await worked("w");
    const leave = async () => {
      await open().state({ ...worktree, folder });
      await open().leave(".", "w");
    };
    await leave();
    expect(at()).toBe(git(folder.agentPath, "rev-parse", "HEAD"));
    git(folder.agentPath, "commit", "-q", "--amend", "-m", "again");
    await leave();
    expect(at()).toBe(git(folder.agentPath, "rev-parse", "HEAD"));
    git(root, "switch", "-q", "w");
    commit(folder.agentPath, "more.txt", "x");
    await leave();
    expect(git(root, "status", "--porcelain")).toBe("");
    const theirs = commit(root, "theirs.txt", "x");
    git(root, "switch", "-q", "main");
    await leave();
    expect(at()).toBe(theirs);
  });
});

it("a branch whose agent rewrote the very first commit is refused by name, whatever way it is delivered", async () => {
  const { agentPath } = (await worked("w")).folder;
  git(agentPath, "checkout", "-q", "--orphan", "new");
  git(agentPath, "commit", "-q", "-m", "rewritten");
  git(agentPath, "branch", "-q", "-M", "new", "w");
  for (const how of ["merge", "squash"] as const)
    await expect(open().prepareMerge({ ...order("w"), how })).rejects.toMatchObject({
      message: expect.stringContaining("no commit in common"),
    });
});

describe("removing", () => {
  it("keeps what is uncommitted, unmerged or unfinished", async () => {
    promise("git.no-work-lost");
    const worktree = await worked("w", "a.txt", "theirs\n");
    const remove = () => open().remove(worktree, { into: "main", branch: true });
    expect(await remove()).toMatchObject({ kind: "kept", reason: "unmerged" });
    write(worktree.folder.agentPath, "new.txt", "x");
    expect(await remove()).toMatchObject({ kind: "kept", reason: "uncommitted", detail: "new.txt" });
    git(worktree.folder.agentPath, "stash", "-q", "-u");
    expect(await open().remove(worktree, { into: "w", branch: true })).toMatchObject({
      ...{ kind: "kept", reason: "uncommitted", detail: expect.stringContaining("a stash in ") },
    });
    git(worktree.folder.agentPath, "stash", "drop", "-q");
    commit(root, "a.txt", "ours\n");
    await open().bringIn(worktree, { into: "main" });
    expect(await remove()).toMatchObject({ kind: "kept", reason: "unfinished" });
    expect(existsSync(worktree.folder.agentPath)).toBe(true);
  });

  it("takes worktree and branch once the work is merged, and is content to be asked again", async () => {
    const worktree = await worked("w");
    const prepared = await open().prepareMerge(order("w"));
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    await open().publishMerge(order("w"), prepared);
    const remove = () => open().remove(worktree, { into: "main", branch: true });
    expect(await remove()).toEqual({ kind: "removed" });
    expect(existsSync(worktree.folder.agentPath)).toBe(false);
    expect(git(root, "branch", "--list", "w")).toBe("");
    expect(await remove()).toEqual({ kind: "gone-already" });
    expect(await open().list()).toEqual([]);
  });

  it("takes the remote's branch as well if the target is there, and else leaves the only other copy", async () => {
    const remote = bareRemote();
    const there = () => git(remote, "branch", "--format=%(refname:short)").split("\n");
    const life = async (branch: string, sends: boolean) => {
      const worktree = await worked(branch);
      await open().push(".", branch);
      const merge = { ...order(branch), remote: sends };
      const prepared = await open().prepareMerge(merge);
      if (prepared.kind !== "prepared") throw new Error(prepared.kind);
      await open().publishMerge(merge, prepared);
      expect(await open().remove(worktree, { into: "main", branch: true })).toEqual({ kind: "removed" });
    };
    await life("one", true);
    expect(there()).toEqual(["main"]);
    await life("two", false);
    expect(there()).toEqual(["main", "two"]);
  });

  it("without a target asks that everything is on the remote", async () => {
    const worktree = await worked("w");
    const remove = () => open().remove(worktree, { branch: false });
    expect(await remove()).toMatchObject({ kind: "kept", reason: "unmerged" });
    bareRemote();
    await open().push(".", "w");
    expect(await remove()).toEqual({ kind: "removed" });
    expect((await open().ensure({ repo: ".", branch: "w" })).from).toBe("local");
  });

  it("keeps the commits of a branch that its agent left aside, but no copy of the person's or of its own", async () => {
    promise("git.no-work-lost");
    git(root, "branch", "theirs");
    git(root, "switch", "-q", "theirs");
    commit(root, "theirs.txt", "x");
    git(root, "switch", "-q", "main");
    const worktree = await worked("w");
    const { agentPath } = worktree.folder;
    git(root, "branch", "-q", "-D", "theirs");
    git(agentPath, "branch", "-q", "backup");
    git(agentPath, "commit", "-q", "--amend", "-m", "said otherwise");
    git(agentPath, "switch", "-q", "-c", "side/try");
    commit(agentPath, "side.txt", "x");
    git(agentPath, "switch", "-q", "w");
    await open().state(worktree);
    git(root, "fetch", "-q", agentPath, "w");
    git(root, "merge", "-q", "FETCH_HEAD");
    const remove = () => open().remove(worktree, { into: "main", branch: true });
    expect(await remove()).toEqual({
      ...{ kind: "kept", reason: "unmerged" },
      detail: `1 commit(s) on side/try in ${agentPath} are nowhere else`,
    });
    git(agentPath, "branch", "-q", "-D", "side/try");
    expect(await remove()).toEqual({ kind: "removed" });
  });

  it("keeps commits that lie on no branch", async () => {
    const worktree = await open().ensure({ repo: ".", branch: "w" });
    git(worktree.folder.agentPath, "switch", "-q", "--detach");
    commit(worktree.folder.agentPath, "lost.txt", "x");
    expect(await open().remove(worktree, { into: "main", branch: true })).toMatchObject({
      reason: "unmerged",
    });
  });
});

describe("a branch that holds what must not be in a repository", () => {
  it.each([".pawl/journal", ".PAWL/journal", "sub/.Pawl/runs/x.json", ".p\u200cawl/journal"])(
    "is not merged if a commit of it holds %s, be it only in between",
    async (path) => {
      promise("commit.untracked");
      const { folder } = await worked("w");
      write(folder.agentPath, path, "planted\n");
      git(folder.agentPath, "add", "-f", "--", path);
      git(folder.agentPath, "commit", "-qm", "plant");
      const plant = git(folder.agentPath, "rev-parse", "HEAD").slice(0, 12);
      git(folder.agentPath, "rm", "-qr", "--", path);
      git(folder.agentPath, "commit", "-qm", "hide");
      const prepared = await open().prepareMerge(order("w"));
      expect(prepared).toMatchObject({ kind: "refused", reason: expect.stringContaining(path) });
      expect(prepared).toMatchObject({ reason: expect.stringContaining(plant) });
      expect(git(root, "log", "--format=%s", "main")).toBe("first");
    },
  );

  it("is merged if it only takes such files out", async () => {
    commit(root, "x/.pawl/old", "old\n");
    const { folder } = await worked("w");
    git(folder.agentPath, "rm", "-qr", "--", "x/.pawl/old");
    git(folder.agentPath, "commit", "-qm", "take out");
    expect(await open().prepareMerge(order("w"))).toMatchObject({ kind: "prepared" });
  });

  it("is not merged if it names ignored files for the next workspaces", async () => {
    promise("git.include-by-person");
    write(root, ".gitignore", ".env\nignored/\n");
    commit(root, ".worktreeinclude", ".env\nold\n");
    const { folder } = await worked("w");
    expect(await open().prepareMerge(order("w"))).toMatchObject({ kind: "prepared" });
    commit(folder.agentPath, ".worktreeinclude", ".env\nkeys/\n");
    expect(await open().prepareMerge(order("w"))).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("git merge w"),
    });
    git(root, "merge", "-q", "w");
    expect(await open().prepareMerge(order("w"))).toMatchObject({ kind: "merged-already" });
    const other = await worked("v");
    git(other.folder.agentPath, "rm", "-q", ".worktreeinclude");
    git(other.folder.agentPath, "commit", "-qm", "take out");
    expect(await open().prepareMerge(order("v"))).toMatchObject({ kind: "prepared" });
  });

  it("is not merged if a repository inside is a bare link; a submodule is", async () => {
    promise("commit.untracked");
    const { folder } = await worked("w");
    git(folder.agentPath, "init", "-q", "inner");
    commit(join(folder.agentPath, "inner"), "a.txt", "a\n");
    git(folder.agentPath, "add", "inner");
    git(folder.agentPath, "commit", "-qm", "inner");
    expect(await open().prepareMerge(order("w"))).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("the repository inner as a bare link"),
    });
    commit(folder.agentPath, ".gitmodules", '[submodule "inner"]\n\tpath = inner\n\turl = ../inner\n');
    expect(await open().prepareMerge(order("w"))).toMatchObject({ kind: "prepared" });
  });

  it("asks the remote of a submodule once, however many links lack their commits", async () => {
    promise("commit.untracked");
    let asked = 0;
    const server = createServer((_, answer) => {
      asked += 1;
      answer.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    try {
      git(root, "init", "-q", "--bare", ".git/modules/inner");
      const { port } = server.address() as AddressInfo;
      git(join(root, ".git/modules/inner"), "config", "remote.origin.url", `http://127.0.0.1:${port}/x.git`);
      const { folder } = await worked("w");
      const numbers = ["1", "2", "3", "4", "5"];
      const modules = numbers.map((n) => `[submodule "inner"]\n\tpath = inner${n}\n`).join("");
      for (const n of numbers)
        git(folder.agentPath, "update-index", "--add", "--cacheinfo", `160000,${n.repeat(40)},inner${n}`);
      commit(folder.agentPath, ".gitmodules", modules);
      expect(await open().prepareMerge(order("w"))).toMatchObject({
        kind: "refused",
        reason: expect.stringContaining("which the submodule's remote does not have"),
      });
      expect(asked).toBe(1);
    } finally {
      server.close();
    }
  });
});
