/**
 * Backlog.md: one Markdown file per task, with front matter; in `tasks`, `completed`, `drafts` and `archive`.
 */

import type { Fields } from "../core/json.ts";
import type { Checkbox } from "../core/text/checkbox.ts";
import { parseFronted } from "./front-fields.ts";
import { outline } from "./outline.ts";
import { asideRemarks, otherNotes } from "./records.ts";
import type { Dependency, Read, SourceFile, SourceTask } from "./source.ts";
import { stateOf, stateOfBox } from "./states.ts";
import { idFrom, openKeys, paragraphs, textOf, titled, withoutBlankLines } from "./words.ts";

interface Card {
  readonly path: string;
  readonly id: string;
  readonly fields: Fields;
  readonly body: string;
  readonly isArchived: boolean;
  readonly isDraft: boolean;
}

export function readBacklogMd(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const cards: Card[] = [];
  for (const file of files) {
    if (!file.path.endsWith(".md")) continue;
    const card = cardOf(file);
    if (card) cards.push(card);
    else remarks.push(`${file.path} is no task: it has neither an id in front matter nor one in its name.`);
  }
  // If two cards have the same id, the live one keeps it.
  const ordered = cards.toSorted((one, other) => Number(one.isArchived) - Number(other.isArchived));
  const unique = openKeys();
  const keys = new Map(ordered.map((card) => [card, unique(card.id.toLowerCase())]));
  const byId = new Map(ordered.toReversed().map((card) => [card.id.toLowerCase(), card]));
  const byNumber = numbered(ordered);
  const find = (word: string) => byId.get(word.toLowerCase()) ?? byNumber.get(numberOf(word));
  const resolve = (word: string): Dependency => {
    const card = find(word);
    return { key: (card && keys.get(card)) ?? `?${word}`, text: word };
  };
  for (const card of ordered)
    if (keys.get(card) !== card.id.toLowerCase())
      remarks.push(`${card.path} has the id ${card.id} of another file.`);
  const asides = new Map<string, number>();
  const tasks = ordered.map((card) => {
    const above = parentOf(card, find);
    const parent = (above && above !== card && keys.get(above)) || null;
    return taskOf(card, keys.get(card) ?? "", parent, resolve, asides);
  });
  return { tasks, remarks: [...remarks, ...asideRemarks(asides)] };
}

/** `task-7 - Title.md`, and from people's own scripts `task-epic-11.2-Title.md`. */
const NAME =
  /^((?:task-(?:[a-z][a-z0-9_]{0,30}-){1,2}|[a-z][a-z0-9_]{0,30}-)\d+(?:\.\d+)*)(?:[ _-].*)?\.md$/i;

function cardOf({ path, text }: SourceFile): Card | null {
  const { body, fields: front } = parseFronted(text);
  const fields = front ?? {};
  const name = path.split("/").at(-1) ?? "";
  const id = textOf(fields.id) || NAME.exec(name)?.[1] || "";
  if (id === "" || /^(?:readme|config|index)\.md$/i.test(name)) return null;
  return {
    path,
    id,
    fields,
    body,
    isArchived: /(?:^|\/)archive\//.test(path),
    isDraft: /(?:^|\/)drafts\//.test(path),
  };
}

/**
 * `task-7.1` and `BACK-7.1` are both 7.1, because a backlog's prefix may have changed. `task-epic-7.1` is
 * another task.
 */
function numberOf(id: string): string {
  const number = /-0*(\d+(?:\.\d+)*)$/.exec(id.slice(-60))?.[1];
  if (number === undefined) return id;
  const words = /^[a-z][a-z0-9_]{0,30}-((?:[a-z][a-z0-9_]{0,30}-){1,2})\d/i.exec(id)?.[1] ?? "";
  return `${words.toLowerCase()}${number}`;
}

/** The cards by number, if only one card, or only one live card, has the number. */
function numbered(cards: readonly Card[]): ReadonlyMap<string, Card> {
  const found = new Map<string, Card>();
  const isOff = ({ isArchived, isDraft }: Card) => isArchived || isDraft;
  for (const group of [cards.filter(isOff), cards.filter((card) => !isOff(card))]) {
    const cards = new Map<string, Card | null>();
    for (const card of group) cards.set(numberOf(card.id), cards.has(numberOf(card.id)) ? null : card);
    for (const [number, card] of cards)
      if (card) found.set(number, card);
      else found.delete(number);
  }
  return found;
}

function parentOf({ fields, id }: Card, find: (word: string) => Card | undefined): Card | undefined {
  const named = textOf(fields.parent_task_id) || textOf(fields.parent);
  if (named !== "") return find(named);
  const dot = id.lastIndexOf(".");
  return dot > 0 ? find(id.slice(0, dot)) : undefined;
}

function listOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map(textOf).filter((each) => each !== "");
}

/** Fields that the task contains elsewhere. */
const TAKEN = new Set(["id", "title", "status", "dependencies", "parent_task_id", "parent", "subtasks"]);
const ASIDE = /^(?:(?:created|updated)(?:date|at)?|date|ordinal)$/;

