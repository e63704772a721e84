/** Which tasks two versions of tasks.yaml do not have alike. */
import { readYaml } from "../../core/yaml.ts";
import { meaning } from "../insert.ts";
import { split } from "../split.ts";

export interface Summary {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Id → what the task means. */
type Meanings = ReadonlyMap<string, string>;

/** By the ids of the tasks in the list. What both have in the same words is not parsed. */
export function summarize(before: string | null, after: string): Summary {
  const old = before ?? "";
  const [was, is] = [meaningsBut(old, entriesIn(after)), meaningsBut(after, entriesIn(old))];
  return was && is ? compared(was, is) : compared(meaningsIn(old), meaningsIn(after));
}

function compared(was: Meanings, is: Meanings): Summary {
  const ids = [...is.keys()];
  return {
    added: ids.filter((id) => !was.has(id)),
    changed: ids.filter((id) => was.has(id) && was.get(id) !== is.get(id)),
    removed: [...was.keys()].filter((id) => !is.has(id)),
  };
}

function entriesIn(text: string): ReadonlySet<string> {
  return new Set(split(text)?.entries);
}

/** Null: not each task stands for itself, as where one has an alias. */
function meaningsBut(text: string, others: ReadonlySet<string>): Meanings | null {
  const pieces = split(text);
  if (pieces === null) return meaningsIn(text);
  const tasks: unknown[] = [];
  for (const entry of pieces.entries) {
    if (others.has(entry)) continue;
    const { data, faults } = readYaml(entry, { merge: true });
    if (faults.length > 0 || !Array.isArray(data)) return null;
    tasks.push(...(data as readonly unknown[]));
  }
  return byId(tasks);
}

/** A version that cannot be read has none. */
function meaningsIn(text: string): Meanings {
  const tasks = (readYaml(text, { merge: true }).data as { readonly tasks?: unknown } | null)?.tasks;
  return byId(Array.isArray(tasks) ? tasks : []);
}

function byId(tasks: readonly unknown[]): Meanings {
  return new Map(
    tasks.map((task) => [String((task as { readonly id?: unknown } | null)?.id), meaning(task)]),
  );
}
