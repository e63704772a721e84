import type { UserPrompt } from "../../../runtime/module.ts";

const TASK = { name: "task_id", description: "The task's id, such as TS-01", required: true };

/** The prompts in an MCP client's menu, for a user to begin with. */
export const USER_PROMPTS: readonly UserPrompt[] = [
  {
    name: "next_task",
    title: "Work on the next task",
    description: "Find the task to work on and begin with it.",
    arguments: [],
    render: () =>
      "Call get_next_task, tell me which task is next and why, and after my consent call the tool that it names. Follow each prompt that the tools return.",
  },
  {
    name: "start_task",
    title: "Start a task",
    description: "Set the repository up for a task.",
    arguments: [TASK],
    render: ({ task_id = "" }) =>
      `Call work_on_task with task_id ${JSON.stringify(task_id)}, then the tool that it names. Follow each prompt that the tools return. Where a human review is asked for, show me what is under review and wait for my decision.`,
  },
  {
    name: "create_task",
    title: "Create a task",
    description: "Write a task down from what you want done.",
    arguments: [{ name: "wish", description: "What should be done", required: true }],
    render: ({ wish = "" }) =>
      `Write a task for this, show it to me, and after my consent call create_task with it:\n\n${wish}`,
  },
];
