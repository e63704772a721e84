import { z } from "zod";
import { isId } from "../../base/id.ts";
import { STEP_STATUSES, TASK_STATUSES, type Task } from "./task.ts";

const text = z.string();
const filled = z.string().refine((value) => value.trim() !== "", { error: "a text that is not empty" });
const id = z.string().refine(isId, {
  error:
    'an id of 1 to 100 characters of A-Z a-z 0-9 . _ -, beginning with a letter or digit, without "..", not ending in "." or ".lock"',
});
const texts = z.array(filled);
const amount = z.number().positive();

const step = z.looseObject({
  id,
  instruction: filled,
  status: z.enum(STEP_STATUSES).default("pending"),
  acceptance_criteria: texts.default([]),
  verify: texts.optional(),
  started_at: text.optional(),
  completed_at: text.optional(),
});

const task: z.ZodType<Task> = z.looseObject({
  id,
  title: filled,
  status: z.enum(TASK_STATUSES).default("todo"),
  phase: z.int().positive().optional(),
  depends_on: z.array(id).default([]),
  repo: filled.optional(),
  branch: filled.optional(),
  base_branch: filled.optional(),
  merge_into: filled.optional(),
  open_pr: z.boolean().optional(),
  agent_name: filled.optional(),
  agent: filled.optional(),
  instructions: text.optional(),
  acceptance_criteria: texts.default([]),
  verify: texts.optional(),
  steps: z.array(step).default([]),
  get subtasks() {
    return z.array(task).default([]);
  },
  checkpoint: z.boolean().optional(),
  ai_notes: z.array(text).default([]),
  budget: z
    .looseObject({ usd: amount.optional(), turns: z.int().positive().optional(), minutes: amount.optional() })
    .optional(),
  session_id: text.optional(),
  session_provider: text.optional(),
  started_at: text.optional(),
  completed_at: text.optional(),
});

const git = z.looseObject({
  push_to_remote: z.boolean().default(false),
  auto_cleanup_merged: z.boolean().default(false),
});

export const tasksFile = z.looseObject({ git: git.prefault({}), tasks: z.array(task) });

/** The names that the schema knows, for the warning on a near miss. */
export const KNOWN_KEYS = {
  file: ["git", "tasks"],
  task: Object.keys((task as unknown as { shape: object }).shape),
  step: Object.keys(step.shape),
} as const;
