import { join } from "node:path";

/** Where the build put it: beside the bundled program (`home`), or in `dist` for a program that runs from its sources. */
export function builtPlaces(home: string, name: string): readonly string[] {
  return [join(home, name), join(home, "..", "dist", name)];
}
