import type { Environment } from "../config/config.ts";
import type { Project } from "../runtime/project.ts";

export interface ProjectLocation {
  readonly root: string;
  /** The program's own folder. */
  readonly home: string;
  readonly environment: Environment;
}

/** Opens the project for some work on it, and closes it after that. */
export type WithProject = <T>(place: ProjectLocation, work: (project: Project) => Promise<T>) => Promise<T>;
