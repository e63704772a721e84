/**
 * Whether git tracks files of Pawl's own folder, from the index's bytes alone, which takes a fraction of the
 * time of starting git. If the answer is not a plain no, git must be used.
 */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isAbsence } from "../files/disk.ts";
import { readPlain } from "../files/plain-file.ts";
import { discover } from "./discover.ts";

export function tracksPawl(folder: string): "yes" | "perhaps" | "no" {
  try {
    const git = discover(folder)?.own;
    if (git === undefined || lstatSync(join(folder, ".pawl"), { throwIfNoEntry: false }) === undefined)
      return "no";
    const bytes = readPlain(join(git, "index"));
    const text = bytes.toString("latin1");
    // Two bytes of flags precede a name; one of them may have any value.
    if (/[^/\w.-]\.pawl\//i.test(text)) return "yes";
    // Version 4 stores only how a name differs from the previous one; a split index has more names in another
    // file.
    return bytes.readUInt32BE(4) > 3 || bytes.includes("link") || /\.pawl\//i.test(text) ? "perhaps" : "no";
  } catch (thrown) {
    return isAbsence(thrown) ? "no" : "perhaps";
  }
}
