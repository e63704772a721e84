/** Whether a workspace still is a repository of its own, by its files alone; sets one aside that is not. */
import { existsSync, lstatSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import { firstNames } from "../../files/plain-file.ts";

export function isWhole(top: string): boolean {
  return attempt(() => {
    const isFolder = (name: string) => lstatSync(join(top, name)).isDirectory();
    return (
      isFolder(".git") &&
      isFolder(".git/objects") &&
      isFolder(".git/refs") &&
      lstatSync(join(top, ".git/HEAD")).isFile()
    );
  }, false);
}

/** Moves the folder's content aside, unless it is empty, and returns its new place. Deletes nothing. */
export function setAside(folder: string, name: (n: number) => string): string | null {
  if (firstNames(folder, 1).length === 0) return null;
  for (let n = 1; ; n++) {
    const aside = name(n);
    mkdirSync(dirname(aside), { recursive: true });
    if (existsSync(aside)) continue;
    renameSync(folder, aside);
    return aside;
  }
}
