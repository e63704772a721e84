import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Finds one of Pawl's own programs: beside this file in the source, beside the chunk (or one folder up) in
 * the package.
 */
export function ownProgram(source: string, built: string): string {
  const names = [source, built, `../${built}`];
  const paths = names.map((name) => join(import.meta.dirname, name));
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? "";
}