function taskOf(
  card: Card,
  key: string,
  parent: string | null,
  resolve: (word: string) => Dependency,
  asides: Map<string, number>,
): SourceTask {
  const { body, fields, id, isArchived, isDraft } = card;
  const { criteria, heading, text } = bodyOf(body);
  const word = textOf(fields.status) || statedIn(body);
  const state = stateOf(word);
  const file = (card.path.split("/").at(-1) ?? "").slice(0, -".md".length);
  // The file may have another name than its id.
  const suffix = file.toLowerCase().startsWith(id.toLowerCase()) ? file.slice(id.length) : file;
  const name = suffix.replace(/^[ _-]+/, "").replaceAll("-", " ");
  const { title, rest } = titled(textOf(fields.title) || heading || name || id);
  const others = Object.entries(fields).filter(([name]) => !TAKEN.has(name));
  const isDropped = isArchived && state.status !== "done";
  return {
    key,
    id: idFrom(id),
    title,
    ...(isDropped
      ? { status: "cancelled", reason: `archived in the source${word ? ` as ${word}` : ""}` }
      : state),
    text: paragraphs(rest, text),
    criteria,
    notes: [
      ...(isDraft ? ["A draft in the source"] : []),
      ...otherNotes(others, { usual: { priority: "medium" } }, (field) => ASIDE.test(field), asides),
    ],
    dependsOn: [...new Set(listOf(fields.dependencies))].map(resolve),
    parent,
    steps: [],
  };
}

/** Only the text before the first section concerns the task as a whole. */
const LONGEST_HEAD = 2000;
const STATED = /^(?:#{1,6}[ \t]+|[-*][ \t]+)?\**status\**[ \t]*:\**[ \t]*(\S.{0,99})$/im;
const STATED_BELOW = /^#{1,6}[ \t]+status[ \t]*\n+[ \t]*(\S.{0,59})$/im;

/** The status at the beginning of a text without front matter: `**Status:** Done`; empty: none. */
function statedIn(body: string): string {
  const head = body.slice(0, LONGEST_HEAD).split(/^(?=##+[ \t]+(?!status\b))/im)[0] ?? "";
  const word = STATED.exec(head)?.[1] ?? STATED_BELOW.exec(head)?.[1] ?? "";
  return word.replace(/\(.*/, "").trim();
}

const MARKER =
  /^[ \t]*<!-- ?(?:SECTION:[A-Z_]+:(?:BEGIN|END)|AC:(?:BEGIN|END)|DOD:(?:BEGIN|END)) ?-->[ \t]*$/;

/** The criteria are the boxes below their heading; every other line stays unchanged. */
function bodyOf(source: string): {
  readonly criteria: readonly string[];
  readonly heading: string;
  readonly text: string;
} {
  const { entries, preface } = outline(source);
  const criteria: string[] = [];
  const lines: (readonly string[])[] = preface === "" ? [] : [[preface]];
  let isCriteria = false;
  let heading = "";
  const inside = linesInSections(source);
  for (const { body, box, depth, kind, line, lines: entryLines, text } of entries) {
    if (inside.has(line)) lines.push(entryLines);
    else if (kind === "heading") {
      isCriteria = /^acceptance criteria/i.test(text);
      const isTitle = depth === 1 && heading === "";
      if (isTitle) heading = text.replace(/^[a-z]+-\d+(?:\.\d+)* [-–—] /i, "");
      lines.push(
        isTitle || isCriteria || (depth === 2 && /^description$/i.test(text))
          ? entryLines.slice(1)
          : entryLines,
      );
    } else if (isCriteria && (box !== null || depth === 0)) {
      const below = withoutMarkers(body.split("\n"));
      const words = [text.replace(/^#\d+[ \t]+/, ""), below].filter((part) => part !== "").join("\n");
      if (words !== "") criteria.push(`${words}${markOf(box)}`);
    } else if (isCriteria && criteria.length > 0) criteria.push([criteria.pop(), ...entryLines].join("\n"));
    else lines.push(entryLines);
  }
  return { criteria, heading, text: withoutMarkers(lines.flat()) };
}

/** What a criterion's box says, if that is not simply open. */
function markOf(box: Checkbox | null): string {
  if (box === null || stateOfBox(box).status === "todo") return "";
  return stateOfBox(box).status === "done"
    ? " (met, the source says)"
    : ` (marked [${box.mark}] in the source)`;
}

/** The numbers of the lines between a section's marks: headings and boxes there are a person's. */
function linesInSections(source: string): ReadonlySet<number> {
  const found = new Set<number>();
  let isInside = false;
  source.split("\n").forEach((line, at) => {
    if (/^[ \t]*<!-- ?SECTION:[A-Z_]+:BEGIN/.test(line)) isInside = true;
    else if (/^[ \t]*<!-- ?SECTION:[A-Z_]+:END/.test(line)) isInside = false;
    else if (isInside) found.add(at + 1);
  });
  return found;
}

function withoutMarkers(lines: readonly string[]): string {
  return withoutBlankLines(lines.filter((line) => !MARKER.test(line)).join("\n"));
}
