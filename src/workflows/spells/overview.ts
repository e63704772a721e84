import { PawlError, toPawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import type { RunOverview } from "../../runtime/module.ts";
import { unreadableRun } from "../../runtime/reports/unreadable-run.ts";
import { RUN } from "./files.ts";
import { FIRST_STATE, loadState, UnusableState } from "./state-file.ts";
import { STATES } from "./states.ts";
import { suggestState } from "./suggest-state.ts";
import { turnIn } from "./turn.ts";

const TITLE = "Spells";

/** The project's only run, if it has begun; cheap, for the list of all runs. */
export async function overview(view: View): Promise<readonly RunOverview[]> {
  try {
    const state = await loadState(view);
    if (state === FIRST_STATE) return [];
    const { current_state, history } = state;
    const { awaits, next } = turnIn(current_state);
    const [{ checkState }, { loggedOverview }] = await Promise.all([
      import("./run-kind.ts"),
      import("../../runtime/run-log/read.ts"),
    ]);
    await checkState(view);
    const logged = await loggedOverview(view, RUN);
    const title = STATES[current_state]?.description ?? TITLE;
    const since = history.at(-1)?.timestamp ?? null;
    return [
      {
        run: RUN,
        title,
        state: current_state,
        awaits,
        next,
        command: "pawl lumos",
        since,
        ...logged,
      },
    ];
  } catch (thrown) {
    const { code, message } = toPawlError(thrown);
    if (code === "state-tampered") {
      const more = { next: "decide on its edited state", command: "pawl repair" };
      return [unreadableRun(RUN, TITLE, thrown, more)];
    }
    if (!(thrown instanceof UnusableState)) throw thrown;
    const suggested = await suggestState(view);
    const fix = `The files suggest ${suggested}. Run \`pawl repair\` in a terminal to set it (the old file is kept), or correct .ai/task/state.json by hand.`;
    const more = { next: "decide on its state", command: "pawl repair" };
    return [unreadableRun(RUN, TITLE, new PawlError(code, message, fix), more)];
  }
}
