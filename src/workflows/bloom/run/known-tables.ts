import type { View } from "../../../core/ports/store.ts";
import { hashOfTable } from "../../../runtime/run-log/history.ts";
import { lastLocal } from "../../../runtime/run-log/read.ts";
import { BLOOM } from "./table.ts";

/** The tasks whose run was last moved by another table than this program's, such as a newer version's. */
export async function movedByOthers(view: View, tasks: Iterable<string>): Promise<readonly string[]> {
  const own = hashOfTable(BLOOM);
  const found: string[] = [];
  for (const task of tasks) {
    const table = (await lastLocal(view, `bloom:${task}`))?.checkpoint.table;
    if (table !== undefined && table !== own) found.push(task);
  }
  return found;
}
