/**
 * The folders outside a worktree that git writes for a commit in it: what an agent's own sandbox must let through. Hooks
 * and configuration are not among them, since what is written there would be run by others, outside the sandbox.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

export function gitFoldersOf(folder: string): readonly string[] {
  const own = gitFolder(folder);
  if (own === null) return [];
  const common = commonFolder(own);
  const shared = ["objects", "refs", "logs"]
    .map((name) => join(common, name))
    .filter((path) => existsSync(path));
  return own === common ? [] : [own, ...shared];
}

function gitFolder(folder: string): string | null {
  const path = join(folder, ".git");
  try {
    if (statSync(path).isDirectory()) return path;
    const [, target] = /^gitdir: (.*?)\n?$/s.exec(readFileSync(path, "utf8")) ?? [];
    return target ? resolve(folder, target) : null;
  } catch {
    return null;
  }
}

function commonFolder(own: string): string {
  try {
    return resolve(own, readFileSync(join(own, "commondir"), "utf8").trim());
  } catch {
    return own;
  }
}
