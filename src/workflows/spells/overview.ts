import { PawlError, toPawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import type { RunOverview } from "../../runtime/module.ts";
import { unreadableRun } from "../../runtime/unreadable-run.ts";
import { RUN } from "./files.ts";
import { FIRST_STATE, isMendable, loadState } from "./state-file.ts";
import { STATES } from "./states.ts";
import { suggestState } from "./suggest-state.ts";

const TITLE = "Spells";

/** Who acts next, and on what: by the beginning of the state's name. */
const NEXT: readonly (readonly [prefix: string, awaits: RunOverview["awaits"], next: string])[] = [
  ["GATHER_NEEDS_CONTEXT", "human", "cast accio to begin"],
  ["GATHER_EDITING_CONTEXT", "human", "describe the work in context.md, then cast accio"],
  ["GATHER_EDITING", "human", "refine plan.md, then cast accio"],
  ["ACHIEVE_TASK_DRAFTING", "human", "check task.md, then cast accio"],
  ["ACHIEVE_TASK_EXECUTED", "assistant", "carry out the task and write task-results.md"],
  ["ACHIEVE_COMPLETE", "nobody", "every acceptance criterion is met"],
  ["PR_GATHERING_COMMENTS", "human", "look through comments.md, then cast accio"],
  ["PR_REVIEW_TASK_DRAFT", "human", "check review-task.md, then cast accio"],
  ["PR_APPLIED_PENDING_ARCHIVE", "assistant", "carry out the review task and write review-task-results.md"],
  ["PR_CONFIRM_RESTART", "human", "confirm with reparo, or cancel with reverto"],
  ["ERROR_", "human", "a file is missing: put it back, or cast accio"],
];

/** The project's one run, if it has begun; cheap, for the list of all runs. */
export async function overview(view: View): Promise<readonly RunOverview[]> {
  try {
    const state = await loadState(view);
    if (state === FIRST_STATE) return [];
    const { current_state, history } = state;
    const [, awaits = "human", next = ""] = NEXT.find(([prefix]) => current_state.startsWith(prefix)) ?? [];
    const [{ checkState }, { recordedOverview }] = await Promise.all([
      import("./recorded.ts"),
      import("../../runtime/record.ts"),
    ]);
    await checkState(view);
    const recorded = await recordedOverview(view, RUN);
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
        ...recorded,
      },
    ];
  } catch (thrown) {
    const { code, message } = toPawlError(thrown);
    if (code === "state-tampered") {
      const more = { next: "decide on its edited state", command: "pawl repair" };
      return [unreadableRun(RUN, TITLE, thrown, more)];
    }
    if (!isMendable(thrown)) throw thrown;
    const suggested = await suggestState(view);
    const fix = `The files suggest ${suggested}. Run \`pawl spells mend\` to set it (the old file is kept), or correct .ai/task/state.json by hand.`;
    const more = { next: "mend state.json", command: "pawl spells mend" };
    return [unreadableRun(RUN, TITLE, new PawlError(code, message, fix), more)];
  }
}
