/** Which tasks differ between two versions of tasks.yaml. */
import { canonical } from "../core/json.ts";
import { readYaml } from "../core/yaml/yaml.ts";

/** Ids of the tasks in the list. */
export interface Summary {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Null or unreadable: a version without tasks. */
export function summarize(before: string | null, after: string | null): Summary {
  const [was, is] = [meaningsIn(before ?? ""), meaningsIn(after ?? "")];
  const ids = [...is.keys()];
  return {
    added: ids.filter((id) => !was.has(id)),
    changed: ids.filter((id) => was.has(id) && was.get(id) !== is.get(id)),
    removed: [...was.keys()].filter((id) => !is.has(id)),
  };
}

/** Id → the task's data in a form that can be compared. */
function meaningsIn(text: string): ReadonlyMap<string, string> {
  const tasks = (readYaml(text, { merge: true }).data as { readonly tasks?: unknown } | null)?.tasks;
  const list: readonly unknown[] = Array.isArray(tasks) ? tasks : [];
  return new Map(
    list.map((task) => [String((task as { readonly id?: unknown } | null)?.id), canonical(task)]),
  );
}
