/** `pawl push`: replaces the database's tasks with a tasks file that was exported from there. */
import { PawlError } from "../../../core/error.ts";
import type { Caller, PawlEvent } from "../../../core/event.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";
import type { Store } from "../../../core/ports/store.ts";
import { appended } from "../../../runtime/transaction/run-transaction.ts";
import { type Summary, summarize } from "../../../tasks-file/summarize.ts";
import type { Run } from "../line/command.ts";
import { counted } from "../terminal/amounts.ts";
import { refuseAgent } from "../terminal/person.ts";
import { checkValid, knownId, withDatabase } from "./database.ts";
import { exportedPath } from "./shared-state.ts";

export interface Target {
  /** The folder's own files. */
  readonly files: Store;
  readonly shared: Store;
  /** The path of the tasks file. */
  readonly path: ProjectPath;
  /** The database's name for display. */
  readonly shown: string;
  event(changed: Summary): PawlEvent;
}

export const pushTasks: Run = async (host) => {
  refuseAgent(host, "push tasks", `${host.name} push`);
  const project = await host.projects.open();
  const { files, runtime } = project;
  const path = projectPath((await runtime.settings(files.view())).bloom.tasks_file);
  return withDatabase(host, async (database) => {
    const { shown } = database;
    const { store: shared } = await database.project(await knownId(project));
    const event = (changed: Summary) => eventOf(host.person.caller(), runtime, path, changed);
    const changed = await push({ files, shared, path, shown, event });
    const text =
      changed === null
        ? `${shown} has the tasks of ${path} already.\n`
        : `${shown} now has the tasks of ${path}: ${summaryText(changed)}.\n`;
    const nothing = { added: [], changed: [], removed: [] };
    return {
      text,
      data: { database: shown, file: path, written: changed !== null, ...(changed ?? nothing) },
    };
  });
};

function eventOf(
  { channel, who }: Caller,
  { newId, now }: { newId(): string; now(): Date },
  file: string,
  { added, changed, removed }: Summary,
): PawlEvent {
  const counts = { added: added.length, changed: changed.length, removed: removed.length };
  const time = now().toISOString();
  return { id: newId(), time, type: "tasks:pushed", file, ...counts, by: who ?? channel };
}

/**
 * Returns what changed in the database; null: it already had the file's tasks. Never overwrites others'
 * changes.
 */
export async function push({ event, files, path, shared, shown }: Target): Promise<Summary | null> {
  const mine = await files.view().read(path);
  if (mine === null) throw new PawlError("tasks-missing", `There is no ${path} here to push.`, EXPORT_AGAIN);
  const exported = await files.view().read(exportedPath(path));
  const view = shared.view();
  const current = await view.read(path);
  const changed = current === mine ? null : summarize(current, mine);
  if (changed !== null) {
    if (current !== exported) throw refused(path, shown, exported, current);
    checkValid(path, mine);
    const changes = [{ type: "write", path, text: mine } as const, appended(event(changed))];
    if ((await shared.commit(view, changes)) === "changed")
      throw refused(path, shown, exported, await shared.view().read(path));
  }
  // If a push is killed before this write, the next one finds equal texts on both sides and repeats it.
  if (exported !== mine)
    await files.commit(files.view(), [{ type: "write", path: exportedPath(path), text: mine }]);
  return changed;
}

const EXPORT_AGAIN =
  "Run `pawl database export DIR`, edit the tasks file in DIR, and run `pawl push --project DIR`.";

function refused(path: string, shown: string, exported: string | null, current: string | null): PawlError {
  const message =
    exported === null
      ? `${path} was not exported from ${shown}, which has other tasks`
      : `The tasks in ${shown} have changed since ${path} was exported: ${summaryText(summarize(exported, current))}`;
  return new PawlError("database-differs", `${message}. Nothing was pushed.`, EXPORT_AGAIN);
}

const MOST_IDS = 5;

function summaryText({ added, changed, removed }: Summary): string {
  const parts = Object.entries({ new: added, changed, removed }).flatMap(([word, ids]) => {
    if (ids.length === 0) return [];
    const more = ids.length > MOST_IDS ? [`and ${ids.length - MOST_IDS} more`] : [];
    return [`${counted(ids.length, "task")} ${word} (${[...ids.slice(0, MOST_IDS), ...more].join(", ")})`];
  });
  return parts.join(", ") || "comments, layout or settings";
}
