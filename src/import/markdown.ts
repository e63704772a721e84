/**
 * A checklist in Markdown. Boxes are tasks, boxes below them their subtasks, and everything else below them
 * their text. In a file without boxes, the bullets are the tasks; without bullets, the headings with a tick.
 */
import { fewOf } from "../core/text/few.ts";
import { parseFrontMatter } from "../core/text/front-matter.ts";
import { type Branch, branches, type Entry, eachBranch, outline, textBelow, tickOf } from "./outline.ts";
import type { Read, SourceFile, SourceTask, State } from "./source.ts";
import { stateOf, stateOfBox } from "./states.ts";
import { idFrom, openKeys, paragraphs, plain, slugOf, titled } from "./words.ts";

/** Deeper boxes are text. */
const DEEPEST_BOX = 5;

export function readMarkdown(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const tasks = files.flatMap(({ path, text }) => {
    const { deeper, found, outside } = tasksIn(path, text);
    if (deeper > 0)
      remarks.push(`${path}: ${deeper} boxes below the fifth level are text of the task above them.`);
    if (found.length === 0)
      remarks.push(`${path} has no box, no bullet and no heading with a tick: no tasks.`);
    else if (outside.length > 0)
      remarks.push(
        `${path}: ${outside.length} lines of text belong to no task: left out (${fewOf(outside.map(quoted))}).`,
      );
    return found;
  });
  return { tasks, remarks };
}

interface MarkdownTasks {
  readonly found: readonly SourceTask[];
  /** The lines of text outside of tasks; headings do not count, because tasks name them. */
  readonly outside: readonly string[];
  /** How many boxes are text because they stand too deep. */
  readonly deeper: number;
}

function tasksIn(path: string, text: string): MarkdownTasks {
  const { entries, preface } = outline(text);
  const unique = openKeys();
  const tasks: SourceTask[] = [];
  const hasBoxes = entries.some(({ box, kind }) => kind === "item" && box !== null);
  let deeper = 0;
  const outside = [parseFrontMatter(plain(text))?.front ?? "", preface]
    .flatMap(linesOf)
    .map((words) => ({ line: 0, words }));
  const leave = ({ line }: Entry, left: readonly string[]) => {
    for (const words of left) outside.push({ line, words });
  };
  const add = (branch: Branch, parent: SourceTask | null, depth: number) => {
    const { children, entry, headings } = branch;
    const isOne = hasBoxes ? entry.box !== null : true;
    // In a file with boxes, a bullet without one is no task; only the boxes below it are.
    if (!isOne) {
      leave(entry, [entry.text, ...linesOf(entry.body)]);
      for (const child of children) add(child, parent, depth);
    } else {
      const inner =
        hasBoxes && depth < DEEPEST_BOX ? children.filter((child) => child.entry.box !== null) : [];
      if (hasBoxes && depth === DEEPEST_BOX)
        deeper += children.flatMap(eachBranch).filter((each) => each.entry.box !== null).length;
      const rest = { ...branch, children: children.filter((child) => !inner.includes(child)) };
      const section = parent === null ? headings.map((each) => each.text).join(" / ") : "";
      const task = taskOf({ ...branch, below: textBelow(rest) }, section, path, parent, unique);
      tasks.push(task);
      for (const child of inner) add(child, task, depth + 1);
    }
  };
  for (const branch of branches(entries)) add(branch, null, 1);
  const ticked = entries.filter((entry, at) => entry.box !== null && isAlone(entries, at, hasBoxes));
  const tickedKeys = new Set(ticked);
  for (const entry of entries)
    if (entry.kind === "heading" && !tickedKeys.has(entry)) leave(entry, linesOf(entry.body));
  const alone = ticked.map((entry) =>
    taskOf({ entry, below: entry.body, headings: [] }, "", path, null, unique),
  );
  const left = outside.toSorted((one, other) => one.line - other.line).map(({ words }) => words);
  return { found: [...tasks, ...alone], outside: left, deeper };
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function quoted(line: string): string {
  const words = line.trim();
  return `"${words.length > 60 ? `${words.slice(0, 60)}…` : words}"`;
}

/** A heading with a tick is a task if no box is below it. */
function isAlone(entries: readonly Entry[], at: number, hasBoxes: boolean): boolean {
  const heading = entries[at];
  if (heading?.kind !== "heading") return false;
  for (let next = at + 1; next < entries.length; next++) {
    const { box, depth, kind } = entries[next] as Entry;
    if (kind === "heading" && depth <= heading.depth) return true;
    if (kind === "item" && (box !== null || !hasBoxes)) return false;
  }
  return true;
}

function taskOf(
  { below, entry, headings }: Pick<Branch, "entry" | "headings"> & { readonly below: string },
  section: string,
  path: string,
  parent: SourceTask | null,
  unique: (key: string) => string,
): SourceTask {
  const { title, rest } = titled(entry.text || `Line ${entry.line}`);
  const id = ownId(title);
  return {
    // A task with an id stays the same task if its parent's text changes.
    key: unique(
      id ? `${path}#${id}` : `${parent?.key ?? `${path}#`}/${title.slice(0, 120)}`.replace("#/", "#"),
    ),
    ...(id ? {} : { byText: true }),
    id: id ? idFrom(id) : slugOf(title),
    title,
    ...stateIn(entry, headings),
    text: paragraphs(rest, below, section && `Section: ${section}`),
    criteria: [],
    notes: entry.box?.mark === "!" ? ["Marked as important in the source"] : [],
    dependsOn: [],
    parent: parent?.key ?? null,
    steps: [],
  };
}

/** The id at the beginning of `ABC-12: title`. */
function ownId(title: string): string | undefined {
  return /^[*`[]{0,3}([A-Z][A-Z0-9]{0,9}-?\d{1,6}(?:\.\d{1,4})*)\b/.exec(title)?.[1];
}

/** The headings that are columns of a board. Others, such as Testing, say what the work is about. */
const COLUMN =
  /^(?:done|completed?|finished|closed|shipped|in progress|doing|wip|blocked|on hold|cancell?ed|won'?t do)$/i;

function stateIn({ box, text }: Entry, headings: readonly Entry[]): State {
  const state = stateOfBox(box ?? tickOf(text), "cancelled");
  if (state.status === "done") return state;
  if (/^(?:~~)?[^~]+~~$/.test(text)) return { status: "cancelled" };
  const words = headings.map((each) => each.text.replace(/[^\p{L}' ]+/gu, "").trim());
  const column = state.status === "todo" ? words.findLast((each) => COLUMN.test(each)) : undefined;
  if (column === undefined) return state;
  const columnState = stateOf(column);
  const isOver = columnState.status === "done" || columnState.status === "cancelled";
  // It may be finished or not: a person decides.
  return box && isOver ? { status: "blocked", word: `${column}, but [ ]`, isUnknown: true } : columnState;
}
