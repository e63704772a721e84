import { type Disk, errnoOf, fsyncFile } from "../disk.ts";
import { checkFolders, foldersOf, readAt, statFile } from "../read-at.ts";
import { temporaryOf, writeTemporary } from "./temporary.ts";

/** Syncs the files that exist, and every folder on the way to them up to the project's root. */
export function fsyncAll(disk: Disk, paths: ReadonlySet<string>): void {
  const folders = new Set<string>([""]);
  for (const path of paths) {
    for (const folder of foldersOf(path)) folders.add(folder);
    if (statFile(disk, path) !== null) fsyncOrRewrite(disk, path);
  }
  // Deepest first: a folder's entry is useless before its content is synced.
  const inOrder = [...folders].sort((a, b) => b.length - a.length);
  for (const folder of inOrder) fsyncFolderIfThere(disk, folder);
}

/**
 * Rewrites a file whose sync failed. The system may then treat its data as written, so the next sync would
 * succeed, and only newly written data can be trusted.
 */
function fsyncOrRewrite(disk: Disk, path: string): void {
  try {
    fsyncFile(disk, path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return;
    const file = readAt(disk, path);
    if (file === null) return;
    writeTemporary(disk, path, file.bytes, file.mode);
    fsyncFile(disk, temporaryOf(path));
    // The file has been saved since: the next sync covers it.
    if (readAt(disk, path)?.hash !== file.hash) throw error;
    checkFolders(disk, path);
    disk.rename(temporaryOf(path), path);
  }
}

function fsyncFolderIfThere(disk: Disk, folder: string): void {
  try {
    disk.fsyncFolder(folder);
  } catch (error) {
    // A person removed the folder.
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
