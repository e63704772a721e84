import { filesIn } from "../../../core/files-in.ts";
import { isId } from "../../../core/id.ts";
import type { View } from "../../../core/ports/store.ts";
import { recordedIds } from "../../../runtime/run-log/team-records.ts";
import { TASKS, WORKSPACE } from "./paths.ts";

/** The tasks with a state in this checkout, and those with a task file and records. */
export async function runIds(view: View): Promise<readonly string[]> {
  const tasks = new Set(await filesIn(view, TASKS, ".md"));
  const recorded = (await recordedIds(view, "alfred")).filter((id) => tasks.has(id));
  const begun = (await view.list(WORKSPACE)).flatMap(({ kind, name }) =>
    kind === "folder" && isId(name) ? [name] : [],
  );
  return [...new Set([...begun, ...recorded])];
}
