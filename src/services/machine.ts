/** The machine's part of `pawl doctor`, beside the project's own parts. Changes nothing. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readLinkedText } from "../adapters/files/plain-file.ts";
import { gitVersion } from "../adapters/git/version.ts";
import { leftOutOf } from "../adapters/process/programs.ts";
import { boardOf, hasBoardFile } from "../config/board-file.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import type { MachineReport } from "../surfaces/cli/line/command.ts";

export async function inspectMachine(root: string | null, environment: Environment): Promise<MachineReport> {
  const git = await gitVersion(environment);
  const found = { node: process.versions.node, git, leftOut: leftOutOf(environment) };
  if (root === null) return { ...found, installed: null, state: null, board: "none" };
  const folder = stateFolder(root, environment);
  const board = boardOf(folder) ? "open" : hasBoardFile(folder) ? "stale" : "none";
  return { ...found, installed: installedIn(root), state: { folder, refused: refusedIn(folder) }, board };
}

/** The version of the Pawl package that is installed in the project. */
function installedIn(root: string): string | null {
  const path = join(root, "node_modules", "pawl", "package.json");
  const found: unknown = attempt(() => JSON.parse(readLinkedText(path)).version, null);
  return typeof found === "string" ? found : null;
}

/**
 * Why the folder cannot be written; null: it can. A missing folder will be made in its nearest existing
 * parent.
 */
function refusedIn(folder: string): string | null {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    accessSync(at, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (thrown) {
    return `${at} refuses it (${(thrown as NodeJS.ErrnoException).code})`;
  }
}
