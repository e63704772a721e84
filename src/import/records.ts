/**
 * Reads tasks from records: the objects of a JSON list, lines of JSON, rows of a table, the front matter of
 * files. A format defines only the fields in which a record's parts are found.
 *
 * R1  A field that the format does not name becomes a note. One that is not about the work is omitted, and a
 *     remark names it.
 * R2  The status follows from its word and from other evidence: a date, a tick, a category.
 */
import { attempt } from "../core/attempt.ts";
import { criterionWords } from "../core/criterion.ts";
import { type Fields, isObject, objectsIn } from "../core/json.ts";
import {
  type Dependency,
  invalidSourceError,
  MAX_DEPTH,
  type Read,
  type SourceStatus,
  type SourceTask,
  type State,
} from "./source.ts";
import { bare, stateOf } from "./states.ts";
import { idFrom, openKeys, paragraphs, slugOf, textOf, titled } from "./words.ts";

/** Names of fields, lower-case and without punctuation, best first. */
type Names = readonly string[];

export interface Shape {
  readonly id: Names;
  readonly title: Names;
  /** Field → the heading above its text; empty: none. */
  readonly texts: Readonly<Record<string, string>>;
  readonly status: Names;
  readonly reason?: Names;
  readonly url?: Names;
  readonly criteria?: Names;
  readonly parent?: Names;
  /** The fields with what it waits for. */
  readonly depends?: Names;
  /** The fields with what waits for it. */
  readonly blocks?: Names;
  /** Fields that finished work may lack, although their names say otherwise. */
  readonly mayLack?: Names;
  /** The fields with its subtasks: nested records, or their names. */
  readonly children?: Names;
  /** Field → the beginning of its note, if that is not the field's name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Field → its default value, which needs no note. */
  readonly usual?: Readonly<Record<string, string>>;
  /** Fields that are not about the work: times, an API's URLs, counters. */
  readonly aside?: Names;
  /** The prefix of ids that are not valid here: `VK-0f8e1d2c`. */
  readonly prefix?: string;
  /** Whether `a.1` is a child of `a`. */
  readonly isDotted?: true;
}

/** Fields whose value proves a state: a yes, a date, all of a hundred, or a word for it. */
const PROVES: readonly (readonly [status: SourceStatus | null, field: RegExp])[] = [
  [
    "done",
    /^(?:is|was|date)?(?:pass(?:e[sd]|ing)|complet(?:ed?|ion)|done|finished|closed|resolved|merged|accepted)(?:at|on|date)?$/,
  ],
  ["done", /^(?:percent(?:age)?(?:complete|done)|(?:complete|done)percent(?:age)?|progress)$/],
  ["cancelled", /^(?:is|was|date)?cancell?ed(?:at|on|date)?$/],
  [null, /^(?:status(?:category|type)|resolution)$/],
  ["done", /^duecomplete$/],
];
export const provesState = (field: string) => PROVES.some(([, names]) => names.test(field));
/** Without a value in one of these fields, the work is not finished; with one of no meaning, it may be. */
const SURE = /^(?:pass(?:e[sd]|ing)|(?:is)?completed(?:at|on)?|done)$/;
/** A yes in one of these fields is no proof, but without another the work may be finished. */
const MAY_PROVE = /^(?:is)?(?:implemented|verified|shipped|delivered|tested|working|works)$/;
const YES = /^(?:true|yes|x|✓|✔|1|passed|checked)$/i;
const NO = /^(?:false|no|0|unresolved|none|null|-)?$/i;
const ALL = /^100(?:[.,]0+)?\s?%?$/;
const DATE =
  /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/. -]\w{2,9}[/. -]\d{2,4}|^\d{1,2}\/\d{1,2}\/\d{2,4}|^\p{L}{3,9} \d{1,2},? \d{4}|^\d{10,13}$/u;

export interface Scope {
  /** The prefix of each key, to make it unique in the import; empty: the ids are unique. */
  readonly key: string;
  /** The prefix of each id. */
  readonly prefix: string;
  readonly remarks: string[];
}

/** A record's fields by their normalized names; each is used once, and `left` has those not used yet. */
interface Row {
  /** The fields without a value, or with `false`. */
  readonly empty: ReadonlySet<string>;
  readonly isFalse: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly value: unknown }>;
  readonly left: Set<string>;
}

interface Placed {
  readonly row: Row;
  readonly item: Fields;
  readonly id: string;
  /** `3.1`: its ids from the top. */
  readonly dotted: string;
  readonly key: string;
  readonly title: string;
  /** The rest of the line from which the title was taken. */
  readonly rest: string;
  /** The text field from which the title was made; null: none. */
  readonly titleField: string | null;
  readonly parent: Placed | null;
}

