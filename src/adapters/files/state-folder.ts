/** The folder outside a project that holds Pawl's data about it. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { nodeDisk } from "./node-disk.ts";
import type { StateFolder } from "./project-key.ts";

export function openStateFolder(folder: string): StateFolder {
  return { folder, disk: nodeDisk(folder), make: () => makeFolderDurably(folder) };
}

/** Makes the folder if it is missing, for this user only. It survives a power cut. */
function makeFolderDurably(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    nodeDisk(dirname(made)).fsyncFolder("");
    if (made === first || made === dirname(made)) return;
  }
}
