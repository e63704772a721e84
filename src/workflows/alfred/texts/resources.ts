/** A task's documents, for clients that read without calling a tool. */
import { PawlError } from "../../../core/error.ts";
import type { View } from "../../../core/ports/store.ts";
import { fenced } from "../../../core/text/fence.ts";
import type { Reply, Resource, Transaction } from "../../../runtime/module.ts";
import { type LoadedTask, loadTask, loadTaskIds, slotsOf } from "../state/load.ts";
import { scratchpadPath } from "../state/paths.ts";
import { renderTask } from "../state/task-file.ts";

interface Input {
  readonly task_id: string;
}

/** Reads a part of a task; null: the task does not have it yet. */
function paper(
  part: (loaded: LoadedTask, view: View) => Promise<string | null> | string | null,
  what: string,
): Transaction<Input, string, undefined, Reply> {
  return {
    run: () => null,
    async read(view, { task_id }) {
      const text = await part(await loadTask(view, task_id), view);
      if (text !== null) return text;
      throw new PawlError(
        "no-effect",
        `The task '${task_id}' has no ${what} yet.`,
        `Call work_on_task with task_id "${task_id}": it says which tool comes next.`,
      );
    },
    propose: (text) => ({ reply: { text, data: {} } }),
  };
}

function resource(
  name: string,
  title: string,
  description: string,
  transaction: Resource["transaction"],
): Resource {
  const path = name === "task" ? "" : `/${name}`;
  const uri = `pawl://alfred/tasks/{task_id}${path}`;
  return { name, uri, title, description, mimeType: "text/markdown", ids: loadTaskIds, transaction };
}

export const RESOURCES: readonly Resource[] = [
  resource(
    "task",
    "Task",
    "A task as it was written down.",
    paper(({ task }) => renderTask(task), "file"),
  ),
  resource(
    "plan",
    "Plan",
    "The accepted execution plan of a task.",
    paper(({ state }) => {
      const slots = slotsOf(state);
      return slots.length === 0 ? null : fenced({ slots });
    }, "accepted plan"),
  ),
  resource(
    "scratchpad",
    "Scratchpad",
    "Every accepted artifact of a task's run.",
    paper(({ id }, view) => view.read(scratchpadPath(id)), "scratchpad"),
  ),
  resource(
    "review",
    "Review",
    "What of a task is under review, and what was found beside it.",
    paper(({ state }) => {
      const submitted = state.active_tool_state?.context_store.submitted;
      if (!submitted) return null;
      const lines = submitted.evidence.map(
        ({ about, verdict, words }) => `- ${about} (${verdict}): ${words}`,
      );
      return [`# ${submitted.state}`, fenced(submitted.artifact), ...lines].join("\n\n");
    }, "artifact under review"),
  ),
];
