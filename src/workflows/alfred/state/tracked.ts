/** Tasks from a tracker: read when they are first needed, and kept as a task file from then on. */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { isId } from "../../../core/id.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { TrackedTask, Tracker } from "../../../core/ports/trackers.ts";
import type { Context } from "../../../runtime/module.ts";
import { parseTask, renderTask, type Task } from "./task-file.ts";

/** The project's tracker; null if its tasks are its own. */
export async function openTracker(outside: Outside, { settings }: Context): Promise<Tracker | null> {
  const { provider } = settings.alfred;
  if (provider === "local") return null;
  if (outside.trackers) return outside.trackers.open(provider, settings.alfred.tracker);
  throw new PawlError(
    "tracker-unconfigured",
    `The provider of tasks is ${provider}, but no tracker can be asked here.`,
    "Set `provider: local` in the configuration.",
  );
}

export const isTracked = ({ settings }: Context): boolean => settings.alfred.provider !== "local";

/** A task that has no file yet; the tracker knows what it is. */
export function awaitedTask(id: string): Task {
  return {
    task_id: id,
    title: "",
    context: "",
    implementation_details: "",
    acceptance_criteria: [],
    ac_verification: [],
    dev_notes: "",
    priority: null,
    dependencies: [],
    other: [],
  };
}

/** What the tracker says about a task without a file; throws `task-missing` if it does not know the task either. */
export async function fetchTask(id: string, outside: Outside, context: Context): Promise<Task> {
  const tracker = await openTracker(outside, context);
  const tracked = (await tracker?.read(id)) ?? null;
  // A tracker may be lenient about case, or follow a moved issue; a file's name is not.
  if (tracked !== null && tracked.id === id) return taskFrom(tracked);
  const { provider } = context.settings.alfred;
  const other = tracked === null ? "" : ` There it is called '${tracked.id}'.`;
  throw new PawlError(
    "task-missing",
    `Task '${id}' not found, neither in .alfred/tasks nor in ${provider}.${other}`,
    tracked === null ? "Use an id that exists, or create the task." : `Use the id ${tracked.id}.`,
  );
}

/**
 * The tracker's issue as a task. A description in the grammar's own sections is read as such; any other is the context,
 * its upper headings moved down so that it stays one section.
 */
export function taskFrom(tracked: TrackedTask): Task {
  const own = { priority: tracked.priority, dependencies: tracked.dependencies.filter(isId) };
  const title = tracked.title.replace(/\s+/g, " ").trim() || tracked.id;
  const written = inGrammar(tracked, title);
  if (written) return { ...written, ...own };
  const context = lowered(tracked.description.replace(/\r\n?/g, "\n").trim());
  const task = { ...awaitedTask(tracked.id), ...own, title, context };
  try {
    renderTask(task);
    return task;
  } catch {
    // For instance because of an open fence: quoted, every line stays what it is.
    return { ...task, context: context.replace(/^/gm, "> ").trimEnd() };
  }
}

function inGrammar({ description, id }: TrackedTask, title: string): Task | null {
  return attempt(() => parseTask(`# TASK: ${id}\n\n## Title\n${title}\n\n${description}`, id), null);
}

/** In a code fence nothing is a heading. */
function lowered(text: string): string {
  let fence = "";
  const lines = text.split("\n").map((line) => {
    const [, mark = "", rest = ""] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === "" && mark === "") return line.replace(/^#{1,2}(?=\s)/, "###");
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && rest.trim() === "") fence = "";
    return line;
  });
  return lines.join("\n");
}
