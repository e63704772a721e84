import { PawlError } from "../core/error.ts";
import type { Editor } from "../core/ports/store.ts";
import { indexOffsets } from "./index-offsets.ts";
import { parseText, tasksIn } from "./parse.ts";
import { spliceAll, type TaskEdit } from "./splice.ts";

/** Redoes edits on a tasks.yaml as it was found: whatever else a person changed in it stays. */
export const editTasks: Editor = (text, edits) => {
  const { document, problems } = parseText(text);
  const [first] = problems;
  if (first)
    throw new PawlError(
      "tasks-invalid",
      `tasks.yaml:${first.line}:${first.column}: ${first.message}`,
      first.fix,
    );
  return spliceAll(text, indexOffsets(document, tasksIn(document), text), edits as readonly TaskEdit[]).text;
};
