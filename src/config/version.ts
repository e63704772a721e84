import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Set by the build; a program that runs from its sources reads package.json. */
declare const PAWL_VERSION: string | undefined;

/** `home`: the program's own folder. */
export function versionOf(home: string): string {
  if (typeof PAWL_VERSION === "string") return PAWL_VERSION;
  return JSON.parse(readFileSync(join(home, "..", "package.json"), "utf8")).version;
}
