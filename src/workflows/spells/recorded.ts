/** The state of Spells counts as it was written with its run's record: a state.json that somebody edited is held. */
import type { View } from "../../core/ports/store.ts";
import { checkRecord } from "../../runtime/record.ts";
import type { StateFiles } from "../../runtime/transaction.ts";
import { RUN, STATE_FILE } from "./files.ts";
import { FIRST_STATE, parseState, positionOf } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

export const SPELLS_STATES: StateFiles = {
  table: SPELLS_WORKFLOW,
  runOf: (path) => (path === STATE_FILE ? RUN : null),
  positionIn(text) {
    try {
      return positionOf(parseState(text));
    } catch {
      return positionOf(FIRST_STATE);
    }
  },
};

/** Throws `state-tampered`. */
export async function checkState(view: View): Promise<void> {
  const text = await view.read(STATE_FILE);
  if (text !== null) await checkRecord(view, SPELLS_STATES, STATE_FILE, text);
}
