/**
 * What covers missing protected places while programs run behind walls. Where a cover goes, the kernel takes
 * away what is mounted on it behind every wall. So the covers go with the last process that has walls, and a
 * killed one's with the next. The guard's commands keep the same lists (`shell-wall.ts`).
 */
import { appendFileSync, lstatSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { birthOf } from "../checks/process.ts";
import { firstNames, readPlainText } from "../files/plain-file.ts";
import { makeFolders } from "../files/state-folder.ts";
import type { Mount } from "./arguments.ts";
import { makeCovered } from "./mask.ts";

/** The folder, in Pawl's own of all projects, with the lists of covers and of processes that have walls. */
export const WALLS = "walls";

const MAX_WALLS = 10_000;
const joined = new Set<string>();

/** Call it before the check that finds covers of other processes in place. */
export function joinWalls(walls: string): void {
  if (joined.has(walls)) return;
  makeFolders(join(walls, "live"));
  writeFileSync(join(walls, "live", String(process.pid)), "");
  if (joined.size === 0)
    process.once("exit", () => {
      for (const each of joined) attempt(() => leave(each), undefined);
    });
  joined.add(walls);
}

/** Makes the targets of the covers that are missing. */
export function makeCovers(walls: string, mounts: readonly Mount[]): void {
  for (const mount of mounts)
    if (mount.type === "cover" && makeCovered(mount)) appendFileSync(join(walls, "made"), `${mount.at}\n`);
}

function leave(walls: string): void {
  const live = join(walls, "live");
  rmSync(join(live, String(process.pid)), { force: true });
  for (const name of firstNames(live, MAX_WALLS)) {
    if (birthOf(Number(name)) !== null) return;
    rmSync(join(live, name), { force: true });
  }
  const made = join(walls, "made");
  const paths = attempt(() => readPlainText(made), "")
    .split("\n")
    .filter(Boolean);
  for (const path of paths.sort().reverse()) attempt(() => takeAway(path), undefined);
  rmSync(made, { force: true });
}

/** Leaves what was put into it. */
function takeAway(path: string): void {
  const stats = lstatSync(path);
  if (stats.isDirectory()) rmdirSync(path);
  else if (stats.isFile() && stats.size === 0) rmSync(path);
}
