/**
 * A tasks.yaml of Pawl's own, brought into the tasks one way: what people wrote in it counts, key by key; what the work
 * writes (status, times, session, notes) counts for new tasks alone. Nothing is removed.
 */
import { canonical, type Fields, isObject, objectsIn } from "../core/json.ts";
import { fewOf } from "../core/text/few.ts";
import { readYaml } from "../core/yaml/yaml.ts";
import type { Reply, Transaction } from "../runtime/module.ts";
import { definitionEdits, definitionOf } from "../tasks-file/definition.ts";
import { readTasksText, type TasksText } from "../tasks-file/grow.ts";
import { invalidTasksError, TASKS_RUN } from "../tasks-file/load.ts";
import { itemsIn, type Put } from "../tasks-file/put.ts";
import { readTasks } from "../tasks-file/read.ts";
import { editedWords, proposeTaskEdits } from "../workflows/bloom/verbs/edit.ts";
import { imported } from "./write.ts";

export interface OwnTasksInput {
  /** The path, as the person named it. */
  readonly from: string;
  readonly text: string;
  readonly dryRun?: boolean;
}

export interface OwnTasksRow {
  readonly id: string;
  readonly title: string;
  readonly change: "new" | "updated" | "unchanged";
}

export const importOwnTasks: Transaction<OwnTasksInput, TasksText, undefined, Reply> = {
  run: ({ dryRun }) => (dryRun ? null : TASKS_RUN),
  read: (view, _, context) => readTasksText(view, context),
  propose(before, _, { dryRun, from, text }, context) {
    const read = readTasks(text, null);
    if (!read.ok) throw invalidTasksError(from, read.problems);
    const { edits, lost, rows } = planOwnTasks(before.text ?? "", text);
    const { changes, dangers, diff } = proposeTaskEdits(before, edits, context);
    const remarks =
      lost.length === 0
        ? []
        : [`Not in ${from}, and left as they are: ${fewOf(lost, 8)}. \`pawl task cancel\` ends a task.`];
    const shown = editedWords({ dangers, diff });
    const data = { format: "tasks.yaml", into: before.path, rows, remarks, diff, dangers, shown };
    const reply = { text: shown, data };
    return imported(reply, dryRun ? [] : changes, context);
  },
};

interface OwnPlan {
  readonly edits: readonly Put[];
  readonly rows: readonly OwnTasksRow[];
  /** Tasks that the source lacks. */
  readonly lost: readonly string[];
}

function planOwnTasks(before: string, source: string): OwnPlan {
  const present = itemsIn(before);
  const edits: Put[] = [];
  const rows: OwnTasksRow[] = [];
  const ids = new Set<string>();
  const walk = (list: unknown, into: string | null) => {
    const added: Fields[] = [];
    for (const item of objectsIn(list)) {
      const id = String(item.id);
      const task = present.get(id);
      for (const each of idsIn(item)) ids.add(each);
      const changed = task ? definitionEdits(task, definitionOf(item)) : [];
      edits.push(...changed);
      rows.push({
        id,
        title: String(item.title),
        change: task ? (changed.length > 0 ? "updated" : "unchanged") : "new",
      });
      if (task) walk(item.subtasks, id);
      else added.push(item);
    }
    if (added.length > 0)
      edits.push({ type: "add-items", into, list: into === null ? "tasks" : "subtasks", items: added });
  };
  const data = dataOf(source);
  walk(data.tasks, null);
  if (data.git !== undefined && canonical(data.git) !== canonical(dataOf(before).git))
    edits.push({ type: "put", id: null, key: "git", value: data.git });
  const lost = [...present].filter(([id, item]) => "title" in item && !ids.has(id)).map(([id]) => id);
  return { edits, rows, lost };
}

function dataOf(text: string): Fields {
  const { data } = readYaml(text, { merge: true });
  return isObject(data) ? data : {};
}

/** Of a task and its subtasks. */
function idsIn(item: Fields): readonly string[] {
  return [String(item.id), ...objectsIn(item.subtasks).flatMap(idsIn)];
}
