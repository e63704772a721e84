import { z } from "zod";
import type { Tool } from "../../../runtime/module.ts";
import { createTask } from "./create-task.ts";
import { DEFINITIONS } from "./definitions.ts";
import { getNextTask } from "./get-next-task.ts";
import { initializeProject, PROVIDERS } from "./initialize-project.ts";
import { markSubtask } from "./mark-subtask.ts";
import { openTool } from "./open-tool.ts";
import { provideReview } from "./provide-review.ts";
import { toolTransaction } from "./response.ts";
import { submitWork } from "./submit-work.ts";
import { workOnTask } from "./work-on-task.ts";

const task_id = z.string().describe("its id");

/**
 * `openWorld`: the tool may reach outside the project, because tasks may live in a tracker, which it reads and
 * updates, and because checks run the project's commands.
 */
const SINGLE: readonly Tool[] = [
  {
    name: "initialize_project",
    title: "Initialize the project",
    description:
      "Set the project up for Alfred (creates .alfred/). Once, first; without a provider it lists the choices.",
    input: z.strictObject({ provider: z.enum(PROVIDERS).optional().describe("where tasks are kept") }),
    readOnly: false,
    idempotent: true,
    transaction: toolTransaction(initializeProject),
  },
  {
    name: "create_task",
    title: "Create a task",
    description:
      "Add a task from markdown: # TASK: <id>, then ## Title, ## Context, ## Implementation Details, ## Acceptance Criteria (list); optionally ## AC Verification, ## Dev Notes, ## Priority, ## Dependencies.",
    input: z.strictObject({ task_content: z.string().describe("the whole markdown") }),
    readOnly: false,
    idempotent: true,
    transaction: toolTransaction(createTask),
  },
  {
    name: "get_next_task",
    title: "Get the next task",
    description: "Find the task to work on now, and why.",
    input: z.strictObject({}),
    readOnly: true,
    idempotent: true,
    openWorld: true,
    transaction: toolTransaction(getNextTask),
  },
  {
    name: "work_on_task",
    title: "Work on a task",
    description: "Find the tool that a task's status calls for.",
    input: z.strictObject({ task_id }),
    readOnly: true,
    idempotent: true,
    openWorld: true,
    transaction: toolTransaction(workOnTask),
  },
];

const HAND_IN: readonly Tool[] = [
  {
    name: "mark_subtask_complete",
    title: "Mark a subtask complete",
    description: "In implement_task: mark a slot as done once its verification passed.",
    input: z.strictObject({ task_id, subtask_id: z.string().describe("the slot's id") }),
    readOnly: false,
    idempotent: true,
    transaction: toolTransaction(markSubtask),
  },
  {
    name: "submit_work",
    title: "Submit work",
    description: 'Hand in the artifact that the prompt asks for; for work of the loop {"from": "loop"}.',
    input: z.strictObject({
      task_id,
      artifact: z.looseObject({}).describe("as the prompt shows it"),
    }),
    readOnly: false,
    idempotent: false,
    waitsAtGate: true,
    transaction: toolTransaction(submitWork),
  },
  {
    name: "provide_review",
    title: "Provide a review",
    description:
      "Approve or reject what is under review. In a human review pass on the human's verdict, never yours.",
    input: z.strictObject({
      task_id,
      is_approved: z.boolean().describe("false sends it back"),
      feedback_notes: z
        .string()
        .optional()
        .describe("the reason (a rejection needs one), or what to know later"),
    }),
    readOnly: false,
    idempotent: false,
    relaysVerdict: ({ alfred: { human_review, reviews } }) =>
      human_review === "relay" && Object.values(reviews).some((reviewers) => reviewers.includes("human")),
    waitsAtGate: true,
    transaction: toolTransaction(provideReview),
  },
];

/** Every tool, in the order of use. */
export const TOOLS: readonly Tool[] = [
  ...SINGLE,
  ...DEFINITIONS.map(
    (definition): Tool => ({
      name: definition.name,
      title: definition.title,
      description: definition.description,
      input: z.strictObject({
        task_id,
        ...(definition.takes && {
          [definition.takes]: z.string().describe("the product document, markdown; empty once it has begun"),
        }),
        ...(definition.countsSubtasks && {
          hand_over: z.boolean().optional().describe("let the loop do it"),
        }),
      }),
      readOnly: false,
      idempotent: true,
      transaction: toolTransaction(openTool(definition)),
    }),
  ),
  ...HAND_IN,
];
