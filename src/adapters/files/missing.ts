import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { ProjectPath } from "../../core/path.ts";

/** Those of the paths where the project has nothing. */
export async function missing(root: string, paths: readonly ProjectPath[]): Promise<readonly ProjectPath[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(join(root, path)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths.filter((_, index) => !found[index]);
}
