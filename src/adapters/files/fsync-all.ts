import { type Disk, errnoOf, fsyncFile } from "./disk.ts";
import { foldersOf, statFile } from "./look.ts";

/** Syncs the files that exist, and every folder on the way to them up to the project's root. */
export function fsyncAll(disk: Disk, paths: ReadonlySet<string>): void {
  const folders = new Set<string>([""]);
  for (const path of paths) {
    for (const folder of foldersOf(path)) folders.add(folder);
    if (statFile(disk, path) !== null) fsyncFile(disk, path);
  }
  // Deepest first: a folder's entry is of no use before what it leads to.
  const inOrder = [...folders].sort((a, b) => b.length - a.length);
  for (const folder of inOrder) fsyncFolderIfThere(disk, folder);
}

function fsyncFolderIfThere(disk: Disk, folder: string): void {
  try {
    disk.fsyncFolder(folder);
  } catch (error) {
    // Removed by a person, and with it the files in it.
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
