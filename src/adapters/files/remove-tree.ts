/**
 * Removes folders that an agent may have filled: Node would take half a minute of this process's only thread, and
 * gigabytes, for a million names.
 */
import { existsSync, lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { execFile } from "../process/start-program.ts";

const PROGRAM = ["/bin/rm", "/usr/bin/rm"];
/** A process may still be writing there. */
const TRIES = 3;

/** Removes files and folders; what is in one, in a process of its own. A missing one is no error. */
export async function removeTree(...paths: readonly string[]): Promise<void> {
  const full = paths.filter((path) => !isRemovedAtOnce(path));
  if (full.length === 0) return;
  const program = PROGRAM.find((each) => existsSync(each));
  for (let left = TRIES; program !== undefined && left > 0; left--)
    if (await hasRemoved(program, full)) return;
  // Throws the reason.
  for (const path of full) await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Needs no look at names: it is missing, no folder, or an empty one. */
function isRemovedAtOnce(path: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) rmdirSync(path);
    else if (found) unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

function hasRemoved(program: string, paths: readonly string[]): Promise<boolean> {
  return new Promise((done) =>
    execFile(program, ["-rf", "--", ...paths], { env: {} }, (error) => done(error === null)),
  );
}
