/** Where a folder's repository is, found as git finds it but without starting git or reading any configuration. */
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface Discovered {
  /** The folder that holds `.git`; null for a bare repository. */
  readonly top: string | null;
  /** The checkout's own git folder. */
  readonly own: string;
  /** The git folder that all worktrees of the repository share. */
  readonly common: string;
}

export function discover(folder: string): Discovered | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const own = gitFolderIn(at);
    if (own !== null) return { top: at, own, common: commonFolderOf(own) };
    if (isFile(join(at, "HEAD")) && isFolder(join(at, "objects")) && isFolder(join(at, "refs")))
      return { top: null, own: at, common: commonFolderOf(at) };
    if (dirname(at) === at) return null;
  }
}

/** The git folder of the checkout whose `.git` is in this very folder. */
export function gitFolderIn(folder: string): string | null {
  const path = join(folder, ".git");
  try {
    if (statSync(path).isDirectory()) return path;
    const [, target] = /^gitdir: (.*?)\n?$/s.exec(readFileSync(path, "utf8")) ?? [];
    return target ? resolve(folder, target) : null;
  } catch {
    return null;
  }
}

export function commonFolderOf(own: string): string {
  try {
    return resolve(own, readFileSync(join(own, "commondir"), "utf8").trim());
  } catch {
    return own;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
