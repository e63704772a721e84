/** Merging into a branch that others push to. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commit, git, USER } from "../../../test/rig/git-user.ts";
import { looking } from "../../../test/rig/looking.ts";
import { copyPrepared } from "../../../test/rig/prepared.ts";
import { promise } from "../../../test/rig/promise.ts";
import type { MergeOrder, PreparedMerge, Worktree } from "../../core/ports/worktrees.ts";
import { openWorktrees } from "./workspace/worktrees.ts";

let scratch: string;
let root: string;
let remote: string;
/** Another person's clone. */
let other: string;

function pushedByOther(path: string, text = "theirs\n"): string {
  git(other, "pull", "-q", "--ff-only");
  const made = commit(other, path, text);
  git(other, "push", "-q", "origin", "main");
  return made;
}

beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-shared-")));
  [root, remote, other] = ["mine", "remote.git", "other"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  copyPrepared("shared-target", scratch, (folder) => {
    git(folder, "init", "-q", "--bare", "-b", "main", "remote.git");
    git(folder, "init", "-q", "-b", "main", "mine");
    commit(join(folder, "mine"), "a.txt", "one\n");
    git(join(folder, "mine"), "remote", "add", "origin", join(folder, "remote.git"));
    git(join(folder, "mine"), "push", "-q", "origin", "main");
    git(folder, "clone", "-q", join(folder, "remote.git"), "other");
  });
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const open = () => looking(openWorktrees(root, USER));
const order = (branch: string): MergeOrder => ({
  repo: ".",
  branch,
  into: "main",
  message: `Merge ${branch}`,
  remote: true,
});

async function worked(branch: string, path = `${branch}.txt`): Promise<Worktree> {
  const worktree = await open().ensure({ repo: ".", branch });
  commit(worktree.folder.agentPath, path, "work\n");
  return worktree;
}

async function prepared(branch: string): Promise<Extract<PreparedMerge, { kind: "prepared" }>> {
  const merge = await open().prepareMerge(order(branch));
  if (merge.kind !== "prepared") throw new Error(JSON.stringify(merge));
  return merge;
}

const tip = (folder: string) => git(folder, "rev-parse", "main");

describe("merging into a branch that others push to", () => {
  it("merges onto what the remote has, and both get the same", async () => {
    await worked("w");
    const theirs = pushedByOther("b.txt");
    const merge = await prepared("w");
    expect(existsSync(join(merge.folder.agentPath, "b.txt"))).toBe(true);
    expect(await open().publishMerge(order("w"), merge)).toEqual({
      kind: "published",
      commit: merge.commit,
    });
    expect(git(root, "log", "-1", "--format=%P", "main").split(" ")[0]).toBe(theirs);
    expect(tip(remote)).toBe(tip(root));
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("theirs\n");
  });

  it("is prepared again if somebody pushes between preparation and push, and moves nothing before", async () => {
    promise("git.shared-target");
    await worked("w");
    const before = tip(root);
    const merge = await prepared("w");
    const theirs = pushedByOther("b.txt");
    expect(await open().publishMerge(order("w"), merge)).toEqual({ kind: "moved" });
    expect(tip(root)).toBe(before);
    expect(tip(remote)).toBe(theirs);
    expect(await open().publishMerge(order("w"), await prepared("w"))).toMatchObject({ kind: "published" });
    expect(tip(remote)).toBe(tip(root));
  });

  it("fetches again if git is just adding a worktree, whose HEAD names no commit yet", async () => {
    await worked("w");
    const theirs = pushedByOther("b.txt");
    const half = join(root, ".git/worktrees/half");
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, "HEAD"), `${"0".repeat(40)}\n`);
    writeFileSync(join(half, "commondir"), "../..\n");
    writeFileSync(join(half, "gitdir"), `${join(scratch, "half/.git")}\n`);
    writeFileSync(join(half, "locked"), "initializing\n");
    const found = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    // It is whole when the first fetch has failed.
    const bin = join(scratch, "bin");
    mkdirSync(bin);
    const whole = `case " $* " in *" fetch "*) echo "$code" >> ${scratch}/fetches; rm -rf ${half};; esac`;
    writeFileSync(join(bin, "git"), `#!/bin/sh\n${found} "$@"\ncode=$?\n${whole}\nexit $code\n`, {
      mode: 0o755,
    });
    const environment = { ...USER, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const merge = await looking(openWorktrees(root, environment)).prepareMerge(order("w"));
    expect(readFileSync(join(scratch, "fetches"), "utf8")).toMatch(/^(1|128)\n0\n/);
    expect(merge).toMatchObject({ kind: "prepared" });
    expect(git(root, "rev-parse", "refs/remotes/origin/main")).toBe(theirs);
  });

  it("brings a person's own commits together with the others'", async () => {
    promise("git.shared-target");
    await worked("w");
    pushedByOther("b.txt");
    const mine = commit(root, "mine.txt", "mine\n");
    expect(await open().publishMerge(order("w"), await prepared("w"))).toMatchObject({ kind: "published" });
    expect(git(root, "merge-base", "--is-ancestor", mine, "main")).toBe("");
    expect(tip(remote)).toBe(tip(root));
    for (const path of ["mine.txt", "b.txt", "w.txt"]) expect(existsSync(join(root, path))).toBe(true);
  });

  it("says so if a person's own commits conflict with the others', and changes nothing", async () => {
    await worked("w");
    pushedByOther("a.txt", "theirs\n");
    commit(root, "a.txt", "mine\n");
    const before = tip(root);
    expect(await open().prepareMerge(order("w"))).toEqual({
      kind: "diverged",
      remote: "origin",
      files: ["a.txt"],
    });
    expect(tip(root)).toBe(before);
  });

  it("tells a conflict with what others pushed, which then comes into the task's branch", async () => {
    const worktree = await worked("w", "a.txt");
    pushedByOther("a.txt", "theirs\n");
    expect(await open().prepareMerge(order("w"))).toEqual({ kind: "conflicts", files: ["a.txt"] });
    expect(await open().bringIn(worktree, { into: "main" })).toEqual({ kind: "unchanged" });
    expect(await open().bringIn(worktree, { into: "main", remote: true })).toEqual({
      kind: "conflicts",
      files: ["a.txt"],
    });
    commit(worktree.folder.agentPath, "a.txt", "both\n");
    expect(await open().publishMerge(order("w"), await prepared("w"))).toMatchObject({ kind: "published" });
    expect(git(remote, "show", "main:a.txt")).toBe("both");
  });

  it("ends locally what was killed after the push", async () => {
    await worked("w");
    const merge = await prepared("w");
    git(join(merge.folder.agentPath, "../@hub.git"), "push", "-q", remote, `${merge.commit}:refs/heads/main`);
    const again = await prepared("w");
    expect(again.commit).toBe(merge.commit);
    expect(await open().publishMerge(order("w"), again)).toMatchObject({ kind: "published" });
    expect(tip(root)).toBe(merge.commit);
    expect(await open().prepareMerge(order("w"))).toMatchObject({
      kind: "merged-already",
      commit: merge.commit,
    });
  });

  it("pushes what was merged here and never reached the remote", async () => {
    await worked("w");
    const { remote: _, ...local } = order("w");
    const merge = await open().prepareMerge(local);
    if (merge.kind !== "prepared") throw new Error(merge.kind);
    await open().publishMerge(local, merge);
    pushedByOther("b.txt");
    expect(await open().publishMerge(order("w"), await prepared("w"))).toMatchObject({ kind: "published" });
    expect(tip(remote)).toBe(tip(root));
  });

  it("counts once the remote has it, and says which edits kept the local branch behind", async () => {
    await worked("w", "a.txt");
    const before = tip(root);
    writeFileSync(join(root, "a.txt"), "being edited\n");
    const merge = await prepared("w");
    expect(await open().publishMerge(order("w"), merge)).toMatchObject({
      kind: "published",
      behind: { files: ["a.txt"] },
    });
    expect(tip(remote)).toBe(merge.commit);
    expect(tip(root)).toBe(before);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("being edited\n");
  });

  it("tells a rule of the remote's from a push that came too late", async () => {
    await worked("w");
    const merge = await prepared("w");
    writeFileSync(join(remote, "hooks/pre-receive"), "#!/bin/sh\necho main is protected >&2\nexit 1\n", {
      mode: 0o755,
    });
    expect(await open().publishMerge(order("w"), merge)).toEqual({
      kind: "rejected",
      reason: expect.stringContaining("main is protected"),
    });
  });

  it("makes the target on a remote that has none yet", async () => {
    git(remote, "update-ref", "-d", "refs/heads/main");
    await worked("w");
    expect(await open().publishMerge(order("w"), await prepared("w"))).toMatchObject({ kind: "published" });
    expect(tip(remote)).toBe(tip(root));
  });

  it("changes nothing if the remote cannot be reached", async () => {
    await worked("w");
    git(root, "remote", "set-url", "origin", join(scratch, "nowhere.git"));
    const before = tip(root);
    expect(await open().prepareMerge(order("w"))).toMatchObject({ kind: "unreachable" });
    expect(tip(root)).toBe(before);
  });
});
