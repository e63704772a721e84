/**
 * The git life of one task, from its worktree to the cleaned-up merge, as a program that can be killed anywhere:
 * `node task-life.ts ROOT`. Every step is done again by a second call; the result is the same.
 */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorktrees } from "../../src/adapters/git/workspace/worktrees.ts";
import type { Worktree } from "../../src/core/ports/worktrees.ts";
import { until } from "./until.ts";

const [root = ""] = process.argv.slice(2);
const worktrees = openWorktrees(root, process.env);
const order = { repo: ".", branch: "task", into: "main", message: "Merge the task" } as const;

/** A killed owner's git may still be at work for a moment: that is worth a retry. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  const { done } = await until(async () => {
    try {
      return { done: await work() };
    } catch (thrown) {
      if ((thrown as { code?: string }).code !== "git-failed") throw thrown;
      return null;
    }
  });
  return done;
}

async function work({ folder }: Worktree): Promise<void> {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder.agentPath, stdio: "pipe", encoding: "utf8" });
  if (git("log", "--format=%s").includes("the work")) return;
  writeFileSync(join(folder.agentPath, "work.txt"), "work\n");
  await withRetries(async () => {
    try {
      git("add", "work.txt");
      git("commit", "-qm", "the work");
    } catch (cause) {
      throw Object.assign(new Error("git"), { code: "git-failed", cause });
    }
  });
}

async function life(): Promise<void> {
  const done = existsSync(join(root, "work.txt"));
  if (!done) {
    const worktree = await withRetries(() => worktrees.ensure({ repo: ".", branch: "task" }));
    await work(worktree);
    await withRetries(() => worktrees.state(worktree));
    await withRetries(() => worktrees.push(".", "task"));
    const merge = await withRetries(() => worktrees.prepareMerge(order));
    if (merge.kind === "prepared") await withRetries(() => worktrees.publishMerge(order, merge));
  }
  await withRetries(() => worktrees.remove({ repo: ".", branch: "task" }, { into: "main", branch: true }));
}

await life();
process.stdout.write("done\n");
