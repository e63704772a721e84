/** An accepted plan as steps of a task in tasks.yaml, for the loop that runs them. */
import { PawlError } from "../../base/error.ts";
import { checkId, isId } from "../../base/id.ts";
import { projectPath } from "../../base/path.ts";
import type { Advance, Reply } from "../module.ts";
import type { ArtifactOf } from "./artifacts.ts";
import { type LoadedTask, loadTask } from "./load.ts";
import type { ExportedTask, Placed } from "./tasks-yaml.ts";

type Slot = ArtifactOf<"ExecutionPlanArtifact">["slots"][number];

interface Seen extends LoadedTask {
  readonly text: string | null;
  readonly place: (text: string | null, task: ExportedTask) => Placed;
}

const TASKS_YAML = projectPath("tasks.yaml");

export const exportPlan: Advance<{ readonly id: string }, Seen, undefined, Reply> = {
  run: ({ id }) => `alfred:${checkId(id, "task id")}`,
  async read(view, { id }) {
    const { placeTask } = await import("./tasks-yaml.ts");
    return { ...(await loadTask(view, id)), text: await view.read(TASKS_YAML), place: placeTask };
  },
  prepare(seen) {
    const { id, place, text } = seen;
    const task = exported(seen);
    const placed = place(text, task);
    const data = { task_id: id, path: TASKS_YAML, steps: task.steps.map((step) => step.id) };
    if (placed.kind === "there")
      return {
        reply: { text: `The plan of '${id}' is in ${TASKS_YAML} already. Nothing was changed.`, data },
      };
    return {
      reply: {
        text: `The plan of '${id}' is in ${TASKS_YAML}: ${task.steps.length} steps of the task ${id} (${task.steps.map((step) => step.id).join(", ")}). \`bloom ready ${id}\` lets the loop take it.`,
        data,
      },
      changes: [{ type: "write", path: TASKS_YAML, text: placed.text }],
    };
  },
};

function exported({ id, state, task }: LoadedTask): ExportedTask {
  const accepted = state.completed_tool_outputs.plan_task?.accepted.findLast(
    (each) => each.state === "generate_slots",
  );
  if (!accepted)
    throw new PawlError(
      "plan-missing",
      `The task '${id}' has no accepted plan; its status is '${state.task_status}'.`,
      `Plan it first: plan_task with task_id "${id}".`,
    );
  const { slots } = accepted.artifact as ArtifactOf<"ExecutionPlanArtifact">;
  return {
    id,
    title: task.title,
    instructions: [task.context, task.implementation_details].filter((text) => text !== "").join("\n\n"),
    acceptance_criteria: task.acceptance_criteria,
    steps: inOrder(slots).map((slot) => ({
      id: stepId(id, slot),
      instruction: instructionOf(slot),
      acceptance_criteria: slot.taskflow.verification_steps,
    })),
  };
}

/** Ids are unique in the whole file, so a slot's carries its task's. */
function stepId(task: string, { slot_id }: Slot): string {
  const id = `${task}.${slot_id}`;
  if (isId(id)) return id;
  throw new PawlError(
    "id-invalid",
    `The step of the slot ${slot_id} would be called ${JSON.stringify(id)}, which is not an id: expected at most 100 characters, without ".." or ".lock" at the end.`,
    "Plan the task with shorter slot ids.",
  );
}

/** Each slot after those that it depends on, otherwise in the plan's order. */
export function inOrder(slots: readonly Slot[]): readonly Slot[] {
  const done: Slot[] = [];
  const isDone = (id: string) => done.some(({ slot_id }) => slot_id === id);
  while (done.length < slots.length) {
    const next = slots.find(
      (slot) => !isDone(slot.slot_id) && (slot.depends_on ?? []).every((id) => isDone(id)),
    );
    if (!next) break;
    done.push(next);
  }
  return done;
}

function instructionOf({ location, operation, spec, taskflow, title }: Slot): string {
  const steps = taskflow.procedural_steps.map((step, index) => `${index + 1}. ${step}`);
  return [`${title} (${operation} ${location})`, spec, steps.join("\n")]
    .filter((text) => text !== "")
    .join("\n\n");
}
