import { projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import type { Reply, Transaction } from "../../runtime/module.ts";
import { runAdvanced, stamped } from "../../runtime/run-advanced.ts";
import { freeName, RUN, STATE_FILE, TASK_FOLDER } from "./files.ts";
import { SPELLS_STATES } from "./recorded.ts";
import { FIRST_STATE, loadState, renderState, toSeconds } from "./state-file.ts";
import { suggestState } from "./suggest-state.ts";

interface Seen {
  readonly suggested: string;
  readonly broken: boolean;
  readonly names: readonly string[];
}

/** Replaces an unreadable state.json by the state that the files suggest, and keeps the old file beside it. */
export const mendState: Transaction<object, Seen, undefined, Reply> = {
  states: SPELLS_STATES,
  run: () => RUN,
  async read(view) {
    const broken = await isBroken(view);
    const names = (await view.list(TASK_FOLDER)).map((entry) => entry.name);
    return { suggested: await suggestState(view), broken, names };
  },
  propose({ suggested, broken, names }, _gathered, _input, context) {
    if (!broken)
      return {
        reply: { text: "state.json can be read; there is nothing to mend.\n", data: { mended: false } },
      };
    const date = toSeconds(context.now.time).replaceAll(":", "-");
    const kept = projectPath(TASK_FOLDER, freeName(`state.json.bak-${date}`, names));
    const text = `state.json now says ${suggested}, which is what the files suggest. The old file is ${kept}.\n`;
    const step = { event: "mend", row: "mend", from: "unreadable", to: suggested };
    const move = { run: RUN, machine: "spells", ...step };
    const summary = `state.json could not be read and was set to ${suggested}`;
    return {
      reply: { text, data: { mended: true, state: suggested, kept } },
      changes: [
        { type: "move", from: STATE_FILE, to: kept },
        { type: "write", path: STATE_FILE, text: renderState({ ...FIRST_STATE, current_state: suggested }) },
      ],
      events: stamped([runAdvanced(move, { summary }, context)], context),
    };
  },
};

async function isBroken(view: View): Promise<boolean> {
  try {
    await loadState(view);
    return false;
  } catch {
    return true;
  }
}
