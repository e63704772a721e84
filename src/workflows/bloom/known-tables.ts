/** Whose decisions this program may go on with: its own table's, and those of the tables that it replaced. */
import type { View } from "../../core/ports/store.ts";
import { hashOfTable, loadRecord } from "../../runtime/record.ts";
import { BLOOM } from "./table.ts";

/** The hashes of the tables of earlier versions. Whoever changes Bloom's table adds the one that it had: runs of it go on. */
export const EARLIER_TABLES: ReadonlySet<string> = new Set([]);

/** The tasks whose runs were last moved by a table that this program does not know, as a newer version's. */
export async function movedByOthers(view: View, tasks: Iterable<string>): Promise<readonly string[]> {
  const own = await hashOfTable(BLOOM);
  const found: string[] = [];
  for (const task of tasks) {
    const table = (await loadRecord(view, `bloom:${task}`))?.table;
    if (table !== undefined && table !== own && !EARLIER_TABLES.has(table)) found.push(task);
  }
  return found;
}