/** The tasks of records, with the nested ones. Throws `import-invalid`. */
export function tasksOf(records: readonly Fields[], shape: Shape, scope: Scope): readonly SourceTask[] {
  const placed = arrange(records, shape, scope);
  const find = finder(placed, shape);
  const asides = new Map<string, number>();
  const tasks = placed.map((each) => taskOf(each, shape, scope, find, asides));
  const inverse = new Map(tasks.map((task) => [task.key, task]));
  for (const each of placed) {
    for (const word of wordsIn(takeAll(each.row, shape.blocks), (one) => find(one, each) !== undefined)) {
      const other = inverse.get(find(word, each) ?? "");
      const known = other?.dependsOn.some(({ key }) => key === each.key);
      if (other && !known)
        inverse.set(other.key, {
          ...other,
          dependsOn: [...other.dependsOn, { key: each.key, text: each.id || each.title }],
        });
    }
    for (const word of takeAll(each.row, shape.children).flatMap(childNames)) {
      const other = inverse.get(find(word, each) ?? "");
      if (other && other.parent === null && other.key !== each.key)
        inverse.set(other.key, { ...other, parent: each.key });
    }
  }
  scope.remarks.push(...asideRemarks(asides));
  return tasks.map(({ key }) => inverse.get(key) as SourceTask);
}

/** The tasks of the records of several files, among which ids are unique; `remarks` on the files come first. */
export function readRecords(records: readonly Fields[], shape: Shape, remarks: string[] = []): Read {
  return { tasks: tasksOf(records, shape, { key: "", prefix: "", remarks }), remarks };
}

// ── Where each goes ──────────────────────────────────────────────────────────────────────────────────────────────

function arrange(
  records: readonly Fields[],
  shape: Shape,
  { key: scope, remarks }: Scope,
): readonly Placed[] {
  const unique = openKeys();
  const placed: Placed[] = [];
  const walk = (list: readonly Fields[], parent: Placed | null, depth: number) => {
    if (depth > MAX_DEPTH) throw invalidSourceError(scope, `subtasks at most ${MAX_DEPTH} deep`, "more");
    list.forEach((item, at) => {
      const row = rowOf(item);
      const id = firstOf(row, shape.id).text || (parent === null ? "" : String(at + 1));
      const named = titleIn(row, shape);
      const url = firstOf(row, shape.url, false).text;
      const own = id || url || named.title;
      const isWhole = parent !== null && own.startsWith(`${parent.dotted}.`);
      const dotted = parent === null || isWhole ? own : `${parent.dotted}.${own}`;
      // A subtask's key contains its parent's, because a task may have the decimal id 1.2 next to subtask 2
      // of task 1.
      const wanted = parent !== null ? `${parent.key}/${own}` : scope === "" ? own : `${scope}/${own}`;
      const key = unique(wanted);
      if (key !== wanted && id !== "")
        remarks.push(`${scope === "" ? "The source" : scope} has the id ${dotted} more than once.`);
      const each = { row, item, id, dotted, key, ...named, parent };
      placed.push(each);
      walk(childrenIn(row, shape), each, depth + 1);
    });
  };
  walk(records, null, 1);
  return placed;
}

function rowOf(item: Fields): Row {
  const all = Object.entries(item).map(([name, value]) => [bare(name), { name, value }] as const);
  const fields = new Map<string, { readonly name: string; readonly value: unknown }>();
  // Of `Due date` and `due_date`, the second has no meaning, but stays.
  for (const [name, field] of all)
    if (!isEmpty(field.value)) fields.set(fields.has(name) ? `${name} ${fields.size}` : name, field);
  const empty = new Set(
    all.flatMap(([name, { value }]) => (isEmpty(value) || value === false ? [name] : [])),
  );
  const isFalse = new Set(all.flatMap(([name, { value }]) => (value === false ? [name] : [])));
  return { empty, fields, isFalse, left: new Set(fields.keys()) };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "string") return value.trim() === "";
  return typeof value === "object" && Object.values(value).every(isEmptyLeaf);
}

const isEmptyLeaf = (value: unknown) => value === null || value === undefined || value === "";

/** The first of the fields that exists. It is marked as used, unless `isTaken` is false. */
function firstOf(row: Row, names: Names = [], isTaken = true) {
  const name = names.find((each) => row.fields.has(each));
  if (name === undefined) return { name: null, text: "" };
  if (isTaken) row.left.delete(name);
  const value = row.fields.get(name)?.value;
  return { name, text: typeof value === "boolean" ? String(value) : textOf(value) || render(value) };
}

