import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item";
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";

export interface Criterion {
  readonly text: string;
  readonly checked: boolean;
}

interface Node {
  readonly type: string;
  readonly checked?: boolean | null;
  readonly children?: readonly Node[];
  readonly value?: string;
}

/**
 * The task-list items of a markdown text, read by a parser: what stands in code fences is none. Left out are unfilled
 * ones: without a text, or with one of `unfilled` (the lines of the shipped template).
 */
export function parseCriteria(text: string, unfilled: ReadonlySet<string> = new Set()): readonly Criterion[] {
  const tree = fromMarkdown(text, {
    extensions: [gfmTaskListItem()],
    mdastExtensions: [gfmTaskListItemFromMarkdown()],
  });
  return itemsOf(tree as Node).filter((item) => item.text !== "" && !unfilled.has(item.text));
}

/** To the parser `- [ ]` with nothing after it is no task-list item; it needs no rule of its own here. */
function itemsOf(node: Node): readonly Criterion[] {
  const below = (node.children ?? []).flatMap(itemsOf);
  if (node.type !== "listItem" || typeof node.checked !== "boolean") return below;
  return [{ text: textOf(node.children?.[0]).trim(), checked: node.checked }, ...below];
}

function textOf(node: Node | undefined): string {
  if (node === undefined) return "";
  return node.value ?? (node.children ?? []).map(textOf).join("");
}
