import { join } from "node:path";

/**
 * Where the build puts a file: beside the bundled program (`home`), or in `dist` for a program that runs from
 * its sources.
 */
export function builtPaths(home: string, name: string): readonly string[] {
  return [join(home, name), join(home, "..", "dist", name)];
}
