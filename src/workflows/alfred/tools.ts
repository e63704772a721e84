import { z } from "zod";
import type { Tool } from "../module.ts";
import { createTask } from "./create-task.ts";
import { DEFINITIONS } from "./definitions.ts";
import { getNextTask } from "./get-next-task.ts";
import { initializeProject, PROVIDERS } from "./initialize-project.ts";
import { markSubtask } from "./mark-subtask.ts";
import { openTool } from "./open-tool.ts";
import { provideReview } from "./provide-review.ts";
import { atTheEdge } from "./response.ts";
import { submitWork } from "./submit-work.ts";
import { workOnTask } from "./work-on-task.ts";

const output = z.object({
  status: z.enum(["success", "error", "choices_needed"]),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
  next_prompt: z.string().optional(),
});

const task_id = z.string().describe("e.g. TS-01");

const SINGLE: readonly Tool[] = [
  {
    name: "initialize_project",
    title: "Initialize the project",
    description:
      "Set the project up for Alfred (creates .alfred/). Use it once, first; without a provider it lists the choices.",
    input: z.object({ provider: z.enum(PROVIDERS).optional() }),
    output,
    readOnly: false,
    idempotent: true,
    advance: atTheEdge(initializeProject),
  },
  {
    name: "create_task",
    title: "Create a task",
    description:
      "Add a task from markdown: # TASK: <id>, then ## Title, ## Context, ## Implementation Details, ## Acceptance Criteria (list); optionally ## AC Verification, ## Dev Notes, ## Priority, ## Dependencies.",
    input: z.object({ task_content: z.string() }),
    output,
    readOnly: false,
    idempotent: true,
    advance: atTheEdge(createTask),
  },
  {
    name: "get_next_task",
    title: "Get the next task",
    description: "Find out which task to work on now, and why. Changes nothing.",
    input: z.object({}),
    output,
    readOnly: true,
    idempotent: true,
    advance: atTheEdge(getNextTask),
  },
  {
    name: "work_on_task",
    title: "Work on a task",
    description: "Find out which tool a task's status calls for. Changes nothing.",
    input: z.object({ task_id }),
    output,
    readOnly: true,
    idempotent: true,
    advance: atTheEdge(workOnTask),
  },
];

const HAND_IN: readonly Tool[] = [
  {
    name: "mark_subtask_complete",
    title: "Mark a subtask as complete",
    description:
      "Within implement_task: mark a slot of the plan as done, once its verification steps passed.",
    input: z.object({ task_id, subtask_id: z.string().describe("the slot's id") }),
    output,
    readOnly: false,
    idempotent: true,
    advance: atTheEdge(markSubtask),
  },
  {
    name: "submit_work",
    title: "Submit work",
    description:
      'Hand in the artifact that the current prompt asks for, in the structure that it shows; for work of the loop {"from": "loop"}. The one way to hand in any artifact.',
    input: z.object({ task_id, artifact: z.looseObject({}) }),
    output,
    readOnly: false,
    idempotent: false,
    advance: atTheEdge(submitWork),
  },
  {
    name: "provide_review",
    title: "Provide a review",
    description:
      "Approve or reject what is under review. In a human review, pass on the human's own verdict, never yours. Notes of a rejection say what to change.",
    input: z.object({ task_id, is_approved: z.boolean(), feedback_notes: z.string().optional() }),
    output,
    readOnly: false,
    idempotent: false,
    advance: atTheEdge(provideReview),
  },
];

/** Every tool, in the order in which they are used. */
export const TOOLS: readonly Tool[] = [
  ...SINGLE,
  ...DEFINITIONS.map(
    (definition): Tool => ({
      name: definition.name,
      title: definition.title,
      description: definition.description,
      input: z.object({
        task_id,
        ...(definition.takes && { [definition.takes]: z.string().optional() }),
        ...(definition.countsSubtasks && {
          hand_over: z.boolean().optional().describe("have the loop's agents do it"),
        }),
      }),
      output,
      readOnly: false,
      idempotent: true,
      advance: atTheEdge(openTool(definition)),
    }),
  ),
  ...HAND_IN,
];
