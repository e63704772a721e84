/** A store in memory: a project without a disk, whose files end with the process. */
import type { Change, Entry, Store, View } from "../../core/ports/store.ts";
import { lastLineOf } from "../../core/text/lines.ts";

export interface MemoryStore extends Store {
  /** Path → text. A change of it counts as a person's edit of the project's files. */
  readonly files: Map<string, string>;
  /** The logs that were written, line by line. */
  readonly logged: readonly string[];
  /** How many commits went through. */
  readonly commits: number;
}

/** One store serves one project, in one process. */
export function openMemoryStore(): MemoryStore {
  const files = new Map<string, string>();
  const logged: string[] = [];
  const seen = new WeakMap<View, Map<string, string | null>>();
  let commits = 0;
  let held = Promise.resolve();
  const isSame = (view: View) =>
    [...(seen.get(view) ?? [])].every(([path, text]) => (files.get(path) ?? null) === text);
  return {
    files,
    logged,
    get commits() {
      return commits;
    },
    view() {
      const read = new Map<string, string | null>();
      const view: View = {
        async read(path) {
          const text = files.get(path) ?? null;
          if (!read.has(path)) read.set(path, text);
          return read.get(path) ?? null;
        },
        async lastLine(path) {
          return lastLineOf(await view.read(path));
        },
        list: async (folder) => entriesIn(files.keys(), folder),
        isCurrent: async (paths) =>
          paths.every((path) => !read.has(path) || read.get(path) === (files.get(path) ?? null)),
        packaged: async () => null,
      };
      seen.set(view, read);
      return view;
    },
    async hold() {
      const before = held;
      const turnEnd = Promise.withResolvers<void>();
      held = turnEnd.promise;
      await before;
      return { [Symbol.asyncDispose]: async () => turnEnd.resolve() };
    },
    holds: async (view) => isSame(view),
    async commit(view, changes) {
      if (!isSame(view)) return "changed";
      for (const change of changes) apply(files, change);
      commits++;
      return "committed";
    },
    log: async (_path, line) => {
      logged.push(line);
    },
    catchUp: async () => null,
    settle: async () => {},
    pending: () => null,
  };
}

function apply(files: Map<string, string>, change: Change): void {
  switch (change.type) {
    case "write":
    case "edit":
      files.set(change.path, change.text);
      break;
    case "append":
      files.set(change.path, (files.get(change.path) ?? "") + change.text);
      break;
    case "remove":
      files.delete(change.path);
      break;
    case "move":
      files.set(change.to, files.get(change.from) ?? "");
      files.delete(change.from);
  }
}

/** What is in a folder, sorted, by the paths of all files. */
export function entriesIn(paths: Iterable<string>, folder: string): readonly Entry[] {
  const start = folder === "" ? "" : `${folder}/`;
  const kinds = new Map<string, Entry["kind"]>();
  for (const path of paths) {
    if (!path.startsWith(start)) continue;
    const end = path.indexOf("/", start.length);
    kinds.set(path.slice(start.length, end < 0 ? undefined : end), end < 0 ? "file" : "folder");
  }
  return [...kinds]
    .map(([name, kind]) => ({ name, kind }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
