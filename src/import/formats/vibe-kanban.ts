/** Vibe Kanban: the table of its export, and the tasks of its API. */
import { recordsIn } from "../json.ts";
import { readRecords, type Shape } from "../records.ts";
import type { Read, SourceFile } from "../source.ts";
import { readCsv } from "./csv.ts";

/**
 * The header of `issues.csv`. The export is an archive of tables; `projects.csv`, `users.csv` and the
 * attachments contain no tasks.
 */
const HEADER =
  /^\uFEFF?"?Issue ID"?,"?Title"?,"?Description"?,"?Status"?,"?Priority"?,"?Project"?,"?Assignee\(s\)"?,/;

const SHAPE: Shape = {
  id: ["simpleid", "shortid", "id"],
  title: ["title"],
  texts: { description: "" },
  status: ["status", "statusname"],
  parent: ["parentissueid", "parenttaskid"],
  aside: ["id", "projectid", "createdat", "updatedat", "creatorid", "issuenumber"],
  prefix: "VK",
};

export function isVibeKanbanTable({ text }: SourceFile): boolean {
  return HEADER.test(text);
}

export function readVibeKanban(files: readonly SourceFile[]): Read {
  const tables = files.filter(isVibeKanbanTable);
  return tables.length > 0 ? readCsv(tables) : readRecords(files.flatMap(recordsIn), SHAPE);
}
