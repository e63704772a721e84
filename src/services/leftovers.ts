/** Finds and removes Pawl's own folders, here and outside the project, for `pawl uninstall`. */
import { existsSync, lstatSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownPath } from "../adapters/files/own-folder.ts";
import { workFolder } from "../adapters/process/work-folder.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import type { Leftovers } from "../surfaces/cli/line/command.ts";

export function openLeftovers(root: string, environment: Environment): Leftovers {
  const folder = stateFolder(root, environment);
  return {
    stateFolder: existsSync(folder) ? folder : null,
    has: (path) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined,
    remove({ emptied, paths, state }) {
      if (state)
        for (const each of [folder, workFolder(root, environment)])
          rmSync(each, { recursive: true, force: true });
      for (const path of paths) {
        // Removes a link, not its target.
        if (dirname(path) !== ".") ownPath(root, dirname(path));
        rmSync(join(root, path), { recursive: true, force: true });
      }
      for (const path of [...emptied, ...paths]) removeEmptyAbove(root, path);
    },
  };
}

function removeEmptyAbove(root: string, path: string): void {
  for (let at = dirname(path); at !== "."; at = dirname(at))
    if (!attempt(() => rmdirSync(join(root, at)) === undefined, false)) return;
}
