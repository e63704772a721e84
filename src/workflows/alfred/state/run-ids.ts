import { isId } from "../../../core/id.ts";
import type { ProjectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import { recordedIds } from "../../../runtime/run-log/team-records.ts";
import { TASKS, WORKSPACE } from "./paths.ts";

/** The tasks with a state in this checkout, and those with a task file and records. */
export async function runIds(view: View): Promise<readonly string[]> {
  const tasks = new Set(await idsIn(view, TASKS, ".md"));
  const recorded = (await recordedIds(view, "alfred")).filter((id) => tasks.has(id));
  return [...new Set([...(await idsIn(view, WORKSPACE, "")), ...recorded])];
}

/** `end`: the ending of the files' names; empty: lists folders. */
async function idsIn(view: View, folder: ProjectPath, end: string): Promise<readonly string[]> {
  const kind = end === "" ? "folder" : "file";
  return (await view.list(folder)).flatMap((entry) => {
    const id = entry.name.slice(0, entry.name.length - end.length);
    return entry.kind === kind && entry.name.endsWith(end) && isId(id) ? [id] : [];
  });
}
