/**
 * A person accepts a state as it is, although its history does not lead to it. The history records that, and
 * continues from the accepted state.
 */
import { checkId } from "../../../core/id.ts";
import type { Reply, StoryInput, Transaction } from "../../../runtime/module.ts";
import { acceptedEdit } from "../../../runtime/run-log/accept-edit.ts";
import { strengthOf } from "../../../runtime/transaction/person.ts";
import { sharedIn } from "./chain.ts";
import { differencesIn, isSound, loadPast, type Past, standingIn, withStep } from "./history.ts";
import { loadWorkspace, stateChanges, type Workspace } from "./live-state.ts";
import { statePath } from "./paths.ts";
import { findHere } from "./resolve-run.ts";
import type { TaskState } from "./state-file.ts";

interface LoadedEdit {
  readonly state: TaskState;
  readonly found: readonly string[];
  readonly past: Past;
  readonly workspace: Workspace;
}

export const acceptEdit: Transaction<StoryInput, LoadedEdit, undefined, Reply> = {
  run: ({ id }) => `alfred:${checkId(id, "task id")}`,
  async read(view, { id }) {
    const state = await findHere(view, id);
    const found = await differencesIn(view, state);
    return { state, found, past: await pastOf(state), workspace: await loadWorkspace(view, id) };
  },
  propose({ found, past, state, workspace }, _, { id }, context) {
    const { active_tool_state: active, task_status: status } = state;
    const to = active?.current_state ?? status;
    const written = () => {
      const { caller, now } = context;
      const next = withStep(state, past, {
        time: now.time,
        type: "accepted-edit",
        tool: null,
        status,
        standing: standingIn(state),
        by: caller.channel,
        strength: strengthOf(context),
      });
      return [...stateChanges(workspace, next.state), next.anchor];
    };
    return acceptedEdit(
      {
        ...{ run: `alfred:${id}`, machine: active?.tool_name ?? "alfred", from: "", to },
        name: statePath(id),
        of: "task",
        found,
        summary: `${id}: an edit of its state was accepted`,
      },
      written,
      context,
    );
  },
};

/** The history, if it has steps and all are possible; otherwise it begins anew with this step. */
async function pastOf(state: TaskState): Promise<Past> {
  const isWhole = state.history.length > 0 && (await isSound(state.history));
  const chain = sharedIn(state);
  return isWhole ? loadPast(state, false, chain) : { steps: [], head: null, chain };
}
