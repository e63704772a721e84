/** The kind of Spells' run for the run log: an edited state.json is held. */
import type { View } from "../../core/ports/store.ts";
import type { RunKind } from "../../runtime/run-log/kind.ts";
import { checkRun } from "../../runtime/run-log/read.ts";
import { RUN, STATE_FILE } from "./files.ts";
import { configurationOf, FIRST_STATE, parseState } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

export const SPELLS_RUNS: RunKind = {
  table: SPELLS_WORKFLOW,
  // People commit files in this folder, so git may bring the state to a clone.
  comesByGit: true,
  // The run has no gates, so restoring an earlier state gains nothing; and its texts return with it.
  returns: true,
  runOf: (path) => (path === STATE_FILE ? RUN : null),
  pathOf: () => STATE_FILE,
  configurationIn(text) {
    try {
      return configurationOf(parseState(text));
    } catch {
      return configurationOf(FIRST_STATE);
    }
  },
};

/** Throws `state-tampered`. */
export function checkState(view: View): Promise<void> {
  return checkRun(view, SPELLS_RUNS, RUN);
}
