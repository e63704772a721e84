import { PawlError } from "../core/error.ts";
import type { ProjectPath } from "../core/path.ts";
import type { Change, Editor } from "../core/ports/store.ts";
import { indexOffsets } from "./index-offsets.ts";
import { type Insertion, insert, Layout } from "./insert.ts";
import { parseText, tasksIn } from "./parse.ts";
import { spliceAll, TASKS_EDITOR, type TaskEdit } from "./splice.ts";

export type TasksEdit = Insertion | TaskEdit;

/** Redoes edits on a tasks.yaml as it was found: whatever else a person changed in it stays. */
export const editTasks: Editor = (text, edits) => editFile("tasks.yaml", text, edits as readonly TasksEdit[]);

/** The edits as a change of the file, redoable on a text that a person saved meanwhile. */
export function proposeEdits(path: ProjectPath, text: string | null, edits: readonly TasksEdit[]): Change {
  return { type: "edit", path, text: editFile(path, text ?? "", edits), editor: TASKS_EDITOR, edits };
}

/** Insertions first: what is set in a task may be meant for one that is inserted. */
function editFile(file: string, before: string, edits: readonly TasksEdit[]): string {
  const text = edits.filter(isInsertion).reduce((result, edit) => inserted(file, result, edit), before);
  const splices = edits.filter((edit) => !isInsertion(edit));
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

function isInsertion(edit: TasksEdit): edit is Insertion {
  return edit.type === "add-task" || edit.type === "add-step";
}

function inserted(file: string, text: string, insertion: Insertion): string {
  try {
    return insert(text, insertion);
  } catch (thrown) {
    if (!(thrown instanceof Layout)) throw thrown;
    throw new PawlError(
      "tasks-invalid",
      `${file} cannot be used: ${thrown.message}. It was left unchanged.`,
      `Correct ${file} there, then try again.`,
    );
  }
}
