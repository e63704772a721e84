/** The kind of a task's run for the run log: a state that does not follow from it is held. */
import type { View } from "../../../core/ports/store.ts";
import type { At, RunKind } from "../../../runtime/run-log/kind.ts";
import { checkRun } from "../../../runtime/run-log/read.ts";
import { definitionOf } from "../tools/definitions.ts";
import { configurationIn, machineOf } from "../tools/machine.ts";
import { checkConfiguration, decidedIn, TASK_LAW } from "./law.ts";
import { statePath, WORKSPACE } from "./paths.ts";
import { sharedIn } from "./records.ts";
import type { TaskState } from "./state-file.ts";
import { isRunTool } from "./status.ts";

const STATE = /^([^/]+)\/task_state\.json$/;

export const TASK_RUNS: RunKind = {
  tableOf: (machine) => (isRunTool(machine) ? machineOf(definitionOf(machine)).workflow : null),
  runOf(path) {
    const [, id] = path.startsWith(`${WORKSPACE}/`)
      ? (STATE.exec(path.slice(WORKSPACE.length + 1)) ?? [])
      : [];
    return id === undefined ? null : `alfred:${id}`;
  },
  pathsOf: (run) => [statePath(run.slice("alfred:".length))],
  at,
  decides: decidedIn,
  law: TASK_LAW,
  sharedIn,
};

function at(text: string): At | null {
  try {
    const { active_tool_state: active, task_status: state } = JSON.parse(text) as TaskState;
    // Between two tools, a task is in no tool's table.
    if (active === null) return { machine: "alfred", state, variables: {} };
    return { machine: active.tool_name, ...configurationIn(definitionOf(active.tool_name), active) };
  } catch {
    return null;
  }
}

/** Throws `state-tampered`, and `run-unreachable` with the line. */
export async function checkTask(view: View, state: TaskState): Promise<void> {
  await checkConfiguration(view, state);
  await checkRun(view, TASK_RUNS, `alfred:${state.task_id}`);
}
