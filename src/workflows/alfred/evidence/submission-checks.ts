import { PawlError } from "../../../core/error.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { type LoadedRun, slotsOf } from "../state/load.ts";
import { taskPath } from "../state/paths.ts";
import type { Artifact } from "../state/state-file.ts";
import { emptyTask, renderTask } from "../state/task-file.ts";
import type { ArtifactOf } from "../tools/artifacts.ts";
import type { WorkStep } from "../tools/definition.ts";

/** Checks what an artifact must agree with beyond its own structure. Throws the first disagreement. */
export async function checkSubmission(
  run: LoadedRun,
  step: WorkStep,
  artifact: Artifact,
  view: View,
): Promise<void> {
  if (run.definition.countsSubtasks) checkSubtasks(run);
  await checkCreation(run, step, artifact, view);
}

/** Throws if a task that is about to be created exists already. */
export async function checkCreation(
  run: LoadedRun,
  step: WorkStep,
  artifact: Artifact,
  view: View,
): Promise<void> {
  if (step.createsTasks) await checkNewTasks(run, artifact as ArtifactOf<"TaskListArtifact">, view);
}

function checkSubtasks(run: LoadedRun): void {
  const done = run.active.context_store.completed_subtasks;
  const open = slotsOf(run.state).filter(({ slot_id }) => !done.includes(slot_id));
  if (open.length === 0) return;
  throw new PawlError(
    "subtasks-open",
    [
      `The work on task '${run.id}' cannot be handed in: ${open.length} subtask${open.length === 1 ? " is" : "s are"} not marked as complete:`,
      ...open.map(({ slot_id, title }) => `- ${slot_id}: ${title}`),
    ].join("\n"),
    `Do what is missing, call mark_subtask_complete for each, then submit_work again.`,
  );
}

async function checkNewTasks(
  run: LoadedRun,
  { tasks }: ArtifactOf<"TaskListArtifact">,
  view: View,
): Promise<void> {
  const lines: string[] = [];
  const ids = tasks.map(({ task_id }) => task_id);
  for (const [index, task] of tasks.entries()) {
    const { dependencies, task_id } = task;
    if ((await view.read(taskPath(task_id))) !== null)
      lines.push(
        `- tasks.${index}.task_id: expected an id that no task of the project has, found ${JSON.stringify(task_id)}`,
      );
    for (const [place, id] of (dependencies ?? []).entries())
      if (!ids.includes(id) && (await view.read(taskPath(id))) === null)
        lines.push(
          `- tasks.${index}.dependencies.${place}: expected the id of a task of the list or the project, found ${JSON.stringify(id)}`,
        );
  }
  if (lines.length === 0) {
    for (const task of tasks) renderPlanned(task);
    return;
  }
  const { state } = run.configuration;
  throw new PawlError(
    "artifact-invalid",
    [`Artifact validation failed for state '${state}'. The tasks do not fit the project:`, ...lines].join(
      "\n",
    ),
    "Correct what is listed and call submit_work again.",
  );
}

type PlannedTask = ArtifactOf<"TaskListArtifact">["tasks"][number];

/** The files of the tasks in an accepted list. */
export function taskFiles(artifact: Artifact): readonly Change[] {
  const { tasks } = artifact as ArtifactOf<"TaskListArtifact">;
  return tasks.map((task) => ({
    type: "write",
    path: taskPath(task.task_id),
    text: renderPlanned(task),
  }));
}

/** Throws `task-invalid` if the task cannot be written as a task file. */
function renderPlanned(task: PlannedTask): string {
  return renderTask({
    ...emptyTask(task.task_id),
    title: task.title.replace(/\s+/g, " ").trim(),
    context: task.context.trim(),
    implementation_details: task.implementation_details.trim(),
    acceptance_criteria: task.acceptance_criteria.map((item) => item.trim()),
    priority: task.priority ?? null,
    dependencies: [...new Set(task.dependencies ?? [])],
  });
}
