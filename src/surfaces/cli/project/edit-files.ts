/** Edits of the project's files that a command commits together, and its words for them. */
import { projectPath } from "../../../core/path.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { Settings } from "../../../core/settings.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";

export interface FileEdit {
  readonly path: string;
  /** Null: the file does not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

export function changesOf(edits: readonly FileEdit[]): readonly Change[] {
  return edits.filter(isChanged).map(({ after, path: name }) => {
    const path = projectPath(name);
    return after === null ? { type: "remove", path } : { type: "write", path, text: after };
  });
}

/** `created  pawl.yaml`, for each file. */
export function wordsOf(edits: readonly FileEdit[]): readonly string[] {
  return edits.map((edit) => {
    const made = edit.before === null ? "created" : edit.after === null ? "removed" : "changed";
    return `${isChanged(edit) ? made : "unchanged"}  ${edit.path}`;
  });
}

/** Makes the edits, all or none. */
export function editFiles(
  run: string,
  read: (view: View, settings: Settings) => Promise<readonly FileEdit[]>,
): Transaction<null, readonly FileEdit[], undefined, Reply> {
  const pathsOf = (edits: readonly FileEdit[]) => edits.filter(isChanged).map(({ path }) => path);
  return {
    run: () => run,
    read: (view, _, { settings }) => read(view, settings),
    propose: (edits) => ({
      reply: {
        text: wordsOf(edits).join("\n"),
        data: { created: pathsOf(edits.filter(({ before }) => before === null)), changed: pathsOf(edits) },
      },
      changes: changesOf(edits),
    }),
  };
}

function isChanged({ after, before }: FileEdit): boolean {
  return before !== after;
}
