/** The wall as a project's settings want it. */
import { isAbsolute } from "node:path";
import type { WallSetup } from "../adapters/wall/wall.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import type { Settings } from "../core/settings.ts";

export const NO_WALL =
  "There is no wall around agents and commands: what they do is held by their permissions alone, and they can read and write what you can";

export function wallSetup(place: {
  readonly root: string;
  readonly environment: Environment;
  readonly settings: Pick<Settings, "bloom" | "sandbox">;
  /** The words that start this program. */
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
