/**
 * The folders outside a worktree that git writes for a commit in it. An agent's own sandbox must allow them. Hooks and
 * configuration are left out: others would run what is written there, outside the sandbox.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { commonFolderOf, gitFolderIn } from "../git/discover.ts";

export function gitFoldersOf(folder: string): readonly string[] {
  const own = gitFolderIn(folder);
  if (own === null) return [];
  const common = commonFolderOf(own);
  const shared = ["objects", "refs", "logs"]
    .map((name) => join(common, name))
    .filter((path) => existsSync(path));
  return own === common ? [] : [own, ...shared];
}
