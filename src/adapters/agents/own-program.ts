import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Finds one of Pawl's own programs: beside this file in the source, beside the chunk (or one folder up) in
 * the package.
 */
export function ownProgram(source: string, built: string): string {
  const places = [source, built, `../${built}`];
  const paths = places.map((place) => join(import.meta.dirname, place));
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? "";
}
