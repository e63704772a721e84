/** Finds a folder's repository as git does, without starting git or reading any configuration. */
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { readLinkedText } from "../files/plain-file.ts";

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
    const gitDir = gitFolderIn(at);
    if (gitDir !== null) return { top: at, own: gitDir, common: commonFolderOf(gitDir) };
    if (isGitFolder(at)) return { top: null, own: at, common: commonFolderOf(at) };
    if (dirname(at) === at) return null;
  }
}

/** The git folder of the checkout whose `.git` is directly in this folder. */
export function gitFolderIn(folder: string): string | null {
  const path = join(folder, ".git");
  return unlessGone(() => {
    if (statSync(path).isDirectory()) return isGitFolder(path) ? path : null;
    const [, target] = /^gitdir: (.*?)\n?$/s.exec(readLinkedText(path)) ?? [];
    return target ? resolve(folder, target) : null;
  }, null);
}

/**
 * Returns `otherwise` only if the file is absent. A file that is unreadable for the moment (too many open
 * files, say) is not absent: the error is thrown.
 */
function unlessGone<T, F>(read: () => T, otherwise: F): T | F {
  try {
    return read();
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    if (["EMFILE", "ENFILE", "EIO", "ENOMEM"].includes(code)) throw thrown;
    return otherwise;
  }
}

/**
 * Whether git would accept the folder as a repository's. Git skips any other `.git`, such as an empty one,
 * and searches further up.
 */
function isGitFolder(path: string): boolean {
  const common = commonFolderOf(path);
  return hasHead(path) && isFolder(join(common, "objects")) && isFolder(join(common, "refs"));
}

function hasHead(folder: string): boolean {
  const path = join(folder, "HEAD");
  return attempt(() => {
    if (lstatSync(path).isSymbolicLink()) return readlinkSync(path).startsWith("refs/");
    return /^(ref:\s*refs\/|[0-9a-f]{40})/.test(readLinkedText(path));
  }, false);
}

/** The shared git folder of a checkout's own one; itself for a repository's first checkout. */
function commonFolderOf(gitDir: string): string {
  const path = join(gitDir, "commondir");
  return unlessGone(() => {
    // Most checkouts have none, and a failed read costs more than everything else here.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return gitDir;
    return resolve(gitDir, readLinkedText(path).trim());
  }, gitDir);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The path without links, unchanged if nothing is there. */
export function realOr(path: string): string {
  return attempt(() => realpathSync(path), path);
}

/**
 * A project's path in its repository: empty, or with a slash at its end. A bare repository is its own project.
 */
export function prefixOf(folder: string): string {
  const top = discover(folder)?.top;
  if (top == null) return "";
  const path = relative(realpathSync(top), realpathSync(folder)).split(sep).join("/");
  return path === "" ? "" : `${path}/`;
}

/** A path from the top of the repository as a path from the project's root. */
export function fromRoot(prefix: string, path: string): string {
  return prefix === "" ? path : posix.relative(prefix, path);
}
