/** A person takes over a task that others went on with, or chooses which of its sides counts. */
import { checkId } from "../../core/id.ts";
import type { View } from "../../core/ports/store.ts";
import { adoptRun } from "../../runtime/adopt-run.ts";
import type { AdoptInput, Reply, Transaction } from "../../runtime/module.ts";
import { strengthOf } from "../../runtime/person.ts";
import { statusAfter } from "./chain.ts";
import { loadPast, type Past, standingIn, withStep } from "./history.ts";
import { findOwn, loadWorkspace, stateChanges, type Workspace } from "./live-state.ts";
import { workspaceFolder } from "./paths.ts";
import { missingRecords, nameOf } from "./records.ts";
import { checkOwn, loadSides, stateOf, type TaskSides, type ToolSide } from "./resolve-run.ts";
import type { TaskState } from "./state-file.ts";
import { NEXT_TOOL } from "./status.ts";

interface LoadedBranches extends TaskSides {
  readonly workspace: Workspace;
  /** What this checkout's own side goes on from. */
  readonly past: Past | null;
}

export const adopt: Transaction<AdoptInput, LoadedBranches, undefined, Reply> = {
  run: ({ id }) => nameOf(checkId(id, "task id")),
  read: readSides,
  propose(seen, _, input, context) {
    const { own, runs, sides, workspace } = seen;
    const { id } = input;
    const stateAt = (side: ToolSide) => (side.recorded === null && own ? own : stateOf(id, side, runs, own));
    return adoptRun(
      {
        ...{ run: nameOf(id), machine: "alfred", sides },
        look: (side) => ({
          state: statusAfter(side.steps),
          isOver: NEXT_TOOL[statusAfter(side.steps)] === null,
          notes: notesOn(side, own),
        }),
      },
      input,
      (side, step) => {
        const { caller, now } = context;
        const before = { ...stateAt(side), updated_at: now.time };
        const taken = {
          ...({ time: now.time, type: "taken-over", tool: null, status: before.task_status } as const),
          ...{ standing: standingIn(before), by: caller.channel, strength: strengthOf(context) },
        };
        const isOwn = side.recorded === null;
        const past = (isOwn && seen.past) || { steps: [], head: null, chain: side.steps };
        const { anchor, state } = withStep(before, past, taken, [step]);
        const records = missingRecords(state, [...side.steps, step], seen);
        return [...stateChanges(workspace, state), anchor, ...records];
      },
      context,
    );
  },
};

/** Throws `state-tampered`: what does not follow from its history is no side to choose. */
async function readSides(view: View, { id }: AdoptInput): Promise<LoadedBranches> {
  const own = await findOwn(view, id);
  await checkOwn(view, own);
  const found = await loadSides(view, id, own);
  const past = own && (await loadPast(own, false, found.chain));
  return { ...found, past, workspace: await loadWorkspace(view, id) };
}

function notesOn({ recorded }: ToolSide, own: TaskState | null): readonly string[] {
  const active = own?.active_tool_state;
  if (recorded === null || !active) return [];
  return [
    `The open run of ${active.tool_name} in this checkout is given up. What it wrote stays in ${workspaceFolder(own.task_id)}.`,
  ];
}
