/**
 * A task's commit that is too large for the disk, which this process mounts for itself: started by `hand-in.test.ts` in a
 * mount namespace of its own, with the folder to mount on. Prints what it saw as JSON.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorktrees } from "../../src/adapters/git/workspace/worktrees.ts";
import { commit, git, USER } from "./git-user.ts";

const MEGABYTE = 2 ** 20;
const [place = ""] = process.argv.slice(2);
const mount = (options: string) => execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place]);
mount("size=160m");

const [root, home] = [join(place, "project"), join(place, "state")];
mkdirSync(home, { mode: 0o700 });
git(place, "init", "-qb", "main", root);
commit(root, "a.txt", "one\n", "Begin");
const worktrees = openWorktrees(root, { ...USER, XDG_STATE_HOME: home });
const work = await worktrees.ensure({ repo: ".", branch: "bloom/T1" });
const folder = work.folder.agentPath;
writeFileSync(join(folder, "large"), randomBytes(40 * MEGABYTE));
git(folder, "add", "-A");
git(folder, "commit", "-qm", "Large");
const free = () => {
  const { bavail, bsize } = statfsSync(place);
  return Math.round((bavail * bsize) / MEGABYTE);
};
const before = free();
const refused = await worktrees.state(work, "main").catch((error: Error) => error.message);
const after = free();
mount("remount,size=400m");
const { unmerged } = await worktrees.state(work, "main");
process.stdout.write(JSON.stringify({ refused, before, after, unmerged }));
