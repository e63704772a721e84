import { accessSync, constants, statSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";

/** A file that may be run. */
export function isProgram(path: string): boolean {
  return attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }, false);
}
