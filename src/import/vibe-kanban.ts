/** Vibe Kanban: the table of its export, and the tasks of its API. */
import type { Fields } from "../core/is-object.ts";
import { readCsv } from "./csv.ts";
import { commonNotes, recordsIn } from "./forge-issues.ts";
import type { Read, SourceFile, SourceTask } from "./source.ts";
import { idFrom, openKeys, short, statusOf, textOf, titledWith } from "./words.ts";

/** Its export is an archive of tables: `issues.csv` begins so, and `projects.csv`, `users.csv` and the attachments hold no tasks. */
const HEADER =
  /^\uFEFF?"?Issue ID"?,"?Title"?,"?Description"?,"?Status"?,"?Priority"?,"?Project"?,"?Assignee\(s\)"?,/;

export function isVibeKanbanTable({ text }: SourceFile): boolean {
  return HEADER.test(text);
}

export function readVibeKanban(files: readonly SourceFile[]): Read {
  const tables = files.filter(isVibeKanbanTable);
  return tables.length > 0 ? readCsv(tables) : readRecords(files);
}

function readRecords(files: readonly SourceFile[]): Read {
  const records = files.flatMap(recordsIn);
  const unique = openKeys();
  const tasks = records.map((record): SourceTask => {
    const id = textOf(record.id) || textOf(record.simple_id) || short(textOf(record.title));
    const word = textOf(record.status) || textOf(record.status_name);
    const { note, status } = statusOf(word);
    const shown = textOf(record.simple_id) || textOf(record.short_id);
    const isUuid = /^[0-9a-f]{8}-/.test(id);
    return {
      key: unique(id),
      id: idFrom(shown || (isUuid ? `VK-${id.slice(0, 8)}` : id), "VK"),
      ...titledWith(textOf(record.title), textOf(record.description), id),
      status,
      criteria: [],
      notes: [...(note ? [note] : []), ...commonNotes(record), ...attempt(record)],
      dependsOn: [],
      parent: textOf(record.parent_issue_id) || textOf(record.parent_task_id) || null,
      steps: [],
    };
  });
  return { tasks, remarks: [] };
}

/** An attempt at another task, which the tasks alone do not name. */
function attempt({ parent_task_attempt, parent_workspace_id }: Fields): readonly string[] {
  const from = textOf(parent_task_attempt) || textOf(parent_workspace_id);
  return from === "" ? [] : [`It came from the attempt ${from.slice(0, 100)}`];
}
