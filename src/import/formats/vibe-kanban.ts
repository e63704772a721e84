/** Vibe Kanban: the table of its export, and the tasks or issues of its API. */
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

/** The app sets no date when an issue is done. */
const UNDATED = { mayLack: ["completed", "completedat"] };

const SHAPE: Shape = {
  id: ["simpleid", "shortid", "id"],
  title: ["title"],
  texts: { description: "" },
  // An issue names its status by an id, which a person must map.
  status: ["status", "statusname", "statusid"],
  parent: ["parentissueid", "parenttaskid"],
  aside: [
    ...["id", "projectid", "createdat", "updatedat", "creatorid", "creatoruserid", "issuenumber"],
    ...["sortorder", "parentissuesortorder", "extensionmetadata"],
  ],
  prefix: "VK",
  ...UNDATED,
};

export function isVibeKanbanTable({ text }: SourceFile): boolean {
  return HEADER.test(text);
}

export function readVibeKanban(files: readonly SourceFile[]): Read {
  const tables = files.filter(isVibeKanbanTable);
  if (tables.length > 0) return readCsv(tables, UNDATED);
  const remarks: string[] = [];
  const records = files.flatMap((file) => recordsIn(file, remarks));
  return readRecords(records, SHAPE, remarks);
}
