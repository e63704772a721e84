/**
 * Where Node keeps the compiled code of Pawl's modules, which saves a start a sixth of its time. Node does
 * not compare it with the source, so write access to the folder decides what runs: the folder is the user's
 * alone.
 */
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { baseFolder } from "../adapters/process/base-folder.ts";
import type { Environment } from "./config.ts";

/** Builds that a user may start by turns, such as one of a project and one of the machine. */
const MAX_BUILDS = 4;

/**
 * `home`: the program's own folder. Does nothing if the folder cannot be made, or is not the user's alone.
 */
export function keepCompiledCode(environment: Environment, home: string): void {
  // What an agent's call writes behind the wall does not stay.
  if (environment.PAWL_OUTBOX) return;
  const folder = join(baseFolder(environment, "XDG_STATE_HOME"), "compiled");
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined)
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A user who may write to the parent could replace the folder.
    if (isOwn(folder, 0o077) && isOwn(dirname(folder), 0o022)) enableCompileCache(folderOf(home, folder));
  } catch {}
}

/** A build's own folder. The first start of a build removes those of the oldest. */
function folderOf(home: string, folder: string): string {
  const { ino, mtimeMs } = statSync(home);
  const folderOfFile = join(folder, `${ino}-${Math.trunc(mtimeMs)}`);
  if (lstatSync(folderOfFile, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(folderOfFile, { mode: 0o700 });
    const begun = (path: string) => lstatSync(path).mtimeMs;
    const others = readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => path !== folderOfFile)
      .sort((one, other) => begun(other) - begun(one));
    for (const path of others.slice(MAX_BUILDS - 1)) rmSync(path, { recursive: true, force: true });
  }
  return folderOfFile;
}

/** Whether it is this user's folder, not a link, and without the permissions in `without`. */
function isOwn(folder: string, without: number): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & without) === 0;
}
