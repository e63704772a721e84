/**
 * Whether git tracks files of Pawl's own folder, from the index's bytes alone, which takes a fraction of the time of
 * starting git. Only if the answer is not a plain no must git be asked.
 */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isAbsence } from "../files/disk.ts";
import { discover } from "./discover.ts";

export function looksTracked(folder: string): "yes" | "perhaps" | "no" {
  try {
    const git = discover(folder)?.own;
    if (git === undefined || lstatSync(join(folder, ".pawl"), { throwIfNoEntry: false }) === undefined)
      return "no";
    const bytes = readFileSync(join(git, "index"));
    const text = bytes.toString("latin1");
    // Two bytes of flags precede a name; one of them may be anything.
    if (/[^/\w.-]\.pawl\//i.test(text)) return "yes";
    // Version 4 writes of each name only what differs from the previous one; a split index has further names in another
    // file.
    return bytes.readUInt32BE(4) > 3 || bytes.includes("link") || /\.pawl\//i.test(text) ? "perhaps" : "no";
  } catch (thrown) {
    return isAbsence(thrown) ? "no" : "perhaps";
  }
}
