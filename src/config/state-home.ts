/**
 * Pawl's data about a project outside of it, where no clone, checkout or merge can put a file:
 * `$XDG_STATE_HOME/pawl/projects/<id>/`, by the real path of the project's root.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { StateFolder } from "../adapters/files/project-key.ts";
import { openStateFolder } from "../adapters/files/state-folder.ts";
import { baseFolder } from "../adapters/process/base-folder.ts";
import { hashOf } from "../core/hash.ts";
import { readOnce } from "../core/once.ts";
import type { Environment } from "./config.ts";

/** The folder for the project at `root`. Does not create it. */
export function stateFolder(root: string, environment: Environment): string {
  const base = baseFolder(environment, "XDG_STATE_HOME");
  return join(base, "projects", hashOf(realpathSync(root)).slice(0, 32));
}

/** A folder that all projects of this user on this machine share. Does not create it. */
export function machineFolder(environment: Environment, name: string): string {
  return join(baseFolder(environment, "XDG_STATE_HOME"), name);
}

/** Its folder with the trees of runs whose files may not change. */
export const TREES = "trees";

/** Its file with a person's consents to programs. */
export const TRUST_FILE = "trust.json";

/** The same, with its disk. Opened on first use. */
export function openStateHome(root: string, environment: Environment): StateFolder {
  const place = readOnce(() => openStateFolder(stateFolder(root, environment)));
  return {
    get folder() {
      return place().folder;
    },
    get disk() {
      return place().disk;
    },
    make: () => place().make(),
  };
}
