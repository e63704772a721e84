import { PawlError } from "../core/error.ts";
import type { ProjectPath } from "../core/path.ts";
import type { Change, Editor } from "../core/ports/store.ts";
import { indexOffsets } from "./index-offsets.ts";
import { parseText, tasksIn } from "./parse.ts";
import { Layout, type Put, putAll, TooLong } from "./put.ts";
import { spliceAll, TASKS_EDITOR, type TaskEdit } from "./splice.ts";

export type TasksEdit = Put | TaskEdit;

/** Redoes edits on the present tasks.yaml, keeping all other changes of a person. */
export const editTasks: Editor = (text, edits) => editFile("tasks.yaml", text, edits as readonly TasksEdit[]);

/** The edits as a change of the file, redoable on a text that a person saved meanwhile. */
export function proposeEdits(
  path: ProjectPath,
  text: string | null,
  edits: readonly TasksEdit[],
): Extract<Change, { type: "edit" }> {
  return { type: "edit", path, text: editFile(path, text ?? "", edits), editor: TASKS_EDITOR, edits };
}

/** Puts first, since other edits may set values in an added task. */
function editFile(file: string, before: string, edits: readonly TasksEdit[]): string {
  const puts = edits.filter(isPut);
  const text = puts.length === 0 ? before : laidOut(file, () => putAll(before, puts));
  const splices = edits.filter((edit): edit is TaskEdit => !isPut(edit));
  if (splices.length === 0) return text;
  const { document, problems } = parseText(text);
  const [first] = problems;
  if (first)
    throw new PawlError(
      "tasks-invalid",
      `${file}:${first.line}:${first.column}: ${first.message}`,
      first.fix,
    );
  return spliceAll(text, indexOffsets(document, tasksIn(document), text), splices).text;
}

function isPut(edit: TasksEdit): edit is Put {
  return edit.type === "add-items" || edit.type === "put" || edit.type === "drop";
}

function laidOut(file: string, change: () => string): string {
  try {
    return change();
  } catch (thrown) {
    if (!(thrown instanceof Layout)) throw thrown;
    if (thrown instanceof TooLong)
      throw new PawlError(
        "tasks-too-large",
        `${file} would have more than 4 MB, which is more than Pawl reads. Nothing was changed.`,
        "Bring fewer tasks in, or shorten the longest text.",
      );
    throw new PawlError(
      "tasks-invalid",
      `${file} cannot be used: ${thrown.message}. It was left unchanged.`,
      `Correct ${file} there, then try again.`,
    );
  }
}
