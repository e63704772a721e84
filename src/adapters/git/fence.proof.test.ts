/** Several machines with one remote: who has lost a task pushes nothing any more, and who has it gets everything. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openGitHttp } from "../../../test/rig/git-http.ts";
import { commit, git, USER } from "../../../test/rig/git-user.ts";
import { looking } from "../../../test/rig/looking.ts";
import { copyPrepared } from "../../../test/rig/prepared.ts";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import type { MergeOrder, PreparedMerge, SharedWorktrees, Worktree } from "../../core/ports/worktrees.ts";
import { workFolder } from "../process/work-folder.ts";
import type { Fence, FenceKind } from "./fence.ts";
import { openWorktrees } from "./workspace/worktrees.ts";

let scratch: string;
let remote: string;
const closing: (() => Promise<void>)[] = [];

beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-fence-")));
  remote = join(scratch, "remote.git");
  copyPrepared("machines", scratch, (folder) => {
    const [bare, first] = [join(folder, "remote.git"), join(folder, "first")];
    git(folder, "init", "-q", "--bare", "-b", "main", bare);
    git(folder, "init", "-q", "-b", "main", first);
    writeFileSync(join(first, ".gitignore"), "ignored\n.pawl\n");
    git(first, "add", ".gitignore");
    for (const path of ["a.txt", "b.txt"]) commit(first, path, "one\n");
    git(first, "push", "-q", bare, "main");
    for (const name of ["one", "two"]) git(folder, "clone", "-q", bare, name);
  });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(scratch, { recursive: true, force: true });
});

/** A machine's worktrees under a task's lease with this epoch. */
function open(machine: "one" | "two", epoch: number, kind: FenceKind = "refs"): SharedWorktrees {
  const fence: Pick<Fence, "kind" | "project"> = { kind, project: "p" };
  const all = looking(openWorktrees(join(scratch, machine), USER, { fence }));
  return all.under({ what: "T-1", epoch, holder: machine });
}

/** Where a machine's workspaces are. */
const workOf = (machine: string) => workFolder(join(scratch, machine), USER);

const TASK = { repo: ".", branch: "bloom/T-1", base: "main" } as const;
const ensure = (worktrees: SharedWorktrees) => worktrees.ensure(TASK);
const save = (worktrees: SharedWorktrees, worktree: Worktree) => worktrees.save(worktree, { hurried: false });
const LOST = { code: "lease-lost" };
const ORDER: MergeOrder = { repo: ".", branch: TASK.branch, into: "main", message: "Merge T-1" };
const target = (epoch: number) => ({ what: "@into:.:main", epoch, holder: `${epoch}` });

async function prepared(
  worktrees: SharedWorktrees,
  order: MergeOrder = ORDER,
): Promise<Extract<PreparedMerge, { kind: "prepared" }>> {
  const merge = await worktrees.prepareMerge(order);
  if (merge.kind !== "prepared") throw new Error(JSON.stringify(merge));
  return merge;
}

/** All refs of the remote. */
const refs = () => git(remote, "for-each-ref", "--format=%(refname) %(objectname)");
const wip = () => git(remote, "rev-parse", "refs/pawl/wip/T-1");

