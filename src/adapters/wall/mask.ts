/**
 * How a wall mounts a protected place. Checks every component before bubblewrap is called: bubblewrap 0.8
 * follows a planted link while it makes missing folders, and so makes them outside.
 */
import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProtectedPlace } from "../../guard/protected-places.ts";
import { firstEntries } from "../files/plain-file.ts";
import { realPathOf } from "../files/real-path.ts";
import { isInside, type Mount } from "./arguments.ts";

/**
 * The mount that protects the place below a folder without links. An existing place becomes read-only, behind
 * a link where it points; of a missing one, the first missing component is covered, so that nothing can be
 * made there. Null: a link leads out of the folder.
 */
export function maskOf(folder: string, { isFolder, path }: ProtectedPlace): Mount | null {
  const names = path.split("/");
  let at = folder;
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    at = join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return { type: "cover", at, isFolder: isFolder || !isLast };
    if (found.isSymbolicLink()) {
      const real = realPathOf(at);
      if (isInside(folder, real)) return null;
      return existsSync(real) ? { type: "read", at: real } : null;
    }
    // Nothing can be made below a file.
    if (!found.isDirectory()) break;
  }
  return { type: "read", at };
}

/** Makes the target of a cover if nothing is there, and returns whether it did. Never follows a link. */
export function makeCovered({ at, isFolder }: Extract<Mount, { type: "cover" }>): boolean {
  if (realPathOf(dirname(at)) !== dirname(at)) return false;
  try {
    if (isFolder) mkdirSync(at);
    else writeFileSync(at, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

const MOST_FOLDERS = 20_000;
const MOST_NAMES = 100_000;

/**
 * Each `.git` below the folder, relative to it; no link is followed. `most`: the maximum number of folders
 * searched.
 */
export function gitsIn(folder: string, skipped: readonly string[], most = MOST_FOLDERS): readonly string[] {
  const found: string[] = [];
  const open = [""];
  for (let looked = 0; open.length > 0 && looked < most; looked++) {
    const at = open.shift() ?? "";
    let entries: readonly { readonly name: string; isDirectory(): boolean }[] = [];
    try {
      entries = firstEntries(join(folder, at), MOST_NAMES);
    } catch {}
    for (const entry of entries) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.name === ".git") found.push(path);
      else if (entry.isDirectory() && !skipped.includes(entry.name)) open.push(path);
    }
  }
  return found;
}
