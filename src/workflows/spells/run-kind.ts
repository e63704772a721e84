/** The kind of Spells' run for the run log: an edited state.json is held. */
import type { View } from "../../core/ports/store.ts";
import type { At, RunKind } from "../../runtime/run-log/kind.ts";
import { checkRun } from "../../runtime/run-log/read.ts";
import { RUN, STATE_FILE } from "./files.ts";
import { configurationOf, FIRST_STATE, parseState, type StateFile } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

export const SPELLS_RUNS: RunKind = {
  tableOf: () => SPELLS_WORKFLOW,
  start: placed(FIRST_STATE),
  // People commit files in this folder, so git may bring the state to a clone.
  comesByGit: true,
  // The run has no gates, so restoring an earlier state gains nothing; and its texts return with it.
  returns: true,
  runOf: (path) => (path === STATE_FILE ? RUN : null),
  pathsOf: () => [STATE_FILE],
  at(text) {
    try {
      return placed(parseState(text));
    } catch {
      return placed(FIRST_STATE);
    }
  },
};

function placed(state: StateFile): At {
  return { machine: SPELLS_WORKFLOW.name, ...configurationOf(state) };
}

/** Throws `state-tampered`. */
export function checkState(view: View): Promise<void> {
  return checkRun(view, SPELLS_RUNS, RUN);
}
