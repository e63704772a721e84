import type { View } from "../../../core/ports/store.ts";
import { hashOfTable, loadRecord } from "../../../runtime/run-log/record.ts";
import { BLOOM } from "./table.ts";

/** The tasks whose runs another table than this program's moved last, as a newer version does. */
export async function movedByOthers(view: View, tasks: Iterable<string>): Promise<readonly string[]> {
  const own = hashOfTable(BLOOM);
  const found: string[] = [];
  for (const task of tasks) {
    const table = (await loadRecord(view, `bloom:${task}`))?.table;
    if (table !== undefined && table !== own) found.push(task);
  }
  return found;
}
