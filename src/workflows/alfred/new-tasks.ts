import type { Change } from "../../core/ports/store.ts";
import type { ArtifactOf } from "./artifacts.ts";
import type { Kit } from "./load-kit.ts";
import { taskPath } from "./paths.ts";
import type { Artifact } from "./state-file.ts";

type PlannedTask = ArtifactOf<"TaskListArtifact">["tasks"][number];

/** The files of the tasks that an accepted list names. */
export function taskFiles(kit: Kit, artifact: Artifact): readonly Change[] {
  const { tasks } = artifact as ArtifactOf<"TaskListArtifact">;
  return tasks.map((task) => ({
    type: "write",
    path: taskPath(task.task_id),
    text: renderPlanned(kit, task),
  }));
}

/** Throws `task-invalid` where the task cannot be written as a task file. */
export function renderPlanned(kit: Kit, task: PlannedTask): string {
  return kit.renderTask({
    task_id: task.task_id,
    title: task.title.replace(/\s+/g, " ").trim(),
    context: task.context.trim(),
    implementation_details: task.implementation_details.trim(),
    acceptance_criteria: task.acceptance_criteria.map((item) => item.trim()),
    ac_verification: [],
    dev_notes: "",
    priority: task.priority ?? null,
    dependencies: [...new Set(task.dependencies ?? [])],
    other: [],
  });
}