/** A hook of the remote's. */
function hook(name: string, script: string): void {
  mkdirSync(join(remote, "hooks"), { recursive: true });
  writeFileSync(join(remote, "hooks", name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(remote, "hooks", name), 0o755);
}

describe("a worker from whom the task was taken", () => {
  type Act = (worktrees: SharedWorktrees, worktree: Worktree) => Promise<unknown>;
  const ACTS: Readonly<Record<string, Act>> = {
    saves: save,
    pushes: (worktrees) => worktrees.push(".", TASK.branch),
    merges: async (worktrees) => worktrees.publishMerge(ORDER, await prepared(worktrees)),
    "takes it up again": async (_, worktree) => open("one", 1).ensure({ ...TASK, repo: worktree.repo }),
  };
  const TAKER: Readonly<Record<string, Act>> = {
    "has only begun": async () => {},
    "has saved": async (worktrees, worktree) => {
      commit(worktree.folder.agentPath, "b.txt", "two\n");
      await save(worktrees, worktree);
    },
    "has pushed": async (worktrees, worktree) => {
      commit(worktree.folder.agentPath, "b.txt", "two\n");
      await worktrees.push(".", TASK.branch);
    },
    "has merged": async (worktrees, worktree) => {
      commit(worktree.folder.agentPath, "b.txt", "two\n");
      await worktrees.publishMerge(ORDER, await prepared(worktrees));
    },
    "is done with it": async (worktrees, worktree) => {
      await save(worktrees, worktree);
      await worktrees.forget(worktree);
    },
  };

  describe.each(Object.keys(TAKER))("by one that %s", (taken) => {
    it.each(Object.keys(ACTS))("changes nothing on the remote when it %s", async (late) => {
      promise("machines.fence");
      const zombie = open("one", 1);
      const worktree = await ensure(zombie);
      commit(worktree.folder.agentPath, "a.txt", "late\n");
      await save(zombie, worktree);
      commit(worktree.folder.agentPath, "a.txt", "later\n");
      const taker = open("two", 2);
      await TAKER[taken]?.(taker, await ensure(taker));
      const main = () => git(join(scratch, "one"), "rev-parse", "main");
      const before = [refs(), main()];
      await expect(ACTS[late]?.(zombie, worktree)).rejects.toMatchObject(LOST);
      // A second try knows where the lease is.
      await expect(ACTS[late]?.(zombie, worktree)).rejects.toMatchObject(LOST);
      expect([refs(), main()]).toEqual(before);
    });
  });

  it("changes nothing either if it never pushed before, and if it has the epoch of another's database", async () => {
    promise("machines.fence");
    const taker = open("two", 2);
    await save(taker, await ensure(taker));
    const before = refs();
    await expect(ensure(open("one", 1))).rejects.toMatchObject(LOST);
    await expect(ensure(open("one", 2))).rejects.toMatchObject(LOST);
    expect(refs()).toBe(before);
  });
});

/** Whether a server's program works on the remote. */
function isReceiving(): boolean {
  const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return all.split("\n").some((line) => line.includes("receive-pack") && line.includes(remote));
}

describe("a push that is cut short", () => {
  /** Ends the client, an ancestor of the hook. */
  const PUSHER =
    "p=$PPID; until [ $p -le 1 ] || tr '\\0' ' ' </proc/$p/cmdline | grep -q ' push '; do p=$(ps -o ppid= -p $p | tr -d ' '); done; [ $p -gt 1 ] && kill -9 $p";
  const CUTS: readonly (readonly [string, string, string])[] = [
    ["the client before the remote decided", "pre-receive", `cat >/dev/null; ${PUSHER}`],
    [
      "the client while the remote moves the refs",
      "reference-transaction",
      `test "$1" = prepared && { ${PUSHER}; }; exit 0`,
    ],
    [
      "the client after the remote moved the refs",
      "reference-transaction",
      `test "$1" = committed && { ${PUSHER}; }; exit 0`,
    ],
    ["the remote before it decided", "pre-receive", "cat >/dev/null; kill -9 $PPID"],
    [
      "the remote while it moves the refs",
      "reference-transaction",
      'test "$1" = prepared && kill -9 $PPID; exit 0',
    ],
    [
      "the remote after it moved the refs",
      "reference-transaction",
      'test "$1" = committed && kill -9 $PPID; exit 0',
    ],
  ];

  it.each(CUTS)(
    "by the end of %s moves everything or nothing, and is done again without harm",
    async (_, name, script) => {
      promise("machines.cut");
      const own = open("one", 1);
      const worktree = await ensure(own);
      await save(own, worktree);
      const lease = () => git(remote, "for-each-ref", "--format=%(objectname)", "refs/pawl/lease");
      const [firstWork, firstLease] = [wip(), lease()];
      const made = commit(worktree.folder.agentPath, "a.txt", "two\n");
      hook(name, script);
      const cut = await save(own, worktree);
      await until(() => !isReceiving());
      rmSync(join(remote, "hooks", name));
      // What the killed one left behind; a server's own tidying removes it.
      execFileSync("find", [remote, "-name", "*.lock", "-delete"]);
      expect(wip() === firstWork).toBe(lease() === firstLease);
      if (cut.kind === "saved") expect(wip()).not.toBe(firstWork);
      expect(await save(own, worktree)).toMatchObject({ commit: made });
      expect(git(remote, "rev-parse", "refs/pawl/wip/T-1^1")).toBe(made);
      // A worker that was killed itself knows nothing of that, and has another lease.
      const later = open("one", 2);
      expect(await later.ensure(TASK)).toMatchObject({ from: "kept" });
      expect(git(worktree.folder.agentPath, "rev-parse", "HEAD")).toBe(made);
      const other = open("two", 3);
      const there = await ensure(other);
      expect(git(there.folder.agentPath, "rev-parse", "HEAD")).toBe(made);
    },
  );
});

describe("a remote that cannot keep leases apart", () => {
  it("is refused if it takes no refs of Pawl's own; branches do instead", async () => {
    promise("machines.remote");
    hook("update", 'case "$1" in refs/heads/*) exit 0;; *) echo "only branches here" >&2; exit 1;; esac');
    const refused = { code: "fence-refused", message: expect.stringContaining("only branches here") };
    await expect(ensure(open("one", 1))).rejects.toMatchObject(refused);
    await expect(ensure(open("one", 1))).rejects.toMatchObject({
      fix: expect.stringContaining("git: {fence: branches}"),
    });
    const own = open("one", 1, "branches");
    const worktree = await ensure(own);
    commit(worktree.folder.agentPath, "a.txt", "two\n");
    expect(await save(own, worktree)).toMatchObject({ kind: "saved" });
    expect(refs()).toMatch(/^refs\/heads\/pawl\/lease\/[0-9a-f]{64} /m);
    const taker = open("two", 2, "branches");
    expect(readFileSync(join((await ensure(taker)).folder.agentPath, "a.txt"), "utf8")).toBe("two\n");
    commit(worktree.folder.agentPath, "a.txt", "late\n");
    await expect(save(own, worktree)).rejects.toMatchObject(LOST);
  });

  it("is refused if it takes no atomic pushes, unless nothing is to keep them apart", async () => {
    promise("machines.remote");
    git(remote, "config", "receive.advertiseAtomic", "false");
    const before = refs();
    await expect(ensure(open("one", 1))).rejects.toMatchObject({
      code: "fence-refused",
      message: expect.stringContaining("atomic"),
      fix: expect.stringContaining("fence: none"),
    });
    expect(refs()).toBe(before);
    const own = open("one", 1, "none");
    const worktree = await ensure(own);
    commit(worktree.folder.agentPath, "a.txt", "two\n");
    expect(await save(own, worktree)).toMatchObject({ kind: "saved" });
    expect(refs()).not.toContain("lease");
    expect(await ensure(open("two", 2, "none"))).toMatchObject({ from: "elsewhere" });
  });

  it("is refused if there is none, unless nothing is to keep them apart", async () => {
    promise("machines.remote");
    git(join(scratch, "one"), "remote", "remove", "origin");
    await expect(ensure(open("one", 1))).rejects.toMatchObject({
      code: "fence-refused",
      fix: expect.stringContaining("git: {fence: none}"),
    });
    const own = open("one", 1, "none");
    const worktree = await ensure(own);
    const made = commit(worktree.folder.agentPath, "a.txt", "two\n");
    expect(await save(own, worktree)).toEqual({ kind: "unchanged", commit: made });
    expect(await own.publishMerge(ORDER, await prepared(own))).toMatchObject({ kind: "published" });
  });

  it("serves if it refuses to have history rewritten or anything removed, whatever the agent rewrites", async () => {
    promise("machines.remote");
    for (const key of ["receive.denyNonFastForwards", "receive.denyDeletes"])
      git(remote, "config", key, "true");
    for (const kind of ["refs", "branches"] as const) {
      const own = open("one", 1, kind);
      const worktree = await ensure(own);
      for (const more of [[], ["--amend"]]) {
        writeFileSync(join(worktree.folder.agentPath, "a.txt"), `${kind} ${more}\n`);
        git(worktree.folder.agentPath, "commit", "-qam", "again", ...more);
        expect(await save(own, worktree)).toMatchObject({ kind: "saved" });
        expect(await save(own, worktree)).toMatchObject({ kind: "unchanged" });
      }
      await own.forget(worktree);
    }
  });

  it("is another one over HTTP, if all of this holds as well", async () => {
    promise("machines.fence");
    const server = await openGitHttp(scratch);
    closing.push(server.close);
    git(remote, "config", "http.receivepack", "true");
    for (const machine of ["one", "two"] as const)
      git(join(scratch, machine), "remote", "set-url", "origin", `${server.url}/remote.git`);
    const zombie = open("one", 1);
    const worktree = await ensure(zombie);
    writeFileSync(join(worktree.folder.agentPath, "new.txt"), "new\n");
    expect(await save(zombie, worktree)).toMatchObject({ kind: "saved" });
    const taker = open("two", 2);
    const there = await ensure(taker);
    expect(readFileSync(join(there.folder.agentPath, "new.txt"), "utf8")).toBe("new\n");
    const before = refs();
    commit(worktree.folder.agentPath, "a.txt", "late\n");
    await expect(save(zombie, worktree)).rejects.toMatchObject(LOST);
    await expect(zombie.push(".", TASK.branch)).rejects.toMatchObject(LOST);
    expect(refs()).toBe(before);
    await server.close();
    commit(there.folder.agentPath, "a.txt", "two\n");
    expect(await save(taker, there)).toMatchObject({ kind: "unreachable" });
  });
});

describe("a worker that takes a task over", () => {
  it("gets what was committed and what was not, and nothing that git ignores", async () => {
    promise("machines.taken-over");
    const first = open("one", 1);
    const worktree = await ensure(first);
    const made = commit(worktree.folder.agentPath, "c.txt", "committed\n");
    writeFileSync(join(worktree.folder.agentPath, "a.txt"), "edited\n");
    writeFileSync(join(worktree.folder.agentPath, "new.sh"), "new\n", { mode: 0o755 });
    writeFileSync(join(worktree.folder.agentPath, "ignored"), "secret\n");
    rmSync(join(worktree.folder.agentPath, "b.txt"));
    const status = git(worktree.folder.agentPath, "status", "--porcelain");
    await save(first, worktree);
    expect(git(worktree.folder.agentPath, "status", "--porcelain")).toBe(status);
    const { folder, from } = await ensure(open("two", 2));
    expect(from).toBe("elsewhere");
    expect(git(folder.agentPath, "rev-parse", "HEAD")).toBe(made);
    expect(git(folder.agentPath, "symbolic-ref", "--short", "HEAD")).toBe(TASK.branch);
    expect(git(folder.agentPath, "status", "--porcelain")).toBe(status);
    expect(readFileSync(join(folder.agentPath, "a.txt"), "utf8")).toBe("edited\n");
    expect(statSync(join(folder.agentPath, "new.sh")).mode & 0o111).not.toBe(0);
    expect(existsSync(join(folder.agentPath, "ignored"))).toBe(false);
  });

  it("gets it from a machine on which the repository alone says who commits", async () => {
    promise("machines.taken-over");
    const [machine, fence] = [join(scratch, "one"), { kind: "refs", project: "p" } as const];
    git(machine, "config", "user.name", "Ada");
    git(machine, "config", "user.email", "ada@example.org");
    const nobody = Object.entries(USER).filter(([name]) => !/^GIT_(?:AUTHOR|COMMITTER)_/.test(name));
    const environment = { ...Object.fromEntries(nobody), HOME: scratch, EMAIL: "" };
    const lease = { what: "T-1", epoch: 1, holder: "one" };
    const first = looking(openWorktrees(machine, environment, { fence })).under(lease);
    const worktree = await ensure(first);
    writeFileSync(join(worktree.folder.agentPath, "new.txt"), "new\n");
    expect(await save(first, worktree)).toMatchObject({ kind: "saved" });
    expect(git(remote, "log", "-1", "--format=%cn", "refs/pawl/wip/T-1")).toBe("Ada");
  });

  it("gets it back from another, and what it had done itself meanwhile is set aside", async () => {
    promise("machines.taken-over");
    const first = open("one", 1);
    const worktree = await ensure(first);
    commit(worktree.folder.agentPath, "a.txt", "first\n");
    await save(first, worktree);
    const second = open("two", 2);
    const there = await ensure(second);
    const made = commit(there.folder.agentPath, "b.txt", "second\n");
    await save(second, there);
    const unsaved = commit(worktree.folder.agentPath, "a.txt", "too late\n");
    writeFileSync(join(worktree.folder.agentPath, "draft.txt"), "draft\n");
    const back = await ensure(open("one", 3));
    expect(back).toMatchObject({ from: "elsewhere", aside: { agentPath: expect.any(String) } });
    expect(git(back.folder.agentPath, "rev-parse", "HEAD")).toBe(made);
    expect(git(back.folder.agentPath, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(back.aside?.agentPath ?? "", "draft.txt"), "utf8")).toBe("draft\n");
    const hub = join(workOf("one"), "@project/@hub.git");
    expect(git(hub, "for-each-ref", "--format=%(objectname)", "refs/pawl/aside")).toBe(unsaved);
  });

  it("keeps its own worktree if nobody else saved anything since, and moves it forward if that loses nothing", async () => {
    promise("machines.taken-over");
    const first = open("one", 1);
    const worktree = await ensure(first);
    await save(first, worktree);
    writeFileSync(join(worktree.folder.agentPath, "draft.txt"), "never saved\n");
    expect(await ensure(open("one", 2))).toMatchObject({ from: "kept" });
    expect(existsSync(join(worktree.folder.agentPath, "draft.txt"))).toBe(true);
    rmSync(join(worktree.folder.agentPath, "draft.txt"));
    const other = open("two", 3);
    const there = await ensure(other);
    const made = commit(there.folder.agentPath, "b.txt", "second\n");
    await save(other, there);
    const back = await ensure(open("one", 4));
    expect(back).toMatchObject({ from: "elsewhere" });
    expect(back.aside).toBeUndefined();
    expect(git(back.folder.agentPath, "rev-parse", "HEAD")).toBe(made);
  });

  it("begins from the branches as the remote has them now", async () => {
    promise("machines.taken-over");
    const theirs = commit(join(scratch, "one"), "b.txt", "pushed by others\n");
    git(join(scratch, "one"), "push", "-q", "origin", "main");
    const { folder, from } = await ensure(open("two", 1));
    expect(from).toBe("base");
    expect(git(folder.agentPath, "rev-parse", "HEAD")).toBe(theirs);
  });

  it("gets the commits of a folder that lost its .git, or is in the middle of a merge", async () => {
    promise("machines.taken-over");
    const first = open("one", 1);
    const worktree = await ensure(first);
    const made = commit(worktree.folder.agentPath, "a.txt", "mine\n");
    git(worktree.folder.agentPath, "checkout", "-q", "-b", "side", "HEAD^");
    commit(worktree.folder.agentPath, "a.txt", "side\n");
    git(worktree.folder.agentPath, "checkout", "-q", TASK.branch);
    expect(() => git(worktree.folder.agentPath, "merge", "side")).toThrow();
    expect(await save(first, worktree)).toEqual({ kind: "saved", commit: made });
    expect(git(remote, "rev-parse", "refs/pawl/wip/T-1^{tree}")).toBe(
      git(worktree.folder.agentPath, "rev-parse", "HEAD^{tree}"),
    );
    rmSync(join(worktree.folder.agentPath, ".git"), { recursive: true });
    expect(await save(first, worktree)).toEqual({ kind: "unchanged", commit: made });
    const there = await ensure(open("two", 2));
    expect(git(there.folder.agentPath, "rev-parse", "HEAD")).toBe(made);
    expect(git(there.folder.agentPath, "status", "--porcelain")).toBe("");
  });

  it("loses nothing if it is killed while it takes over", async () => {
    promise("machines.taken-over");
    const first = open("one", 1);
    const worktree = await ensure(first);
    const made = commit(worktree.folder.agentPath, "c.txt", "committed\n");
    writeFileSync(join(worktree.folder.agentPath, "a.txt"), "edited\n");
    await save(first, worktree);
    // Every command of git that writes is the last one, once.
    const bin = join(scratch, "bin");
    mkdirSync(bin);
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const cut = `case " $* " in *" checkout "*|*" read-tree "*|*" reset "*|*" update-ref "*|*" index-pack "*|*" fetch "*|*" push "*) n=$(cat ${scratch}/n 2>/dev/null || echo 0); echo $((n+1)) >${scratch}/n; [ $((n+1)) = $(cat ${scratch}/at) ] && exit 137;; esac`;
    writeFileSync(join(bin, "git"), `#!/bin/sh\n${cut}\nexec ${real} "$@"\n`, { mode: 0o755 });
    const environment = { ...USER, PATH: `${bin}:${process.env.PATH}` };
    for (let at = 1; ; at++) {
      writeFileSync(join(scratch, "at"), `${at}`);
      writeFileSync(join(scratch, "n"), "0");
      const machine = join(scratch, "two");
      const all = openWorktrees(machine, environment, { fence: { kind: "refs", project: "p" } });
      const killed = await all
        .under({ what: "T-1", epoch: 10 * at, holder: "two" })
        .ensure(TASK)
        .then(() => false)
        .catch(() => true);
      const there = await ensure(open("two", 10 * at + 1));
      expect(git(there.folder.agentPath, "rev-parse", "HEAD")).toBe(made);
      expect(git(there.folder.agentPath, "status", "--porcelain")).toBe("M a.txt");
      for (const path of [workOf("two"), machine]) rmSync(path, { recursive: true });
      git(scratch, "clone", "-q", remote, "two");
      if (!killed) break;
    }
  });
});

describe("a merge by several machines", () => {
  async function ready(machine: "one" | "two", epoch: number, path: string): Promise<SharedWorktrees> {
    const own = open(machine, epoch);
    const worktree = await ensure(own);
    commit(worktree.folder.agentPath, path, "work\n");
    return own;
  }

  it("goes to the remote first, together with both leases, whatever the order says; the checkout follows", async () => {
    promise("machines.merge");
    const own = await ready("one", 1, "w.txt");
    const order = { ...ORDER, remote: false, lease: target(7) };
    const merge = await prepared(own, order);
    const before = git(join(scratch, "one"), "rev-parse", "main");
    hook("pre-receive", "exit 1");
    expect(await own.publishMerge(order, merge)).toMatchObject({ kind: "rejected" });
    expect(git(join(scratch, "one"), "rev-parse", "main")).toBe(before);
    hook("pre-receive", `cat >${scratch}/received`);
    expect(await own.publishMerge(order, merge)).toEqual({ kind: "published", commit: merge.commit });
    const received = readFileSync(join(scratch, "received"), "utf8").trim().split("\n");
    expect(received.filter((line) => line.includes("refs/pawl/lease/"))).toHaveLength(2);
    expect(received.filter((line) => line.endsWith("refs/heads/main"))).toHaveLength(1);
    for (const folder of [join(scratch, "one"), remote])
      expect(git(folder, "rev-parse", "main")).toBe(merge.commit);
    expect(existsSync(join(scratch, "one", "w.txt"))).toBe(true);
  });

  it("is not made by one from whom the target was taken, and its own target stays if it is", async () => {
    promise("machines.fence");
    const own = await ready("one", 1, "w.txt");
    const order = { ...ORDER, lease: target(7) };
    const merge = await prepared(own, order);
    const there = openWorktrees(join(scratch, "two"), USER, { fence: { kind: "refs", project: "p" } });
    const other = looking(there).under({ what: "T-2", epoch: 1, holder: "two" });
    const theirs = await other.ensure({ ...TASK, branch: "bloom/T-2" });
    commit(theirs.folder.agentPath, "v.txt", "work\n");
    const second = { ...ORDER, branch: "bloom/T-2", lease: target(8) };
    expect(await other.publishMerge(second, await prepared(other, second))).toMatchObject({
      kind: "published",
    });
    const before = [refs(), git(join(scratch, "one"), "rev-parse", "main")];
    expect(await own.publishMerge(order, merge)).toEqual({ kind: "overtaken", by: "8" });
    expect([refs(), git(join(scratch, "one"), "rev-parse", "main")]).toEqual(before);
    const again = { ...ORDER, lease: target(9) };
    expect(await own.publishMerge(again, await prepared(own, again))).toMatchObject({ kind: "published" });
    expect(git(remote, "ls-tree", "--name-only", "main").split("\n")).toEqual(
      expect.arrayContaining(["v.txt", "w.txt"]),
    );
  });
});
