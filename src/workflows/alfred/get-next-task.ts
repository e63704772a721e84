import type { ToolPlan } from "./response.ts";
import { type Listing, loadListing, type Ranked, rank, toolFor } from "./tasks.ts";

const MAX_ALTERNATIVES = 5;

/** Reads only: which task to work on, why, and what else could be. */
export const getNextTask: ToolPlan<Record<string, never>, Listing, undefined> = {
  tool: "get_next_task",
  task: () => null,
  run: () => null,
  read: (view) => loadListing(view),
  prepare({ problems, tasks }) {
    const ranking = rank(tasks);
    const [best, ...others] = ranking.ready;
    const alternatives = others.slice(0, MAX_ALTERNATIVES).map(summaryOf);
    const blocked = ranking.blocked.map(({ task, waitsFor }) => ({
      task_id: task.id,
      title: task.title,
      waits_for: waitsFor,
    }));
    const rest = {
      alternatives,
      blocked,
      done: ranking.done,
      ...(problems.length > 0 && { unreadable: problems }),
    };
    if (!best) {
      const why =
        tasks.length === 0
          ? "There are no tasks yet: create one with create_task."
          : blocked.length === 0
            ? "Every task is done."
            : `No task is ready: ${blocked.map(({ task_id, waits_for }) => `${task_id} waits for ${waits_for.join(", ")}`).join("; ")}.`;
      return { response: { status: "success", message: why, data: { task_id: null, ...rest } } };
    }
    const tool = toolFor(best.task);
    const message = [
      `Next: '${best.task.id}' (${best.task.title}), because ${best.why}. Call ${tool} with task_id "${best.task.id}".`,
      ...(alternatives.length > 0
        ? [`Alternatives: ${alternatives.map(({ task_id, why }) => `${task_id} (${why})`).join("; ")}.`]
        : []),
      ...problems.map(({ id, problem }) => `Not readable: ${id}: ${problem}`),
    ].join("\n");
    return { response: { status: "success", message, data: { ...summaryOf(best), tool, ...rest } } };
  },
};

function summaryOf({ task, why }: Ranked) {
  return { task_id: task.id, title: task.title, task_status: task.status, why };
}
