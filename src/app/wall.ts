/** Opens the wall by a project's settings. */
import { isAbsolute } from "node:path";
import { namedPath } from "../adapters/wall/homes.ts";
import type { WallSetup } from "../adapters/wall/wall.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import type { Settings } from "../core/settings.ts";
import { workflowPlaces } from "../services/workflow-places.ts";

export const NO_WALL =
  "There is no wall around agents and commands: only their permissions limit them, and they can read and write what you can";

export interface WallContext {
  readonly root: string;
  readonly environment: Environment;
  readonly settings: Pick<Settings, "bloom" | "sandbox" | "workflows">;
  /** The command line that starts this program. */
  readonly programs: readonly string[];
}

/**
 * The wall of the project's settings around a scratch project. Paths in the settings start at the project's
 * root nevertheless.
 */
export function scratchSetup(context: WallContext, scratch: string): WallSetup {
  const setup = wallSetup(context);
  const named = (paths: readonly string[]) =>
    paths.map((path) => namedPath(path, context.root, context.environment));
  const { read, write } = setup.settings;
  return {
    ...setup,
    projectRoot: scratch,
    settings: { ...setup.settings, read: named(read), write: named(write) },
  };
}

export function wallSetup(context: WallContext): WallSetup {
  const { environment, programs, root, settings } = context;
  return {
    projectRoot: root,
    stateFolder: stateFolder(root, environment),
    environment,
    settings: settings.sandbox,
    programs: programs.filter((word) => isAbsolute(word)),
    tasksFile: settings.bloom.tasks_file,
    workflows: workflowPlaces(root, settings.workflows),
  };
}
