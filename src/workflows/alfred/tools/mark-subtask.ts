import { PawlError } from "../../../core/error.ts";
import type { Settings } from "../../../core/settings.ts";
import { stateChanges } from "../state/live-state.ts";
import { type LoadedRun, loadRun, loadTask, type Slot, slotsOf } from "../state/load.ts";
import { renderNextSlot } from "../texts/prompt.ts";
import { machineOf } from "./machine.ts";
import type { Response, ToolPlan } from "./response.ts";
import { invalidActionError } from "./transition.ts";

export interface MarkInput {
  readonly task_id: string;
  readonly subtask_id: string;
}

/** Records progress within implement_task. */
export const markSubtask: ToolPlan<MarkInput, LoadedRun, undefined> = {
  tool: "mark_subtask_complete",
  task: (input) => input.task_id,
  run: (input) => `alfred:${input.task_id}`,
  async read(view, input, context) {
    const loaded = await loadTask(view, input.task_id);
    return loadRun(view, loaded, context);
  },
  propose(run, _, { subtask_id }, { now, settings }) {
    const { active, definition, id, configuration } = run;
    if (!definition.countsSubtasks || machineOf(definition).workOf(configuration.state) === null)
      throw invalidActionError(run, "mark_subtask_complete");
    const subtasks = slotsOf(run.state);
    if (!subtasks.some(({ slot_id }) => slot_id === subtask_id))
      throw unknownSubtaskError(run, subtasks, subtask_id);
    const before = active.context_store.completed_subtasks;
    const here = { before: configuration.state, after: configuration.state };
    const again = `Subtask '${subtask_id}' of task '${id}' was marked before. Nothing was changed.`;
    if (before.includes(subtask_id))
      return { reply: { ...here, response: marked(run, subtasks, before, again, settings) } };
    const completed = [...before, subtask_id];
    const state = {
      ...run.state,
      active_tool_state: {
        ...active,
        context_store: { ...active.context_store, completed_subtasks: completed },
        updated_at: now.time,
      },
      updated_at: now.time,
    };
    const { done, total } = progress(subtasks, completed);
    const message = `Subtask '${subtask_id}' of task '${id}' is complete (${done} of ${total}).`;
    const moved = { ...run, active: state.active_tool_state, state };
    return {
      reply: { ...here, response: marked(moved, subtasks, completed, message, settings) },
      changes: stateChanges(run.workspace, state),
    };
  },
};

function marked(
  run: LoadedRun,
  subtasks: readonly Slot[],
  completed: readonly string[],
  message: string,
  { alfred }: Settings,
): Response {
  const next_prompt = renderNextSlot(run, message, alfred);
  return { status: "success", message, data: progress(subtasks, completed), next_prompt };
}

function progress(subtasks: readonly Slot[], completed: readonly string[]) {
  const ids = subtasks.map(({ slot_id }) => slot_id);
  const remaining = ids.filter((id) => !completed.includes(id));
  return { done: ids.length - remaining.length, total: ids.length, remaining };
}

function unknownSubtaskError(run: LoadedRun, subtasks: readonly Slot[], id: string): PawlError {
  const ids = subtasks.map(({ slot_id }) => slot_id);
  return new PawlError(
    "subtask-missing",
    `Task '${run.id}' has no subtask ${JSON.stringify(id)}. ${ids.length === 0 ? "It has no accepted plan, so it has no subtasks." : `Its subtasks: ${ids.join(", ")}.`}`,
    ids.length === 0 ? "Hand the work in with submit_work." : "Use one of these ids.",
  );
}
