import { PawlError } from "../../../core/error.ts";
import { taskPath } from "../state/paths.ts";
import { parseTask, type Task } from "../state/task-file.ts";
import { success, type ToolPlan } from "./response.ts";

export interface CreateTaskInput {
  readonly task_content: string;
}

interface GivenTask {
  readonly task: Task;
  readonly existing: string | null;
}

/** For the log only; the grammar decides which heading names the task. */
const HEADING = /^#[ \t]+TASK:[ \t]*(\S+)[ \t]*$/im;

/** Writes the task as given: checks its content, and keeps it verbatim. */
export const createTask: ToolPlan<CreateTaskInput, GivenTask, undefined> = {
  tool: "create_task",
  task: ({ task_content }) => HEADING.exec(task_content)?.[1] ?? null,
  run: () => "alfred:tasks",
  async read(view, input) {
    const task = parseTask(input.task_content, "task_content");
    return { task, existing: await view.read(taskPath(task.task_id)) };
  },
  propose({ existing, task }, _, input) {
    const path = taskPath(task.task_id);
    const text = input.task_content.endsWith("\n") ? input.task_content : `${input.task_content}\n`;
    const data = { task_id: task.task_id, title: task.title, path };
    if (existing === text)
      return {
        reply: success(
          `Task '${task.task_id}' exists already, with this content. Nothing was changed.`,
          data,
        ),
      };
    if (existing !== null)
      throw new PawlError(
        "task-exists",
        `Task '${task.task_id}' exists already in ${path}, with another content. Nothing was changed.`,
        `Use another id, or edit ${path}.`,
      );
    const message = `Task '${task.task_id}' is created in ${path}. Call start_task with task_id "${task.task_id}" to begin.`;
    return {
      reply: success(message, data),
      changes: [{ type: "write", path, text }],
    };
  },
};
