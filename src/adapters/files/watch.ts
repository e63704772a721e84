/**
 * Reports changes: from the kernel if possible, otherwise by a slow check of times and sizes. Every change of
 * Pawl's appends to events.jsonl; a person's changes the tasks file or the settings.
 */
import { mkdirSync, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { EVENTS } from "../../core/event.ts";
import type { Watch } from "../../core/ports/watch.ts";
import { ownPath } from "./own-folder.ts";

const SETTINGS = ["pawl.yaml", ".alfred/config.yml"];
const LOOK_MILLISECONDS = 20_000;
/** An editor saves in several changes. */
const SETTLE_MILLISECONDS = 30;

export function openWatch(root: string, tasksFile: string): Watch {
  const events = ownPath(root, EVENTS);
  const files = [events, ...[tasksFile, ...SETTINGS].map((path) => join(root, path))];
  return {
    onChange(listener) {
      let settling: NodeJS.Timeout | undefined;
      const soon = () => {
        settling ??= setTimeout(() => {
          settling = undefined;
          listener();
        }, SETTLE_MILLISECONDS);
      };
      mkdirSync(dirname(events), { recursive: true });
      const changed = (path: string | null) => {
        if (path === null || files.includes(path)) soon();
      };
      const watchers = [...new Set(files.map(dirname))].map((folder) => watchFolder(folder, changed));
      let last = marksOf(files);
      const interval = setInterval(() => {
        const now = marksOf(files);
        if (now !== last) soon();
        last = now;
      }, LOOK_MILLISECONDS);
      return {
        close() {
          for (const watcher of watchers) watcher.close();
          clearInterval(interval);
          clearTimeout(settling);
        },
      };
    },
  };
}

/**
 * Reports changed files of the folder, if the kernel tells; null: it does not name the file. A folder, since a
 * replaced file is another file.
 */
export function watchFolder(folder: string, changed: (path: string | null) => void): { close(): void } {
  try {
    const watcher = watch(folder, (_, name) => changed(name === null ? null : join(folder, name)));
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    // No such folder, no watches left, or a file system without them: a slow check remains.
    return { close() {} };
  }
}

function marksOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : "none";
    })
    .join("\n");
}
