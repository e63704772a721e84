/**
 * Task Master's `tasks.json`: a list of tasks, or one list for each tag. Other tools write a file of that name, too; what
 * has a list of tasks with titles is read all the same.
 */
import { type Fields, isObject } from "../core/is-object.ts";
import { parseJson } from "./json.ts";
import { DEEPEST, type Dependency, invalid, type Read, type SourceFile, type SourceTask } from "./source.ts";
import { idFrom, openKeys, paragraphs, statusOf, textOf, titledWith } from "./words.ts";

export function readTaskMaster(files: readonly SourceFile[]): Read {
  const tasks: SourceTask[] = [];
  const remarks: string[] = [];
  for (const { path, text } of files) {
    const lists = listsIn(parseJson(path, text), path);
    const main = lists.find(({ tag }) => tag === "master") ?? lists[0];
    for (const list of lists) {
      const prefix = list === main ? "" : `${idFrom(list.tag, "tag")}.`;
      const scope = `${path}#${list.tag}`;
      for (const task of tasksOf(list.tasks, { scope, prefix, remarks })) tasks.push(task);
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
  if (Array.isArray(data)) return [{ tag: "master", tasks: fieldsIn(data) }];
  if (!isObject(data)) throw invalid(path, "a list of tasks, or tags with lists of tasks", typeof data);
  const own = itemsOf(data.tasks);
  if (own !== null) return [{ tag: "master", tasks: own }];
  const tags = Object.entries(data).flatMap(([tag, value]) => {
    const items = isObject(value) ? itemsOf(value.tasks) : Array.isArray(value) ? fieldsIn(value) : null;
    if (items === null || !items.every((each) => "title" in each || "id" in each)) return [];
    return [{ tag, tasks: items }];
  });
  if (tags.length > 0) return tags;
  throw invalid(
    path,
    "a list `tasks`, or tags with such lists",
    `the keys ${Object.keys(data).slice(0, 8).join(", ") || "none"}`,
  );
}

/** A list, or a map of tasks by their ids. */
function itemsOf(value: unknown): readonly Fields[] | null {
  if (Array.isArray(value)) return fieldsIn(value);
  if (!isObject(value)) return null;
  return Object.entries(value).flatMap(([id, item]) => (isObject(item) ? [{ id, ...item }] : []));
}

function fieldsIn(values: readonly unknown[]): readonly Fields[] {
  return values.filter(isObject);
}

interface Around {
  readonly scope: string;
  readonly prefix: string;
  readonly remarks: string[];
}

/** A task or subtask, and where it stands. */
interface Placed {
  readonly item: Fields;
  /** `3.1`: its ids from the top. */
  readonly dotted: string;
  readonly key: string;
  readonly parent: Placed | null;
}

function tasksOf(items: readonly Fields[], { prefix, remarks, scope }: Around): readonly SourceTask[] {
  const unique = openKeys();
  const placed: Placed[] = [];
  const place = (list: readonly Fields[], parent: Placed | null, depth: number) => {
    if (depth > DEEPEST) throw invalid(scope, `subtasks at most ${DEEPEST} deep`, "more");
    list.forEach((item, at) => {
      const own = textOf(item.id) || String(at + 1);
      const isWhole = parent !== null && own.startsWith(`${parent.dotted}.`);
      const dotted = parent === null || isWhole ? own : `${parent.dotted}.${own}`;
      // A subtask's key has its parent in it: a task may have the decimal id 1.2 beside the subtask 2 of task 1.
      const wanted = parent === null ? `${scope}/${own}` : `${parent.key}/${own}`;
      const key = unique(wanted);
      if (key !== wanted) remarks.push(`${scope} has the id ${dotted} more than once.`);
      const each = { item, dotted, key, parent };
      placed.push(each);
      place(subtasksOf(item), each, depth + 1);
    });
  };
  place(items, null, 1);
  const tops = new Map(placed.filter(({ parent }) => parent === null).map((each) => [each.dotted, each]));
  const subs = new Map(placed.filter(({ parent }) => parent !== null).map((each) => [each.dotted, each]));
  return placed.map((each) => {
    const siblings = each.parent;
    const resolve = (word: string): Dependency => {
      const sibling = siblings && subs.get(`${siblings.dotted}.${word}`);
      const found = sibling ?? subs.get(word) ?? tops.get(word);
      return { key: found?.key ?? `${scope}/${word}`, text: word };
    };
    return taskOf(each, prefix, resolve);
  });
}

function subtasksOf({ subtasks }: Fields): readonly Fields[] {
  return Array.isArray(subtasks) ? fieldsIn(subtasks) : [];
}

function taskOf(
  { dotted, item, key, parent }: Placed,
  prefix: string,
  resolve: (word: string) => Dependency,
): SourceTask {
  const word = textOf(item.status) || (item.completed === true ? "done" : "");
  const { note, status } = statusOf(word);
  const description = textOf(item.description);
  const strategy = textOf(item.testStrategy);
  const body = paragraphs(description, textOf(item.details), strategy && `Test strategy: ${strategy}`);
  const priority = textOf(item.priority);
  const dependencies = Array.isArray(item.dependencies) ? item.dependencies : [];
  return {
    key,
    id: idFrom(`${prefix}${dotted}`),
    ...titledWith(textOf(item.title), body, `Task ${dotted}`),
    status,
    criteria: Array.isArray(item.acceptanceCriteria)
      ? item.acceptanceCriteria.map(textOf).filter((each) => each !== "")
      : [],
    notes: [...(note ? [note] : []), ...(priority && priority !== "medium" ? [`Priority: ${priority}`] : [])],
    dependsOn: [...new Set(dependencies.map(textOf))].filter((each) => each !== "").map(resolve),
    parent: parent?.key ?? null,
    steps: [],
  };
}
