/** The working tree when a run began to wait: kept outside the project. */
import { openKeptByRun } from "../../adapters/files/kept-by-run.ts";
import type { Environment } from "../../config/config.ts";
import { openStateHome, TREES } from "../../config/state-home.ts";
import type { TreeNote, TreeNotes } from "../../core/ports/tree-notes.ts";

export function openTreeNotes(root: string, environment: Environment): TreeNotes {
  return openKeptByRun<TreeNote>(openStateHome(root, environment), {
    folder: TREES,
    key: "note",
    noun: "the tree",
    without: "look through the project's changes, and remove it: Pawl then compares with what is there.",
  });
}
