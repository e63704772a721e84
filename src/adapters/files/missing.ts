import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { ProjectPath } from "../../core/path.ts";
import { errnoOf, isAbsence } from "./disk.ts";
import { toDiskError } from "./disk-error.ts";

/** The paths at which the project has nothing. */
export async function missing(root: string, paths: readonly ProjectPath[]): Promise<readonly ProjectPath[]> {
  const exists = await Promise.all(paths.map((path) => isThere(join(root, path))));
  return paths.filter((_, index) => !exists[index]);
}

/** A name that no file can have, or a loop of links. */
const LEADS_NOWHERE: ReadonlySet<string> = new Set(["ENAMETOOLONG", "ELOOP"]);

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (thrown) {
    if (isAbsence(thrown) || LEADS_NOWHERE.has(errnoOf(thrown) ?? "")) return false;
    throw toDiskError(thrown, "Looking for a file");
  }
}
