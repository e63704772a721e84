import { toPawlError } from "../../../core/error.ts";
import { isId } from "../../../core/id.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { TrackedTask } from "../../../core/ports/trackers.ts";
import type { Context } from "../../../runtime/module.ts";
import { type ListedTask, type Listing, loadListing, type Ranked, rank, toolFor } from "../state/tasks.ts";
import { openTracker } from "../state/tracked.ts";
import { callOf } from "./definitions.ts";
import { success, type ToolPlan } from "./response.ts";

const MAX_ALTERNATIVES = 5;

/** Read-only: which task to do next, why, and the alternatives. */
export const getNextTask: ToolPlan<Record<string, never>, Listing, Remote> = {
  tool: "get_next_task",
  task: () => null,
  run: () => null,
  read: (view) => loadListing(view),
  observe: async (_, __, outside, context) => loadRemote(outside, context),
  propose({ problems, tasks: local }, { problem, remote }) {
    const elsewhere = remote.filter(({ id }) => !local.some((task) => task.id === id));
    const known = new Set([...local, ...elsewhere].map(({ id }) => id));
    // A task that the tracker no longer lists is closed there, so it blocks no other.
    const open = elsewhere.map((task) => ({
      ...task,
      dependencies: task.dependencies.filter((id) => known.has(id)),
    }));
    const tasks = [...local, ...open];
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
    const faults = [...unreadable(problems), ...(problem === null ? [] : [problem])];
    if (!best) {
      const why =
        tasks.length === 0 && problems.length > 0
          ? "No task can be read."
          : tasks.length === 0
            ? "There are no tasks yet: create one with create_task."
            : blocked.length === 0
              ? "Every task is done."
              : `No task is ready: ${blocked.map(({ task_id, waits_for }) => `${task_id} waits for ${waits_for.join(", ")}`).join("; ")}.`;
      const message = [why, ...faults].join("\n");
      return { reply: success(message, { task_id: null, ...rest }) };
    }
    const tool = toolFor(best.task);
    const call = tool === null ? "" : ` Call ${callOf(tool, best.task.id)}.`;
    const message = [
      `Next: '${best.task.id}' (${best.task.title}), because ${best.why}.${call}`,
      ...(alternatives.length > 0
        ? [`Alternatives: ${alternatives.map(({ task_id, why }) => `${task_id} (${why})`).join("; ")}.`]
        : []),
      ...faults,
    ].join("\n");
    return { reply: success(message, { ...summaryOf(best), tool, ...rest }) };
  },
};

/** Unreadable tasks, so that they do not vanish from the answer. */
function unreadable(problems: Listing["problems"]): readonly string[] {
  return problems.map((each) => `Not readable: ${each.id}: ${each.problem}`);
}

interface Remote {
  readonly remote: readonly ListedTask[];
  /** Why the tracker did not answer; local tasks are shown anyway. Null: it answered. */
  readonly problem: string | null;
}

/** The tracker's open tasks as tasks that have not begun. If a task has a file here, the file counts. */
async function loadRemote(outside: Outside, context: Context): Promise<Remote> {
  try {
    const tracker = await openTracker(outside, context);
    const tracked = (await tracker?.list(context.settings.alfred.tracker.project)) ?? [];
    return { remote: tracked.filter(({ id }) => isId(id)).map(listed), problem: null };
  } catch (thrown) {
    const { fix, message } = toPawlError(thrown);
    return { remote: [], problem: `${message} ${fix}` };
  }
}

function listed({ dependencies, id, isDone, priority, title }: TrackedTask): ListedTask {
  return { id, title, status: isDone ? "done" : "new", priority, dependencies, activeTool: null };
}

function summaryOf({ task, why }: Ranked) {
  return { task_id: task.id, title: task.title, task_status: task.status, why };
}
