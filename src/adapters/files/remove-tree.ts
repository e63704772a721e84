/**
 * Removes folders that an agent may have filled: Node would take half a minute of this process's only thread, and
 * gigabytes, for a million names.
 */
import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { findProgram, SYSTEM } from "../process/programs.ts";
import { execFile } from "../process/start-program.ts";

/** A process may still be writing there. */
const TRIES = 3;
const CLOSED = ["-type", "d", "!", "-perm", "-700"];

/** Removes files and folders; what is in one, in a process of its own. A missing one is no error. */
export async function removeTree(...paths: readonly string[]): Promise<void> {
  const full = paths.filter((path) => !isRemovedAtOnce(path));
  if (full.length === 0) return;
  for (let left = TRIES; left > 0; left--) {
    if (await run("rm", ["-rf", "--", ...full])) return;
    // Folders that even their owner may not read or write. No files: they may have other names elsewhere.
    await run("find", [...full, ...CLOSED, "-execdir", "chmod", "u+rwx", "{}", ";"]);
  }
  // Throws the reason.
  for (const path of full) await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes a file or an empty folder. False: the folder has content. */
function isRemovedAtOnce(path: string): boolean {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) rmdirSync(path);
    else if (stats) unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

function run(name: string, args: readonly string[]): Promise<boolean> {
  const { path } = findProgram(name, { PATH: SYSTEM });
  if (path === null) return Promise.resolve(false);
  return new Promise((done) =>
    execFile(path, args, { env: { PATH: SYSTEM } }, (error) => done(error === null)),
  );
}
