import { type LoadedTask, loadTask } from "../state/load.ts";
import { NEXT_TOOL } from "../state/status.ts";
import type { Task } from "../state/task-file.ts";
import { fetchTask, isTracked } from "../state/tracked.ts";
import { wordsFor } from "../texts/titles.ts";
import { callOf } from "./definitions.ts";
import { success, type ToolPlan } from "./response.ts";

/** Read-only: which tool the task's status needs. */
export const workOnTask: ToolPlan<{ readonly task_id: string }, LoadedTask, Task | null> = {
  tool: "work_on_task",
  task: (input) => input.task_id,
  run: () => null,
  read: (view, input, context) => loadTask(view, input.task_id, isTracked(context)),
  observe: async ({ id, isAwaited }, _, outside, context) =>
    isAwaited ? fetchTask(id, outside, context) : null,
  propose({ id, state, task }, fetched) {
    const active = state.active_tool_state;
    const tool = active?.tool_name ?? NEXT_TOOL[state.task_status];
    const data = {
      task_id: id,
      title: (fetched ?? task).title,
      task_status: state.task_status,
      active_tool: active?.tool_name ?? null,
      current_state: active?.current_state ?? null,
      tool,
    };
    const message =
      tool === null
        ? `Task '${id}' is done. Nothing is left to be done.`
        : active
          ? `Task '${id}' has '${active.tool_name}' active: ${wordsFor(active)}. Call ${callOf(active.tool_name, id)} to go on.`
          : `Task '${id}' has status '${state.task_status}'. Call ${callOf(tool, id)}.`;
    const here = active?.current_state ?? state.task_status;
    return { reply: { ...success(message, data), before: here, after: here } };
  },
};
