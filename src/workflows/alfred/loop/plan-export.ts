/** An accepted plan as steps of a task in tasks.yaml, for the loop to run. */
import { PawlError } from "../../../core/error.ts";
import { isId } from "../../../core/id.ts";
import type { Context } from "../../../runtime/module.ts";
import { branchOf, type LoadedTask, type Slot, slotsOf } from "../state/load.ts";

export interface NewTask {
  readonly id: string;
  readonly title: string;
  /** Its repository and target branch; absent: left to the person. */
  readonly delivery?: { readonly repo: "."; readonly merge_into: string };
  readonly verify?: readonly string[];
  readonly instructions: string;
  readonly acceptance_criteria: readonly string[];
  readonly steps: readonly NewStep[];
}

export interface NewStep {
  readonly id: string;
  readonly instruction: string;
  readonly acceptance_criteria: readonly string[];
}

/** The accepted plan as a task for the loop. Throws `plan-missing`. */
export function exportedTask({ id, state, task }: LoadedTask, { settings }: Context): NewTask {
  const slots = slotsOf(state);
  if (slots.length === 0)
    throw new PawlError(
      "plan-missing",
      `The task '${id}' has no accepted plan; its status is '${state.task_status}'.`,
      `Plan it first: plan_task with task_id "${id}".`,
    );
  const branch = branchOf(state);
  return {
    id,
    title: task.title,
    ...(branch !== null && { delivery: { repo: ".", merge_into: branch } }),
    verify: Object.values(settings.alfred.checks),
    instructions: [task.context, task.implementation_details].filter((text) => text !== "").join("\n\n"),
    acceptance_criteria: task.acceptance_criteria,
    steps: inOrder(slots).map((slot) => ({
      id: stepId(id, slot),
      instruction: instructionOf(slot),
      acceptance_criteria: slot.taskflow.verification_steps,
    })),
  };
}

/** Ids are unique in the whole file, so a slot's step id starts with its task's. */
export function stepId(task: string, { slot_id }: Slot): string {
  const id = `${task}.${slot_id}`;
  if (isId(id)) return id;
  throw new PawlError(
    "id-invalid",
    `The step of the slot ${slot_id} would be called ${JSON.stringify(id)}, which is not an id: expected at most 100 characters, without ".." or ".lock" at the end.`,
    "Plan the task with shorter slot ids.",
  );
}

/** Orders each slot after those that it depends on, otherwise as in the plan. */
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
