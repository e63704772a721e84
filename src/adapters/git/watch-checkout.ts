/**
 * Finds what changes in the repository's own checkout and branches while an agent works in its worktree. The
 * author of a change is unknown, but known changes by others are left out: a commit of earlier edits, and
 * files that another program keeps writing; for branches, merges that Pawl published.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { isBookkeeping } from "../../core/gate-record.ts";
import type { Meanwhile, MovedBranch, Repo } from "../../core/ports/worktrees.ts";
import { isTemporary } from "../files/control.ts";
import { type GitCall, git } from "./git.ts";
import { isPublished } from "./merge.ts";
import { statusOf } from "./status.ts";
import type { Workplace } from "./workspace/workplace.ts";
import { type WorktreePaths, worktreePathsOf } from "./workspace/worktree-paths.ts";

/** Milliseconds: a file system's clock advances in ticks, and lags behind the system's own. */
const TICK = 50;

interface Mark {
  /** Derived from content and times, so any write changes it. */
  readonly mark: string;
  /** When its content, name or rights last changed; programs cannot set this time. Null: the file is gone. */
  readonly changed: number | null;
}

export async function watchCheckout(workplace: Workplace, repo: Repo): Promise<() => Promise<Meanwhile>> {
  const paths = worktreePathsOf(workplace, repo);
  const { checkout } = paths;
  const call = workplace.call(checkout);
  const began = Date.now();
  const changedFiles = async () => {
    const { uncommitted } = await statusOf(call);
    return uncommitted.filter((path) => !isBookkeeping(path) && !isTemporary(path));
  };
  const before = new Map((await changedFiles()).map((path) => [path, markOf(join(checkout, path))]));
  const branches = await branchesOf(call);
  return async () => {
    const moved = movedBranches(branches, await branchesOf(call), paths);
    const changed = [...new Set([...before.keys(), ...(await changedFiles())])].flatMap((path) => {
      const now = markOf(join(checkout, path));
      const then = before.get(path);
      const isChanged = then ? then.mark !== now.mark : now.changed === null || now.changed >= began - TICK;
      const at = now.changed === null ? null : new Date(now.changed).toISOString();
      return isChanged ? [{ path, at }] : [];
    });
    const written = changed.length === 0 ? new Set() : openForWriting();
    return { files: changed.filter(({ path }) => !written.has(join(checkout, path))), branches: moved };
  };
}

/** Branch → commit. */
async function branchesOf(call: GitCall): Promise<ReadonlyMap<string, string>> {
  const args = ["for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads"];
  const { output } = await git(call, args);
  const lines = output.split("\n").filter(Boolean);
  return new Map(lines.map((line) => line.split(" ") as [string, string]));
}

/** New branches and removed ones do not count. */
function movedBranches(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  paths: WorktreePaths,
): readonly MovedBranch[] {
  return [...before].flatMap(([branch, from]) => {
    const to = now.get(branch) ?? null;
    return to === from || to === null || isPublished(paths, to) ? [] : [{ branch, from, to }];
  });
}

function markOf(path: string): Mark {
  try {
    const { size, mtimeMs, ctimeMs, mode } = lstatSync(path);
    return { mark: `${mode}:${size}:${mtimeMs}:${ctimeMs}`, changed: ctimeMs };
  } catch {
    return { mark: "gone", changed: null };
  }
}

/**
 * Files that a program has open for writing, as far as /proc shows. It is not the agent, whose run has ended.
 */
function openForWriting(): ReadonlySet<string> {
  const paths = new Set<string>();
  const pids = existsSync("/proc/self/fd") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of pids)
    for (const fd of namesIn(`/proc/${pid}/fd`)) {
      const path = linkOf(`/proc/${pid}/fd/${fd}`);
      if (path.startsWith("/") && isWritten(`/proc/${pid}/fdinfo/${fd}`)) paths.add(path);
    }
  return paths;
}

function isWritten(fdinfo: string): boolean {
  return attempt(() => {
    const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec(readFileSync(fdinfo, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & 3) !== 0;
  }, false);
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder), []);
}

function linkOf(path: string): string {
  return attempt(() => readlinkSync(path), "");
}
