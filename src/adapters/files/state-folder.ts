/** The folder outside a project that holds Pawl's data about it. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./disk.ts";
import { nodeDisk } from "./node-disk.ts";
import type { StateFolder } from "./project-key.ts";

export function openStateFolder(folder: string): StateFolder {
  return { folder, disk: nodeDisk(folder), make: () => makeFolderDurably(folder) };
}

/** Returns the first folder that it made. Throws why: on a read-only file system, Node says only that one is missing. */
export function makeFolders(folder: string): string | undefined {
  try {
    return mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    let top = folder;
    while (!existsSync(dirname(top)) && dirname(top) !== top) top = dirname(top);
    if (errnoOf(thrown) === "ENOENT" && !existsSync(top)) mkdirSync(top, { mode: 0o700 });
    throw thrown;
  }
}

/** Makes the folder if it is missing, for this user only. It survives a power cut. */
function makeFolderDurably(folder: string): void {
  const first = makeFolders(folder);
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    nodeDisk(dirname(made)).fsyncFolder("");
    if (made === first || made === dirname(made)) return;
  }
}
