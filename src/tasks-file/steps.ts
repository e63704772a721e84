import { isOpenStep, type Step, type Task } from "./task.ts";

export interface FoundStep {
  readonly task: Task;
  readonly step: Step;
  readonly stepIndex: number;
}

/** The step of that id, with its task; step ids are unique in the whole file. */
export function findStep(tasks: readonly Task[], stepId: string): FoundStep | null {
  for (const task of tasks) {
    const stepIndex = task.steps.findIndex((step) => step.id === stepId);
    if (stepIndex >= 0) return { task, step: task.steps[stepIndex] as Step, stepIndex };
    const below = findStep(task.subtasks, stepId);
    if (below !== null) return below;
  }
  return null;
}

/** The first step that is neither done nor cancelled, or null. */
export function getCurrentStepForTask(task: Task): Step | null {
  return task.steps.find(isOpenStep) ?? null;
}

/**
 * The next open step after the current one, or null: whether there are more. After a step was marked done,
 * call `getCurrentStepForTask` again.
 */
export function getNextPendingStep(task: Task): Step | null {
  return task.steps.filter(isOpenStep)[1] ?? null;
}