function takeAll(row: Row, names: Names = []): readonly unknown[] {
  return names.flatMap((name) => {
    row.left.delete(name);
    return row.fields.has(name) ? [row.fields.get(name)?.value] : [];
  });
}

function titleIn(row: Row, { texts, title }: Shape): Pick<Placed, "title" | "rest" | "titleField"> {
  const own = firstOf(row, title);
  if (own.text !== "") return { ...titled(own.text), titleField: null };
  const text = firstOf(row, Object.keys(texts), false);
  return { ...titled(text.text), titleField: text.name };
}

function childrenIn(row: Row, { children = [] }: Shape): readonly Fields[] {
  return children.flatMap((name) => {
    const list = objectsIn(row.fields.get(name)?.value);
    if (list.length > 0) row.left.delete(name);
    return list;
  });
}

/** The names of subtasks in a field that has no nested records; an id of one of these is relative to its task. */
function childNames(value: unknown): readonly string[] {
  return namesIn(Array.isArray(value) ? value.filter((each) => !isObject(each)) : value);
}

type Find = (word: string, from: Placed) => string | undefined;

/** Finds a task by its id among its siblings, then by the ids of all, then by URL and title. */
function finder(placed: readonly Placed[], shape: Shape): Find {
  const tops = new Map<string, string>();
  const subs = new Map<string, string>();
  const names = new Map<string, string>();
  for (const { dotted, key, parent, row, title } of placed.toReversed()) {
    (parent === null ? tops : subs).set(dotted.toLowerCase(), key);
    for (const name of [title, ...takeWords(row, shape.url), ...takeWords(row, shape.id)])
      if (name !== "") names.set(name.toLowerCase(), key);
  }
  return (given, { parent }) => {
    const word = given.trim().toLowerCase();
    const sibling = parent ? subs.get(`${parent.dotted.toLowerCase()}.${word}`) : undefined;
    return sibling ?? subs.get(word) ?? tops.get(word) ?? names.get(word);
  };
}

function takeWords(row: Row, names: Names = []): readonly string[] {
  return names.flatMap((name) => textOf(row.fields.get(name)?.value).split("\n")[0] ?? []);
}

// ── What it says ─────────────────────────────────────────────────────────────────────────────────────────────────

