/** Every target: one file and its line here. */

import type { Target } from "./target.ts";
import { applied } from "./targets/applied.ts";
import { hookCalls } from "./targets/hook-calls.ts";
import { imports } from "./targets/imports.ts";
import { journal } from "./targets/journal.ts";
import { mcpArguments } from "./targets/mcp-arguments.ts";
import { pawlYaml } from "./targets/pawl-yaml.ts";
import { streams } from "./targets/streams.ts";
import { taskState } from "./targets/task-state.ts";
import { tasksYaml } from "./targets/tasks-yaml.ts";
import { teamRecord } from "./targets/team-record.ts";
import { texts } from "./targets/texts.ts";
import { workflowYaml } from "./targets/workflow-yaml.ts";

export const TARGETS: readonly Target[] = [
  journal,
  applied,
  tasksYaml,
  taskState,
  teamRecord,
  workflowYaml,
  pawlYaml,
  streams,
  mcpArguments,
  hookCalls,
  imports,
  texts,
];
