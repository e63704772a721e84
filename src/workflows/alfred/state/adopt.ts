/** A person adopts a task that others continued, or chooses which of its branches counts. */
import { checkId } from "../../../core/id.ts";
import type { View } from "../../../core/ports/store.ts";
import type { AdoptInput, Reply, RunRecords, Transaction } from "../../../runtime/module.ts";
import { adoptRun } from "../../../runtime/run-log/adopt-run.ts";
import { findOwn, loadWorkspace, stateChanges, type Workspace } from "./live-state.ts";
import { workspaceFolder } from "./paths.ts";
import { nameOf } from "./records.ts";
import { checkOwn, loadBranches, loadMissing, stateOf, type ToolBranch } from "./resolve-run.ts";
import { TASK_RUNS } from "./run-kind.ts";
import type { TaskState } from "./state-file.ts";
import { NEXT_TOOL } from "./status.ts";

interface LoadedBranches {
  readonly own: TaskState | null;
  readonly branches: readonly ToolBranch[];
  readonly workspace: Workspace;
}

const adopt: Transaction<AdoptInput, LoadedBranches, undefined, Reply> = {
  runs: TASK_RUNS,
  run: ({ id }) => nameOf(checkId(id, "task id")),
  read: readBranches,
  propose({ branches, own, workspace }, _, input, context) {
    const { id } = input;
    const stateAt = (branch: ToolBranch) =>
      branch.recorded === null && own ? own : stateOf(id, branch, own);
    return adoptRun(
      {
        ...{ run: nameOf(id), branches },
        describe(branch) {
          const { task_status: state } = stateAt(branch);
          return { machine: "alfred", state, isOver: NEXT_TOOL[state] === null, notes: notesOn(branch, own) };
        },
      },
      input,
      (branch) => stateChanges(workspace, { ...stateAt(branch), updated_at: context.now.time }),
      context,
    );
  },
};

export const RECORDS: RunRecords = { missing: loadMissing, adopt: () => adopt };

/** Throws `state-tampered`, because a state that does not follow from its log is not a valid branch. */
async function readBranches(view: View, { id }: AdoptInput): Promise<LoadedBranches> {
  const present = await findOwn(view, id);
  await checkOwn(view, present);
  return {
    own: present,
    branches: await loadBranches(view, id, present),
    workspace: await loadWorkspace(view, id),
  };
}

function notesOn({ recorded }: ToolBranch, present: TaskState | null): readonly string[] {
  const active = present?.active_tool_state;
  if (recorded === null || !active) return [];
  return [
    `The open run of ${active.tool_name} in this checkout is given up. What it wrote stays in ${workspaceFolder(present.task_id)}.`,
  ];
}
