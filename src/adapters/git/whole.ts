/**
 * Whether a folder is still the worktree that git knows, by its files alone. Without its `.git`, git would use the
 * surrounding repository, and work on the person's own checkout.
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
import { dirname, join } from "node:path";
import { errnoOf } from "../files/disk.ts";
import { commonFolderOf, gitFolderIn } from "./discover.ts";

/** The folder's `.git` file and git's note of the folder name each other, inside the repository of `checkout`. */
export function isWhole(folder: string, checkout: string): boolean {
  try {
    const link = join(folder, ".git");
    if (!lstatSync(link).isFile()) return false;
    const [linked, main] = [gitFolderIn(folder), gitFolderIn(checkout)];
    if (linked === null || main === null) return false;
    const own = realpathSync(linked);
    const back = readFileSync(join(own, "gitdir"), "utf8").trim();
    const worktrees = join(realpathSync(commonFolderOf(main)), "worktrees");
    return dirname(own) === worktrees && realpathSync(back) === realpathSync(link);
  } catch (thrown) {
    // A worktree that cannot be checked (too many open files, say) is not broken.
    if (["EMFILE", "ENFILE", "EIO", "ENOMEM"].includes(errnoOf(thrown) ?? "")) throw thrown;
    return false;
  }
}

/** Moves the folder's content aside, unless it is empty, and returns its new place. Deletes nothing. */
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

/** Tells git not to search for a repository above a worktree's folder, for every program started in the folder. */
export function ceilingOf(folder: string): { readonly GIT_CEILING_DIRECTORIES?: string } {
  const [, above] = WORKTREE.exec(folder) ?? [];
  return above === undefined ? {} : { GIT_CEILING_DIRECTORIES: above };
}
