import { z } from "zod";
import { isId } from "../core/id.ts";
import { STEP_STATUSES, TASK_STATUSES, type Task } from "./task.ts";

const text = z.string();
const filled = z.string().refine((value) => value.trim() !== "", { error: "a non-empty string" });
const id = z.string().refine(isId, {
  error:
    'an id of 1 to 100 characters of A-Z a-z 0-9 . _ -, beginning with a letter or digit, without "..", not ending in "." or ".lock"',
});
const texts = z.array(filled);
const criteria = z
  .array(
    z.union([filled, z.strictObject({ text: filled, check: filled })], {
      error: "a text, or `text` and `check`, each a non-empty string",
    }),
  )
  .default([])
  .describe("A text each, or `{text, check}` with a shell command that shows whether it is met.");
const amount = z.number().positive();

const step = z.looseObject({
  id: id.describe("Unique in the whole file."),
  instruction: filled.describe("The agent's instruction."),
  status: z.enum(STEP_STATUSES).default("pending"),
  acceptance_criteria: criteria,
  verify: texts.optional().describe("Shell commands, run before the task's own."),
  started_at: text.optional(),
  completed_at: text.optional(),
  cancel_reason: text.optional().describe("Why it is cancelled."),
});

export const task: z.ZodType<Task> = z.looseObject({
  id: id.describe("Unique in the whole file: tasks, subtasks and steps share them."),
  title: filled.describe("In a few words."),
  status: z.enum(TASK_STATUSES).default("todo"),
  phase: z.int().positive().optional().describe("It waits for those of lower phases."),
  depends_on: z.array(id).default([]).describe("It waits until these are done, merge included."),
  repo: filled
    .optional()
    .describe(
      "`.` for the project's own repository, or a path inside the project; without it, the project's root.",
    ),
  branch: filled.optional().describe("Where it is worked on; bloom/ID without it."),
  base_branch: filled.optional().describe("What the branch is made from."),
  merge_into: filled.optional().describe("The branch that its work is merged into."),
  open_pr: z.boolean().optional().describe("Open a pull request in place of a merge."),
  agent_name: filled.optional().describe("The group of workers that takes it: `bloom run --agent NAME`."),
  agent: filled.optional().describe("claude, codex, opencode, gemini, scripted, or one of pawl.yaml."),
  life: filled.optional().describe("One of pawl.yaml's `workflows` that extends bloom; bloom for none."),
  instructions: text
    .optional()
    .describe("The agent's instructions; the single step of a task without steps."),
  acceptance_criteria: criteria,
  verify: texts
    .optional()
    .describe("Shell commands that Pawl runs after each step and on the merged result."),
  steps: z.array(step).default([]).describe("Done one after another in one session of the agent."),
  get subtasks() {
    return z.array(task).default([]);
  },
  checkpoint: z.boolean().optional().describe("A person approves before anything leaves the workspace."),
  ai_notes: z.array(text).default([]),
  budget: z
    .looseObject({ usd: amount.optional(), turns: z.int().positive().optional(), minutes: amount.optional() })
    .optional()
    .describe("What it may spend."),
  session_id: text.optional(),
  session_provider: text.optional(),
  started_at: text.optional(),
  completed_at: text.optional(),
  cancel_reason: text.optional().describe("Why it is cancelled."),
});

const git = z.looseObject({
  push_to_remote: z.boolean().default(false).describe("Push branches and merge targets."),
  auto_cleanup_merged: z.boolean().default(false).describe("Remove a workspace and its branch once merged."),
});

export const tasksFile = z.looseObject({ git: git.prefault({}), tasks: z.array(task) });

/** The names that the schema knows, for the warning on a near miss. */
export const KNOWN_KEYS = {
  file: ["git", "tasks"],
  // The last ones come from imports.
  task: [
    ...Object.keys((task as unknown as { shape: object }).shape),
    "description",
    "source",
    "source_seen",
  ],
  step: [...Object.keys(step.shape), "source", "source_seen"],
} as const;
