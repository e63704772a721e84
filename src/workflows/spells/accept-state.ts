/**
 * `pawl repair` at a terminal: a person accepts an edited state.json, or replaces an unreadable one with the
 * state that the files suggest. The old file is kept next to the new one.
 */
import type { PawlError } from "../../core/error.ts";
import { projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import type { Context, Proposal, Reply, StoryInput, Transaction } from "../../runtime/module.ts";
import { renderReview } from "../../runtime/review/question.ts";
import { acceptEditOf, type EditedRun } from "../../runtime/run-log/accept.ts";
import { hasAnswered, strengthOf } from "../../runtime/transaction/person.ts";
import { runAdvanced, stamped } from "../../runtime/transaction/run-advanced.ts";
import { freeName, RUN, STATE_FILE, TASK_FOLDER } from "./files.ts";
import { SPELLS_RUNS } from "./run-kind.ts";
import { FIRST_STATE, loadState, renderState, toSeconds, UnusableState } from "./state-file.ts";
import { suggestState } from "./suggest-state.ts";

interface Unusable {
  readonly why: PawlError;
  readonly suggested: string;
  /** In `.ai/task/`. */
  readonly names: readonly string[];
}

const acceptEdit = acceptEditOf(SPELLS_RUNS, () => RUN);

/** Throws `no-effect` if there is nothing to decide. */
export const acceptState: Transaction<StoryInput, EditedRun | Unusable, undefined, Reply> = {
  runs: SPELLS_RUNS,
  run: () => RUN,
  async read(view, input, context) {
    const why = await unusableStateError(view);
    if (why === null) return acceptEdit.read(view, input, context);
    const names = (await view.list(TASK_FOLDER)).map(({ name }) => name);
    return { why, suggested: await suggestState(view), names };
  },
  propose: (loaded, _, input, context) =>
    "why" in loaded ? replace(loaded, context) : acceptEdit.propose(loaded, undefined, input, context),
};

async function unusableStateError(view: View): Promise<PawlError | null> {
  try {
    await loadState(view);
    return null;
  } catch (thrown) {
    if (thrown instanceof UnusableState) return thrown;
    throw thrown;
  }
}

function replace({ names, suggested, why }: Unusable, context: Context): Proposal<Reply> {
  const message = renderReview({
    question: `Set ${STATE_FILE} to ${suggested}, the state that the files suggest?`,
    facts: [why.message, "The old file is kept beside it. The state is recorded as set by you."],
    whole: STATE_FILE,
  });
  if (!hasAnswered(context, message)) return { reply: { text: "", data: {} }, ask: { message } };
  const date = toSeconds(context.now.time).replaceAll(":", "-");
  const kept = projectPath(TASK_FOLDER, freeName(`state.json.bak-${date}`, names));
  const step = { event: "mend", row: "mend", from: "unreadable", to: suggested };
  const words = {
    summary: `state.json could not be read and was set to ${suggested}`,
    strength: strengthOf(context),
  };
  return {
    reply: {
      text: `state.json now says ${suggested}, which is what the files suggest. The old file is ${kept}.\n`,
      data: { state: suggested, kept },
    },
    changes: [
      { type: "move", from: STATE_FILE, to: kept },
      { type: "write", path: STATE_FILE, text: renderState({ ...FIRST_STATE, current_state: suggested }) },
    ],
    events: stamped([runAdvanced({ run: RUN, machine: "spells", ...step }, words, context)], context),
  };
}
