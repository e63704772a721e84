import { PawlError } from "../../../core/error.ts";
import { filesIn } from "../../../core/files-in.ts";
import { hashOf } from "../../../core/hash.ts";
import { checkId } from "../../../core/id.ts";
import { canonical } from "../../../core/json.ts";
import type { View } from "../../../core/ports/store.ts";
import { naturalOrder } from "../../../core/text/natural-order.ts";
import type { Context } from "../../../runtime/module.ts";
import type { TableRun } from "../../../runtime/transaction/run-event.ts";
import type { Persona } from "../texts/persona.ts";
import type { TemplateSet } from "../texts/prompter.ts";
import { loadPersona, loadTemplates } from "../texts/texts.ts";
import type { ArtifactOf } from "../tools/artifacts.ts";
import type { ToolDefinition } from "../tools/definition.ts";
import { DEFINITIONS, definitionOf } from "../tools/definitions.ts";
import { configurationOf, machineOf } from "../tools/machine.ts";
import { loadWorkspace, type Workspace } from "./live-state.ts";
import { missingTaskError } from "./missing-task.ts";
import { archiveFolder, statePath, TASKS, taskPath } from "./paths.ts";
import { loadActing } from "./resolve-run.ts";
import type { Accepted, ActiveTool, TaskState } from "./state-file.ts";
import type { RunTool } from "./status.ts";
import { emptyTask, parseTask, type Task } from "./task-file.ts";

/** A task and its state on disk. */
export interface LoadedTask {
  readonly id: string;
  /** It has no file yet: it comes from the tracker. */
  readonly isAwaited?: true;
  readonly task: Task;
  readonly state: TaskState;
}

/** For the prompt of work that was handed over to the loop. */
export interface LoopProgress {
  readonly status: string;
  /** Its state in the loop's table; null: not begun there. */
  readonly state: string | null;
  readonly reason: string | null;
  readonly done: number;
  readonly total: number;
  readonly is_done: boolean;
}

/** A task with a tool's run, and everything that its next prompt may need. */
export interface LoadedRun extends LoadedTask, TableRun {
  readonly definition: ToolDefinition;
  readonly active: ActiveTool;
  readonly persona: Persona;
  readonly templates: TemplateSet;
  readonly workspace: Workspace;
  /** The names of the archive's files. */
  readonly archived: readonly string[];
  /** The loop's progress; absent or null: the task was not handed over, or this was not checked. */
  readonly loop?: LoopProgress | null;
  /** The work states whose artifact differs from what was submitted or approved. */
  readonly altered: readonly string[];
}

/** The ids of the project's tasks, in natural order. */
export async function loadTaskIds(view: View): Promise<readonly string[]> {
  return [...(await filesIn(view, TASKS, ".md"))].sort(naturalOrder);
}

/**
 * Throws `task-missing` with the existing ids, `task-invalid`, `state-unreadable`. With `awaits`, a task
 * without a file counts as awaited.
 */
export async function loadTask(
  view: View,
  task: string,
  awaits = false,
  load: (view: View, id: string) => Promise<Pick<LoadedTask, "state">> = loadActing,
): Promise<LoadedTask> {
  const id = checkId(task, "task id");
  const path = taskPath(id);
  const text = await view.read(path);
  if (text === null && awaits) return { id, task: emptyTask(id), ...(await load(view, id)), isAwaited: true };
  if (text === null)
    throw missingTaskError(id, await loadTaskIds(view), (await view.read(statePath(id))) !== null);
  const parsed = parsedTask(text, path);
  if (parsed.task_id !== id)
    throw new PawlError(
      "task-invalid",
      `${path} is the task ${JSON.stringify(parsed.task_id)}; expected its first heading to be "# TASK: ${id}".`,
      "Rename the file, or correct the heading.",
    );
  return { id, task: parsed, ...(await load(view, id)) };
}

let latest: { readonly text: string; readonly path: string; readonly task: Task } | null = null;

/** Caches the last task, because many calls parse the same text. */
function parsedTask(text: string, path: string): Task {
  if (latest?.text !== text || latest.path !== path) latest = { text, path, task: parseTask(text, path) };
  return latest.task;
}

/** What the tool's last finished run accepted in a work state. */
export function acceptedIn(state: TaskState, tool: RunTool, work: string): Accepted | undefined {
  return state.completed_tool_outputs[tool]?.accepted.findLast((each) => each.state === work);
}

export type Slot = ArtifactOf<"ExecutionPlanArtifact">["slots"][number];

/** The branch that start_task created and git confirmed; null if unknown. */
export function branchOf(state: TaskState): string | null {
  const made = acceptedIn(state, "start_task", "branch_created");
  const { branch_name, success } = (made?.artifact ?? {}) as Partial<ArtifactOf<"BranchCreationArtifact">>;
  const isSeen = made?.evidence.some(({ about, verdict }) => about === "git" && verdict === "agrees");
  return success === true && isSeen === true && branch_name ? branch_name.trim() : null;
}

/** The slots of the accepted plan; empty if the task was not planned. */
export function slotsOf(state: TaskState): readonly Slot[] {
  const slots = acceptedIn(state, "plan_task", "generate_slots")?.artifact.slots;
  return Array.isArray(slots) ? (slots as readonly Slot[]) : [];
}

/** The slots that change a file. */
export function changingSlots(state: TaskState): readonly Slot[] {
  return slotsOf(state).filter(({ operation }) => operation !== "REVIEW");
}

/** The task's active run; throws `no-active-tool` if there is none. */
export async function loadRun(view: View, loaded: LoadedTask, context: Context): Promise<LoadedRun> {
  const { active_tool_state: active } = loaded.state;
  if (active === null)
    throw new PawlError(
      "no-active-tool",
      `No tool is active on the task '${loaded.id}'; its status is '${loaded.state.task_status}'.`,
      `Call work_on_task with task_id "${loaded.id}": it says which tool comes next.`,
    );
  return completeRun(view, loaded, active, context);
}

/** Adds what the run's prompts need, and checks whether its artifacts are still what was approved. */
export async function completeRun(
  view: View,
  loaded: LoadedTask,
  active: ActiveTool,
  context: Context,
): Promise<LoadedRun> {
  const definition = definitionOf(active.tool_name);
  const { id } = loaded;
  const archive = await view.list(archiveFolder(id));
  return {
    ...loaded,
    run: `alfred:${id}`,
    workflow: machineOf(definition).workflow,
    definition,
    active,
    configuration: configurationOf(definition, active),
    persona: await loadPersona(view, personaOf(definition, context)),
    templates: await loadTemplates(view, definition),
    workspace: await loadWorkspace(view, id),
    archived: archive.map(({ name }) => name),
    altered: await alteredIn(active, loaded.state),
  };
}

export function personaOf(definition: ToolDefinition, { settings }: Context): string {
  return settings.alfred.personas[definition.name] ?? definition.persona;
}

async function alteredIn(active: ActiveTool, state: TaskState): Promise<readonly string[]> {
  const { accepted, submitted } = active.context_store;
  const finished = DEFINITIONS.flatMap(({ name }) => state.completed_tool_outputs[name]?.accepted ?? []);
  const all = [...finished, ...accepted, ...(submitted ? [submitted] : [])];
  const altered: string[] = [];
  for (const each of all) if (hashOf(canonical(each.artifact)) !== each.sha256) altered.push(each.state);
  return altered;
}
