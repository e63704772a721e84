import type { ToolDefinition } from "./definition.ts";
import type { RunTool } from "./status.ts";
import { PLAN_TASK } from "./tools/plan-task.ts";
import { START_TASK } from "./tools/start-task.ts";

/** Every workflow tool, in the order of a task's life. */
export const DEFINITIONS: readonly ToolDefinition[] = [START_TASK, PLAN_TASK];

export function definitionOf(name: RunTool): ToolDefinition {
  const found = DEFINITIONS.find((definition) => definition.name === name);
  if (!found) throw new Error(`No definition of the tool ${name}.`);
  return found;
}