function taskOf(
  each: Placed,
  shape: Shape,
  scope: Scope,
  find: Find,
  asides: Map<string, number>,
): SourceTask {
  const { dotted, id, key, rest, row, title, titleField } = each;
  const state = stateIn(row, shape);
  const url = firstOf(row, shape.url).text;
  const reason = state.status === "cancelled" ? firstOf(row, shape.reason).text : "";
  const texts = Object.entries(shape.texts).map(([name, heading]) => {
    const [value] = takeAll(row, [name]);
    if (value === undefined || name === titleField) return "";
    return heading === "" ? section(value) : `## ${heading}\n\n${section(value)}`;
  });
  const { lost, parent } = parentOf(each, shape, find);
  const words = wordsIn(takeAll(row, shape.depends), (word) => find(word, each) !== undefined);
  const criteria = takeAll(row, shape.criteria).flatMap(linesIn);
  for (const name of [...(shape.blocks ?? []), ...(shape.children ?? [])]) row.left.delete(name);
  const left = [...row.left].map((field) => {
    const { name = field, value } = row.fields.get(field) ?? {};
    return [name, value] as const;
  });
  const isAside = (field: string) => shape.aside?.includes(field) === true;
  const others = otherNotes(left, shape, isAside, asides);
  const own =
    id ||
    url
      .split(/[?#]/)[0]
      ?.split("/")
      .findLast((part) => part !== "") ||
    "";
  return {
    key,
    ...(own === "" ? { byText: true as const } : {}),
    id: own === "" ? slugOf(title) : ownId(id === "" ? own : `${scope.prefix}${dotted}`, shape),
    title: title || `Task ${dotted}`,
    ...state,
    ...(reason === "" ? {} : { reason }),
    text: paragraphs(rest, ...texts),
    criteria,
    notes: [...lost, ...(url === "" ? [] : [url]), ...others],
    dependsOn: [...new Set(words)].map((text): Dependency => ({ key: find(text, each) ?? `?${text}`, text })),
    parent,
    steps: [],
  };
}

function ownId(id: string, { prefix = "task" }: Shape): string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(id) ? `${prefix}-${id.slice(0, 8)}` : idFrom(id, prefix);
}

function parentOf(each: Placed, { isDotted, parent: names }: Shape, find: Find) {
  const texts = takeAll(each.row, names)
    .flatMap((value) => namesIn(value))
    .filter((word) => !NO.test(word));
  if (each.parent) return { parent: each.parent.key, lost: [] };
  const found = texts.map((word) => find(word, each)).find((key) => key !== undefined && key !== each.key);
  const dot = each.id.lastIndexOf(".");
  const above = isDotted && dot > 0 ? find(each.id.slice(0, dot), each) : undefined;
  const parent = found ?? above ?? null;
  const [first] = texts;
  return { parent, lost: parent === null && first ? [`Its parent in the source: ${first}`] : [] };
}

function stateIn(row: Row, shape: Shape): State {
  const { text } = firstOf(row, shape.status);
  const state = stateOf(YES.test(text) ? "done" : NO.test(text) ? "" : text);
  const denied = ["passes", "passed", "passing"].find((field) => row.isFalse.has(field));
  // It may be finished or not: a person decides.
  if (state.status === "done" && denied !== undefined)
    return { status: "blocked", word: `${text}, but ${denied}: false`, isUnknown: true };
  const proofs = [...row.fields.keys()].flatMap((field) => proofIn(row, field) ?? []);
  const proved = (["cancelled", "done", "in_progress", "todo"] as const).find((each) =>
    proofs.some(({ status }) => status === each),
  );
  if (state.status === "cancelled") return state;
  if (proved === "done" || proved === "cancelled") return { ...state, status: proved };
  if (proved === "in_progress" && (state.isUnknown || state.status === "todo"))
    return { ...state, status: proved };
  const unclear = proofs.find(({ isUnknown }) => isUnknown);
  if (unclear && text === "") return unclear;
  const isOpen =
    proved === "todo" ||
    [...row.empty].some((field) => SURE.test(field) && shape.mayLack?.includes(field) !== true);
  if (text === "" && !isOpen) return mayBeOver(row) ?? state;
  return state.isUnknown && isOpen ? { ...state, status: "todo" } : state;
}

function mayBeOver(row: Row): State | undefined {
  const field = [...row.fields.keys()].find((name) => MAY_PROVE.test(name));
  const { name, value } = row.fields.get(field ?? "") ?? {};
  return value === true ? { status: "blocked", word: `${name}: true`, isUnknown: true } : undefined;
}

/** The state that a field proves. A date stays as a note; a mere yes is marked as used. */
function proofIn(row: Row, field: string): State | undefined {
  const [yes, named] = PROVES.find(([, names]) => names.test(field)) ?? [];
  if (yes === undefined || named === undefined) return undefined;
  const value = row.fields.get(field)?.value;
  const word = typeof value === "boolean" ? String(value) : textOf(value);
  if (NO.test(word)) {
    row.left.delete(field);
    return undefined;
  }
  const isDate = DATE.test(word);
  const isPart = /progress|percent|complete$/.test(field);
  const isYes = isDate || (isPart && ALL.test(word)) || (YES.test(word) && !(isPart && word === "1"));
  const state = isYes && yes !== null ? { status: yes } : stateOf(word);
  if (state.isUnknown) return SURE.test(field) ? state : undefined;
  if (!isDate) row.left.delete(field);
  return state;
}

/** Fields that the format does not name, as notes; those not about the work are counted. */
export function otherNotes(
  fields: Iterable<readonly [name: string, value: unknown]>,
  { labels = {}, usual = {} }: Pick<Shape, "labels" | "usual">,
  isAside: (field: string) => boolean,
  asides: Map<string, number>,
): readonly string[] {
  return [...fields].flatMap(([name, value]) => {
    const field = bare(name);
    const words = isEmpty(value) ? "" : render(value);
    if (words === "" || words === usual[field]) return [];
    if (!isAside(field)) {
      const label = labels[field] ?? spoken(name);
      return isTextList(value) ? value.map((each) => `${label}: ${textOf(each)}`) : [`${label}: ${words}`];
    }
    asides.set(name, (asides.get(name) ?? 0) + 1);
    return [];
  });
}

/** Comments of any tool, oldest as they stand: who, when, and the words. */
export function renderComments(comments: readonly unknown[]): string {
  return comments
    .map((each) => {
      if (!isObject(each)) return textOf(each);
      const { author, body, created_at, createdAt = created_at, note, text } = each;
      const by = isObject(author) ? textOf(author.login) || textOf(author.name) : textOf(author);
      const head = [by, textOf(createdAt)].filter((part) => part !== "").join(", ");
      return `${head === "" ? "" : `${head}: `}${[text, body, note].map(textOf).find((words) => words !== "") ?? ""}`;
    })
    .join("\n\n");
}

/** Whether it is a list of texts that a comma would blur: Jira's comments, one in each column. */
function isTextList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((each) => textOf(each) !== "") && /[,\n]/.test(value.join(""));
}

