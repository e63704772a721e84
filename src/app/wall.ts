/** Opens the wall according to a project's settings. */
import { isAbsolute } from "node:path";
import type { WallSetup } from "../adapters/wall/wall.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import type { Settings } from "../core/settings.ts";

export const NO_WALL =
  "There is no wall around agents and commands: only their permissions limit them, and they can read and write what you can";

export function wallSetup(place: {
  readonly root: string;
  readonly environment: Environment;
  readonly settings: Pick<Settings, "bloom" | "sandbox">;
  /** The command line that starts this program. */
  readonly programs: readonly string[];
}): WallSetup {
  const { environment, programs, root, settings } = place;
  return {
    projectRoot: root,
    stateFolder: stateFolder(root, environment),
    environment,
    settings: settings.sandbox,
    programs: programs.filter((word) => isAbsolute(word)),
    tasksFile: settings.bloom.tasks_file,
  };
}
