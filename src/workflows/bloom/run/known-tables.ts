import type { View } from "../../../core/ports/store.ts";
import { hashOfTable } from "../../../runtime/run-log/history.ts";
import { lastLocal } from "../../../runtime/run-log/read.ts";
import { tableNamed } from "./life.ts";

/** The tasks whose run was last moved by another table than this program's, such as a newer version's. */
export async function movedByOthers(view: View, tasks: Iterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for (const task of tasks) {
    const { machine = "", table } = (await lastLocal(view, `bloom:${task}`))?.checkpoint ?? {};
    const own = tableNamed(machine);
    if (table !== undefined && own !== null && table !== hashOfTable(own)) found.push(task);
  }
  return found;
}
