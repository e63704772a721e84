/**
 * Task lists in JSON: Task Master's, with their tags, and those of harnesses in which an agent ticks its
 * features (Ralph's `prd.json`, `feature_list.json`). A subtask's id is relative to its task: it becomes
 * `3.1`, which other tasks may name.
 */
import { type Fields, isObject } from "../../core/json.ts";
import { parseJson } from "../json.ts";
import { type Shape, tasksOf } from "../records.ts";
import { invalidSourceError, type Read, type SourceFile, type SourceTask } from "../source.ts";
import { idFrom } from "../words.ts";

const SHAPE: Shape = {
  id: ["id", "key", "number"],
  title: ["title", "subject", "name"],
  texts: {
    description: "",
    details: "",
    steps: "Steps",
    teststrategy: "Test strategy",
    implementationapproach: "Implementation approach",
    technicalconstraints: "Technical constraints",
    scopeboundaries: "Scope",
    codebasepatterns: "Patterns of the codebase",
    existinginfrastructure: "What is there already",
    relevantfiles: "Relevant files",
    notes: "Notes",
  },
  status: ["status", "state"],
  criteria: ["acceptancecriteria"],
  depends: ["dependencies", "dependson", "blockedby"],
  blocks: ["blocks"],
  children: ["subtasks"],
  parent: ["parent"],
  usual: { priority: "medium" },
  aside: ["updatedat", "createdat", "parentid"],
};

const LISTS = ["tasks", "userStories", "user_stories", "features", "stories"];

export function readTaskMaster(files: readonly SourceFile[]): Read {
  const tasks: SourceTask[] = [];
  const remarks: string[] = [];
  for (const { path, text } of files) {
    const lists = listsIn(parseJson(path, text), path);
    const main = lists.find(({ tag }) => tag === "master") ?? lists[0];
    for (const { tag, tasks: records } of lists) {
      const prefix = tag === main?.tag ? "" : `${idFrom(tag, "tag")}.`;
      for (const task of tasksOf(records, SHAPE, { key: `${path}#${tag}`, prefix, remarks }))
        tasks.push(task);
    }
    if (lists.length > 1)
      remarks.push(
        `${path} has ${lists.length} tags (${lists.map(({ tag }) => tag).join(", ")}): the ids of all but ${main?.tag} begin with their tag.`,
      );
  }
  return { tasks, remarks };
}

interface TagList {
  readonly tag: string;
  readonly tasks: readonly Fields[];
}

function listsIn(data: unknown, path: string): readonly TagList[] {
  const lists = Array.isArray(data) ? [{ tag: "master", tasks: data.filter(isObject) }] : listsOf(data);
  const isTask = (each: Fields) =>
    ["title", "description", "name", "subject"].some((name) => name in each) &&
    [...WORK, "id"].some((name) => name in each);
  const sound = lists.filter(({ tasks }) => tasks.length === 0 || tasks.some(isTask));
  if (sound.length > 0) return sound;
  const keys = isObject(data) ? `the keys ${Object.keys(data).slice(0, 8).join(", ") || "none"}` : "none";
  throw invalidSourceError(path, "a list `tasks`, or tags with such lists", keys);
}

/** Fields that only a list of work has. */
const WORK = [
  "status",
  "passes",
  "subtasks",
  "dependencies",
  "testStrategy",
  "acceptanceCriteria",
  "completed",
];

function listsOf(data: unknown): readonly TagList[] {
  if (!isObject(data)) return [];
  const listed = LISTS.flatMap((name) => itemsOf(data[name]) ?? []);
  if (LISTS.some((name) => itemsOf(data[name]) !== null)) return [{ tag: "master", tasks: listed }];
  return Object.entries(data).flatMap(([tag, value]) => {
    const items = isObject(value)
      ? itemsOf(value.tasks)
      : Array.isArray(value)
        ? value.filter(isObject)
        : null;
    const isList = items?.every((each) => "title" in each || "id" in each);
    return items && isList ? [{ tag, tasks: items }] : [];
  });
}

/** The items of a list, or of a map of tasks by id; null: neither. */
function itemsOf(value: unknown): readonly Fields[] | null {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return null;
  return Object.entries(value).flatMap(([id, item]) => (isObject(item) ? [{ id, ...item }] : []));
}

/** Which of these lists the value is; null: none. */
export function taskListKind(data: unknown): "ralph" | "feature-list" | "task-master" | null {
  if (isObject(data) && Array.isArray(data.userStories)) return "ralph";
  const list = Array.isArray(data) ? data : isObject(data) ? data.features : null;
  if (Array.isArray(list) && list.some((each) => isObject(each) && typeof each.passes === "boolean"))
    return "feature-list";
  const lists = Array.isArray(data) ? [] : listsOf(data);
  const all = Array.isArray(data) ? data.filter(isObject) : lists.flatMap(({ tasks }) => tasks);
  const names = ["subtasks", "testStrategy", "dependencies"];
  const isOwn = all.some((each) => "title" in each && names.some((name) => name in each));
  const isPlain = all.some((each) => "title" in each && "id" in each && "status" in each);
  return isOwn || isPlain ? "task-master" : null;
}
