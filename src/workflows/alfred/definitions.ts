import type { ToolDefinition } from "./definition.ts";
import type { RunTool } from "./status.ts";
import { CREATE_SPEC } from "./tools/create-spec.ts";
import { CREATE_TASKS_FROM_SPEC } from "./tools/create-tasks-from-spec.ts";
import { FINALIZE_TASK } from "./tools/finalize-task.ts";
import { IMPLEMENT_TASK } from "./tools/implement-task.ts";
import { PLAN_TASK } from "./tools/plan-task.ts";
import { REVIEW_TASK } from "./tools/review-task.ts";
import { START_TASK } from "./tools/start-task.ts";
import { TEST_TASK } from "./tools/test-task.ts";

/** Every workflow tool, in the order of a task's life. */
export const DEFINITIONS: readonly ToolDefinition[] = [
  CREATE_SPEC,
  CREATE_TASKS_FROM_SPEC,
  START_TASK,
  PLAN_TASK,
  IMPLEMENT_TASK,
  REVIEW_TASK,
  TEST_TASK,
  FINALIZE_TASK,
];

/** The call that begins the tool or shows where its run stands: `plan_task with task_id "TS-01"`. */
export function callOf(name: RunTool, id: string): string {
  const { takes } = definitionOf(name);
  return `${name} with task_id "${id}"${takes ? ` and ${takes} "" (the run has it)` : ""}`;
}

export function definitionOf(name: RunTool): ToolDefinition {
  const found = DEFINITIONS.find((definition) => definition.name === name);
  if (!found) throw new Error(`No definition of the tool ${name}.`);
  return found;
}
