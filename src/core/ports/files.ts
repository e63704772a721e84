/** Checks whether project files exist, without reading them. */
import type { ProjectPath } from "../path.ts";

export interface Files {
  /** The paths at which the project has nothing. */
  missing(paths: readonly ProjectPath[]): Promise<readonly ProjectPath[]>;
}
