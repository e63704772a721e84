import type { View } from "../../core/ports/store.ts";
import { NOTHING, scopeIn } from "../../engine/scope.ts";
import { type Scope, scopeOr } from "../../runtime/scope.ts";
import { isBegun } from "./state/live-state.ts";
import { loadHere } from "./state/resolve-run.ts";
import type { ActiveTool, TaskState } from "./state/state-file.ts";
import { NEXT_TOOL } from "./state/status.ts";
import { placeOf, wordsFor } from "./texts/titles.ts";
import { callOf, definitionOf } from "./tools/definitions.ts";
import { machineOf } from "./tools/machine.ts";

/** What may be written in the task's present state; null: the task has not begun, or is done. */
export function scopeOf(view: View, id: string): Promise<Scope | null> {
  return scopeOr(`alfred:${id}`, async () => {
    const state = await loadHere(view, id);
    return isBegun(state) ? scopeAt(id, state) : null;
  });
}

function scopeAt(id: string, { active_tool_state: active, task_status }: TaskState): Scope | null {
  const named = { run: `alfred:${id}`, planFiles: [] };
  if (active) {
    const { workflow } = machineOf(definitionOf(active.tool_name));
    const state = `${active.tool_name}: ${wordsFor(active)}`;
    return { ...named, state, ...scopeIn(workflow, active.current_state), ...turnOf(id, active) };
  }
  const tool = NEXT_TOOL[task_status];
  if (tool === null) return null;
  return { ...named, state: task_status, ...NOTHING, next: `Call ${callOf(tool, id)}.`, awaits: "assistant" };
}

function turnOf(id: string, active: ActiveTool): Pick<Scope, "awaits" | "next"> {
  const { reviewer, title } = placeOf(active);
  if (reviewer === "human")
    return {
      next: `A person decides on the ${title}; wait, or tell them to run \`pawl approve alfred:${id}\`.`,
      awaits: "human",
    };
  const next =
    reviewer === "ai"
      ? `Review the ${title}, and give your verdict with provide_review (task_id "${id}").`
      : `Hand in the ${title} with submit_work (task_id "${id}").`;
  return { next, awaits: "assistant" };
}
