/** A person adopts a task that others continued, or chooses which of its branches counts. */
import { checkId } from "../../../core/id.ts";
import type { View } from "../../../core/ports/store.ts";
import type { AdoptInput, Reply, Transaction } from "../../../runtime/module.ts";
import { adoptRun } from "../../../runtime/run-log/adopt-run.ts";
import { strengthOf } from "../../../runtime/transaction/person.ts";
import { statusAfter } from "./chain.ts";
import { loadPast, type Past, standingIn, withStep } from "./history.ts";
import { findOwn, loadWorkspace, stateChanges, type Workspace } from "./live-state.ts";
import { workspaceFolder } from "./paths.ts";
import { missingRecords, nameOf } from "./records.ts";
import { checkOwn, loadBranches, stateOf, type TaskBranches, type ToolBranch } from "./resolve-run.ts";
import type { TaskState } from "./state-file.ts";
import { NEXT_TOOL } from "./status.ts";

interface LoadedBranches extends TaskBranches {
  readonly workspace: Workspace;
  /** The history that this checkout's own branch continues. */
  readonly past: Past | null;
}

export const adopt: Transaction<AdoptInput, LoadedBranches, undefined, Reply> = {
  run: ({ id }) => nameOf(checkId(id, "task id")),
  read: readBranches,
  propose(seen, _, input, context) {
    const { own, runs, branches, workspace } = seen;
    const { id } = input;
    const stateAt = (branch: ToolBranch) =>
      branch.recorded === null && own ? own : stateOf(id, branch, runs, own);
    return adoptRun(
      {
        ...{ run: nameOf(id), machine: "alfred", branches: branches },
        look: (branch) => ({
          state: statusAfter(branch.steps),
          isOver: NEXT_TOOL[statusAfter(branch.steps)] === null,
          notes: notesOn(branch, own),
        }),
      },
      input,
      (branch, step) => {
        const { caller, now } = context;
        const before = { ...stateAt(branch), updated_at: now.time };
        const taken = {
          ...({ time: now.time, type: "taken-over", tool: null, status: before.task_status } as const),
          ...{ standing: standingIn(before), by: caller.channel, strength: strengthOf(context) },
        };
        const isOwn = branch.recorded === null;
        const past = (isOwn && seen.past) || { steps: [], head: null, chain: branch.steps };
        const { anchor, state } = withStep(before, past, taken, [step]);
        const records = missingRecords(state, [...branch.steps, step], seen);
        return [...stateChanges(workspace, state), anchor, ...records];
      },
      context,
    );
  },
};

/** Throws `state-tampered`, because a state that does not follow from its history is not a valid branch. */
async function readBranches(view: View, { id }: AdoptInput): Promise<LoadedBranches> {
  const own = await findOwn(view, id);
  await checkOwn(view, own);
  const found = await loadBranches(view, id, own);
  const past = own && (await loadPast(own, false, found.chain));
  return { ...found, past, workspace: await loadWorkspace(view, id) };
}

function notesOn({ recorded }: ToolBranch, own: TaskState | null): readonly string[] {
  const active = own?.active_tool_state;
  if (recorded === null || !active) return [];
  return [
    `The open run of ${active.tool_name} in this checkout is given up. What it wrote stays in ${workspaceFolder(own.task_id)}.`,
  ];
}
