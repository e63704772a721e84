/**
 * Lists and removes folders that an agent may have filled. A million names cost it a second; to read them all
 * at once would take this process hundreds of megabytes, and to remove them half a minute of its only thread.
 */
import { type Dirent, existsSync, opendirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { execFile } from "../process/start-program.ts";

/** The first entries of a folder, in no order. Throws as `opendirSync` does. */
export function firstEntries(folder: string, most: number): readonly Dirent[] {
  const open = opendirSync(folder, { bufferSize: Math.min(most + 1, 1024) });
  try {
    const found: Dirent[] = [];
    for (let entry = open.readSync(); entry !== null && found.length < most; entry = open.readSync())
      found.push(entry);
    return found;
  } finally {
    open.closeSync();
  }
}

export function firstNames(folder: string, most: number): readonly string[] {
  return firstEntries(folder, most).map(({ name }) => name);
}

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
