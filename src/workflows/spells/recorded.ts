/** The state of Spells counts as it was written with its run's record: a state.json that somebody edited is held. */
import type { View } from "../../core/ports/store.ts";
import { checkRecord } from "../../runtime/record.ts";
import type { StateFiles } from "../../runtime/transaction.ts";
import { RUN, STATE_FILE } from "./files.ts";
import { configurationOf, FIRST_STATE, parseState } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

export const SPELLS_STATES: StateFiles = {
  table: SPELLS_WORKFLOW,
  runOf: (path) => (path === STATE_FILE ? RUN : null),
  configurationIn(text) {
    try {
      return configurationOf(parseState(text));
    } catch {
      return configurationOf(FIRST_STATE);
    }
  },
};

/** Throws `state-tampered`. */
export async function checkState(view: View): Promise<void> {
  const text = await view.read(STATE_FILE);
  if (text !== null) await checkRecord(view, SPELLS_STATES, STATE_FILE, text);
}
