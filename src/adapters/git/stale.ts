/**
 * A lock file of a killed git stops every later one. In folders that only Pawl writes (a worktree that nobody works in
 * yet, the folder of merges), it is removed once no git can be holding it any more.
 */
import { rmSync, statSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";

/** No operation of Pawl's on such a folder takes longer: git is ended first. */
const LONGEST = 15 * 60_000;

export function clearStaleLocks(gitFolderPath: string, now: number = Date.now()): void {
  const booted = now - uptime() * 1000;
  for (const name of ["index.lock", "HEAD.lock"]) {
    const path = join(gitFolderPath, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== undefined && (mtimeMs < booted || mtimeMs < now - LONGEST)) rmSync(path, { force: true });
  }
}
