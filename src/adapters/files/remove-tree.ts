/**
 * Removes folders that an agent may have filled: Node would take half a minute of this process's only thread, and
 * gigabytes, for a million names.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { execFile } from "../process/start-program.ts";

const PROGRAM = ["/bin/rm", "/usr/bin/rm"];
/** A process may still be writing there. */
const TRIES = 3;

/** Removes a file or folder in a process of its own. A missing one is no error. */
export async function removeTree(path: string): Promise<void> {
  const program = PROGRAM.find((each) => existsSync(each));
  for (let left = TRIES; program !== undefined && left > 0; left--)
    if (await hasRemoved(program, path)) return;
  // Throws the reason.
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

function hasRemoved(program: string, path: string): Promise<boolean> {
  return new Promise((done) =>
    execFile(program, ["-rf", "--", path], { env: {} }, (error) => done(error === null)),
  );
}
