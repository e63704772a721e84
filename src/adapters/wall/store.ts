/** A folder's data for the wall that is kept between runs: its agents' home. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hashOf } from "../../core/hash.ts";
import { openOwnFolder } from "../files/own-folder.ts";
import { removeTree } from "../files/remove-tree.ts";
import { writeWhole } from "../files/write-whole.ts";

const WALLS = ".pawl/walls";

/** The folder. Creates it if it is missing, and removes those of worktrees that are gone. */
export function openStore(projectRoot: string, folder: string): string {
  const walls = openOwnFolder(projectRoot, WALLS, 0o700);
  const store = join(walls, hashOf(folder).slice(0, 32));
  if (!existsSync(join(store, "of.json"))) {
    sweep(walls);
    mkdirSync(store, { recursive: true, mode: 0o700 });
    writeWhole(join(store, "of.json"), JSON.stringify({ folder }));
  }
  return store;
}

function sweep(walls: string): void {
  // What a removal leaves, the next one finds.
  for (const folder of readdirSync(walls).map((name) => join(walls, name)))
    if (!isUsed(folder)) void removeTree(folder).catch(() => {});
}

function isUsed(folder: string): boolean {
  try {
    const { folder: of } = JSON.parse(readFileSync(join(folder, "of.json"), "utf8")) as { folder: string };
    return existsSync(of);
  } catch {
    return false;
  }
}

/** A path below a folder that an agent has written. Replaces everything on the way by plain folders. */
export function clearWay(base: string, ...names: readonly string[]): string {
  let folder = base;
  for (const name of names) {
    mkdirSync(folder, { recursive: true });
    folder = join(folder, name);
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats && !stats.isDirectory() && name !== names.at(-1)) rmSync(folder, { force: true });
  }
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(folder, { force: true });
  return folder;
}
