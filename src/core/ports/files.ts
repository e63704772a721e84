/** Looking at the project's files without reading them. */
import type { ProjectPath } from "../path.ts";

export interface Files {
  /** Those of the paths where the project has nothing. */
  missing(paths: readonly ProjectPath[]): Promise<readonly ProjectPath[]>;
}
