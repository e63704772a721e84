/** The state of Spells counts only as written with its run's record: a state.json that somebody edited is held. */
import type { View } from "../../core/ports/store.ts";
import { checkRecord } from "../../runtime/record.ts";
import type { StateFiles } from "../../runtime/transaction.ts";
import { RUN, STATE_FILE } from "./files.ts";
import { configurationOf, FIRST_STATE, parseState } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

export const SPELLS_STATES: StateFiles = {
  table: SPELLS_WORKFLOW,
  // One run for as long as the project is worked on, with no gate that would need its whole history.
  keptSteps: 24,
  // It is among files that people commit, so git may bring it to a clone, or an older one.
  comesByGit: true,
  fix: `If git brought it (a checkout, a merge, a stash): go back with git (\`git checkout -\`), or go on from it with \`pawl repair\` in a terminal; to keep git from moving it again, run \`git rm --cached ${STATE_FILE}\` and add that path to .gitignore. If somebody edited it: put it back as it was, or accept the edit with \`pawl repair\`.`,
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