export function asideRemarks(asides: ReadonlyMap<string, number>): readonly string[] {
  if (asides.size === 0) return [];
  const counts = [...asides].map(([name, count]) => `${name} (${count})`).join(", ");
  return [`Left out, since they say nothing of the work: ${counts}.`];
}

/** `relevantFiles` → Relevant files; a name that people wrote stays. */
function spoken(name: string): string {
  if (!/^[a-z][A-Za-z0-9_]*$/.test(name)) return name;
  const words = name.replace(/([a-z0-9])([A-Z])/g, (_, one, other) => `${one} ${other.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1).replaceAll("_", " ");
}

/** Any value in words, on one line unless it has line breaks. */
function render(value: unknown, depth = 0): string {
  if (typeof value === "boolean") return String(value);
  if (depth > 6) return "…";
  if (Array.isArray(value))
    return value
      .map((each) => render(each, depth + 1))
      .filter((each) => each !== "")
      .join(value.some(isObject) && !value.some(nameOf) ? "; " : ", ");
  if (!isObject(value)) return textOf(value);
  const name = nameOf(value);
  if (name !== "") return name;
  return Object.entries(value)
    .map(([key, each]) => [key, render(each, depth + 1)])
    .filter(([, words]) => words !== "")
    .map(([key, words]) => `${key}: ${words}`)
    .join(", ");
}

/** The name in an object that represents a person or a label. */
function nameOf(value: unknown): string {
  if (!isObject(value)) return "";
  const keys = ["title", "name", "login", "username", "displayName"];
  const isThing = ["id", "node_id", "color", "login", "avatar_url", "username", "email"].some(
    (key) => key in value,
  );
  const first = keys.map((key) => textOf(value[key])).find((word) => word !== "");
  return isThing || Object.keys(value).length === 1 ? (first ?? "") : "";
}

/** A value as part of a text: a list has one line per item. */
function section(value: unknown): string {
  if (Array.isArray(value))
    return value
      .map((each) => `- ${render(each)}`)
      .filter((line) => line !== "- ")
      .join("\n");
  if (isObject(value))
    return Object.entries(value)
      .map(([key, each]) => `- ${spoken(key)}: ${render(each)}`)
      .join("\n");
  return textOf(value) || render(value);
}

/** Criteria are in a list, or one per line. */
function linesIn(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value
      .map((each) => {
        if (!isObject(each)) return render(each);
        const text = textOf(each.description) || textOf(each.text);
        // A source says what is to hold. Commands to run are a person's to add.
        return text !== "" && typeof each.check === "string"
          ? criterionWords({ text, check: each.check })
          : text || render(each);
      })
      .filter((each) => each !== "");
  return textOf(value)
    .split("\n")
    .map((each) => {
      const [mark = "", box = ""] = /^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+(?:\[(.)\][ \t]+)?/.exec(each) ?? [];
      const words = each.slice(mark.length).trim();
      return words !== "" && /^x$/i.test(box) ? `${words} (met, the source says)` : words;
    })
    .filter((each) => each !== "");
}

/**
 * The names in a cell, a list, or objects with names: the whole text if it is a known name, else split at `;`
 * `,` `|` or line breaks.
 */
function wordsIn(values: readonly unknown[], isKnown: (word: string) => boolean): readonly string[] {
  return values.flatMap((value) => namesIn(value, isKnown));
}

/** Notion's form `Title (address)`. */
const WITH_ADDRESS = /([^()]{1,300}?) \((?:https?:\/\/[^()\s]*|[^()]*\.md)\)(?:, |$)/g;

function namesIn(value: unknown, isKnown: (word: string) => boolean = () => false): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, isKnown));
  if (isObject(value))
    return [textOf(value.id) || textOf(value.key) || textOf(value.url) || render(value)].filter(
      (word) => word !== "",
    );
  const cell = textOf(value).trim();
  if (cell === "" || isKnown(cell)) return cell === "" ? [] : [cell];
  const listed = cell.startsWith("[") ? attempt((): unknown => JSON.parse(cell), null) : null;
  if (Array.isArray(listed)) return namesIn(listed, isKnown);
  const linked = [...cell.slice(0, 20_000).matchAll(WITH_ADDRESS)].map(([, name = ""]) => name.trim());
  if (linked.length > 0) return linked;
  return cell
    .split(/[;,|\n]/)
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
