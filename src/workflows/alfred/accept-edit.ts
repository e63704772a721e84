/** A person takes a state as it is, though its history does not lead there: recorded as such, and the history goes on from it. */
import { PawlError } from "../../core/error.ts";
import { checkId } from "../../core/id.ts";
import { EDIT_ACCEPTED } from "../../runtime/history.ts";
import type { Advance, Reply, StoryInput } from "../../runtime/module.ts";
import { hasAnswered, strengthOf } from "../../runtime/person.ts";
import { renderReview } from "../../runtime/review.ts";
import { differencesIn, isSound, loadPast, type Past, standingIn, withStep } from "./history.ts";
import { findState, loadWorkspace, stateChanges, type Workspace } from "./live-state.ts";
import { statePath } from "./paths.ts";
import type { TaskState } from "./state-file.ts";

interface Seen {
  readonly state: TaskState;
  readonly found: readonly string[];
  readonly past: Past;
  readonly workspace: Workspace;
}

export const acceptEdit: Advance<StoryInput, Seen, undefined, Reply> = {
  run: ({ id }) => `alfred:${checkId(id, "task id")}`,
  async read(view, { id }) {
    const state = await findState(view, id);
    const found = await differencesIn(view, state);
    return { state, found, past: await pastOf(state), workspace: await loadWorkspace(view, id) };
  },
  prepare({ found, past, state, workspace }, _, { id }, context) {
    const path = statePath(id);
    if (found.length === 0)
      throw new PawlError("no-effect", `${path} follows from its history.`, "Nothing is to be accepted.");
    const message = renderReview({
      question: `Take ${path} as it is, though it does not follow from the task's own history?`,
      facts: [
        "Whatever was edited counts from then on, approvals that were never given too. It is recorded as accepted by you.",
        ...found.map((each) => `- ${each}`),
      ],
      whole: path,
    });
    if (!hasAnswered(context, message)) return { reply: { text: "", data: {} }, ask: { message } };
    const { caller, moment } = context;
    const strength = strengthOf(context);
    const next = withStep(state, past, {
      time: moment.time,
      type: "accepted-edit",
      tool: null,
      status: state.task_status,
      standing: standingIn(state),
      by: caller.channel,
      strength,
    });
    const text = `${path} is taken as it is; its history goes on from there.`;
    return {
      reply: { text, data: { status: "success", message: text } },
      changes: [...stateChanges(workspace, next.state), next.anchor],
      events: [
        {
          id: moment.id,
          time: moment.time,
          type: "run:advanced",
          run: `alfred:${id}`,
          machine: state.active_tool_state?.tool_name ?? "alfred",
          event: EDIT_ACCEPTED,
          row: EDIT_ACCEPTED,
          from: "",
          to: state.active_tool_state?.current_state ?? state.task_status,
          summary: `${id}: an edit of its state was accepted: ${found.join("; ")}`,
          by: caller,
          strength,
        },
      ],
    };
  },
};

/** The steps as far as they are whole; where one of them cannot be, the history begins anew with this one. */
async function pastOf(state: TaskState): Promise<Past> {
  const isWhole = state.history !== undefined && (await isSound(state.history));
  return isWhole ? loadPast(state, false) : { steps: [], head: null };
}
