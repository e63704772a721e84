import { parseTaskItems, type TaskItem } from "../../core/text/markdown.ts";

export type Criterion = TaskItem;

/**
 * The task-list items of a plan, read by a parser, so items in code fences do not count. Omits unfilled
 * items: those without a text, or with one of `unfilled` (the lines of the packaged template). Throws
 * `text-too-long`.
 */
export function parseCriteria(text: string, unfilled: ReadonlySet<string> = new Set()): readonly Criterion[] {
  const items = parseTaskItems(text, ".ai/task/plan.md");
  return items.filter((item) => item.text !== "" && !unfilled.has(item.text));
}
