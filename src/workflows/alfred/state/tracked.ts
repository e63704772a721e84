/** Tasks from a tracker: fetched when they are first needed, and stored as a task file from then on. */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { isId } from "../../../core/id.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { TrackedTask, Tracker } from "../../../core/ports/trackers.ts";
import type { Context } from "../../../runtime/module.ts";
import { emptyTask, parseTask, renderTask, type Task } from "./task-file.ts";

/** The project's tracker; null if its tasks are local. */
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

/**
 * The tracker's version of a task without a file. Throws `task-missing` if the tracker does not know the task
 * either.
 */
export async function fetchTask(id: string, outside: Outside, context: Context): Promise<Task> {
  const tracker = await openTracker(outside, context);
  const tracked = (await tracker?.read(id)) ?? null;
  // A tracker may ignore case, or follow a moved issue; a file's name must match exactly.
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
 * The tracker's issue as a task. A description with the grammar's own sections is parsed as such; any other
 * becomes the context, with its top-level headings lowered so that it stays one section.
 */
export function taskFrom(tracked: TrackedTask): Task {
  const fields = { priority: tracked.priority, dependencies: tracked.dependencies.filter(isId) };
  const title = tracked.title.replace(/\s+/g, " ").trim() || tracked.id;
  const written = inGrammar(tracked, title);
  if (written) return { ...written, ...fields };
  const context = lowered(tracked.description.replace(/\r\n?/g, "\n").trim());
  const task = { ...emptyTask(tracked.id), ...fields, title, context };
  try {
    renderTask(task);
    return task;
  } catch {
    // For instance because of an unclosed fence. As a quote, every line stays as it is.
    return { ...task, context: context.replace(/^/gm, "> ").trimEnd() };
  }
}

function inGrammar({ description, id }: TrackedTask, title: string): Task | null {
  return attempt(() => parseTask(`# TASK: ${id}\n\n## Title\n${title}\n\n${description}`, id), null);
}

/** Lowers the headings outside of code fences. */
function lowered(text: string): string {
  let fence = "";
  const lines = text.split("\n").map((line) => {
    const [, mark = "", rest = ""] = /^\s*(`{3,}(?!`)|~{3,}(?!~))(.*)$/.exec(line) ?? [];
    if (fence === "" && mark === "") return line.replace(/^#{1,2}(?=\s)/, "###");
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && rest.trim() === "") fence = "";
    return line;
  });
  return lines.join("\n");
}
