/** A person adopts a task that others continued, or chooses which of its branches counts. */
import { checkId } from "../../../core/id.ts";
import type { View } from "../../../core/ports/store.ts";
import type { AdoptInput, Reply, Transaction } from "../../../runtime/module.ts";
import { adoptRun } from "../../../runtime/run-log/adopt-run.ts";
import { statusAfter } from "./chain.ts";
import { findOwn, loadWorkspace, stateChanges, type Workspace } from "./live-state.ts";
import { workspaceFolder } from "./paths.ts";
import { missingRecords, nameOf } from "./records.ts";
import { checkOwn, loadBranches, stateOf, type TaskBranches, type ToolBranch } from "./resolve-run.ts";
import { TASK_RUNS } from "./run-kind.ts";
import type { TaskState } from "./state-file.ts";
import { NEXT_TOOL } from "./status.ts";

interface LoadedBranches extends TaskBranches {
  readonly workspace: Workspace;
}

export const adopt: Transaction<AdoptInput, LoadedBranches, undefined, Reply> = {
  runs: TASK_RUNS,
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
        const chain = [...branch.steps, step];
        const state = { ...stateAt(branch), updated_at: context.now.time, chain };
        return { changes: [...stateChanges(workspace, state), ...missingRecords(state, chain, seen)] };
      },
      context,
    );
  },
};

/** Throws `state-tampered`, because a state that does not follow from its log is not a valid branch. */
async function readBranches(view: View, { id }: AdoptInput): Promise<LoadedBranches> {
  const own = await findOwn(view, id);
  await checkOwn(view, own);
  return { ...(await loadBranches(view, id, own)), workspace: await loadWorkspace(view, id) };
}

function notesOn({ recorded }: ToolBranch, own: TaskState | null): readonly string[] {
  const active = own?.active_tool_state;
  if (recorded === null || !active) return [];
  return [
    `The open run of ${active.tool_name} in this checkout is given up. What it wrote stays in ${workspaceFolder(own.task_id)}.`,
  ];
}
