/**
 * Whether a folder still is the worktree that git knows, by its files alone. Without its `.git` git would take the
 * repository around the project's folder for it, and work on the person's own checkout.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errnoOf } from "../files/disk.ts";

/** The folder's `.git` file and git's note of the folder name each other, inside the repository of `checkout`. */
export function isWhole(folder: string, checkout: string): boolean {
  try {
    const link = join(folder, ".git");
    if (!lstatSync(link).isFile()) return false;
    const own = realpathSync(gitFolderIn(link, folder));
    const back = readFileSync(join(own, "gitdir"), "utf8").trim();
    return (
      dirname(own) === join(commonFolder(checkout), "worktrees") && realpathSync(back) === realpathSync(link)
    );
  } catch (thrown) {
    // A worktree that cannot be looked at (too many open files, say) is not a broken one.
    if (["EMFILE", "ENFILE", "EIO", "ENOMEM"].includes(errnoOf(thrown) ?? "")) throw thrown;
    return false;
  }
}

/** The repository's own folder, also where the checkout is itself a worktree or a submodule. */
export function commonFolder(checkout: string): string {
  const link = join(checkout, ".git");
  if (lstatSync(link).isDirectory()) return realpathSync(link);
  const own = realpathSync(gitFolderIn(link, checkout));
  const common = join(own, "commondir");
  return realpathSync(existsSync(common) ? resolve(own, readFileSync(common, "utf8").trim()) : own);
}

function gitFolderIn(link: string, folder: string): string {
  const [, path = ""] = /^gitdir: (.+)$/.exec(readFileSync(link, "utf8").trim()) ?? [];
  if (path === "") throw new Error(`${link} names no folder`);
  return resolve(folder, path);
}

/** Moves what is in the folder aside, unless it is empty; where it is then. Nothing is deleted. */
export function setAside(folder: string, name: (n: number) => string): string | null {
  if (readdirSync(folder).length === 0) return null;
  for (let n = 1; ; n++) {
    const aside = name(n);
    mkdirSync(dirname(aside), { recursive: true });
    if (existsSync(aside)) continue;
    renameSync(folder, aside);
    return aside;
  }
}

const WORKTREE = /^(.*[\\/]\.pawl[\\/]worktrees[\\/][^\\/]+)[\\/][^\\/]+/;

/** Git's word not to look for a repository above a worktree's folder, for whatever is started in the folder. */
export function ceilingOf(folder: string): { readonly GIT_CEILING_DIRECTORIES?: string } {
  const [, above] = WORKTREE.exec(folder) ?? [];
  return above === undefined ? {} : { GIT_CEILING_DIRECTORIES: above };
}
