/**
 * Inserts a task or a step into tasks.yaml by a splice: every other byte stays unchanged. The result's data
 * is compared with the expected data before it is used; existing items are not inserted twice.
 */

import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { canonical } from "../core/json.ts";
import { readYaml } from "../core/yaml/yaml.ts";
import { readText } from "./parse.ts";

export interface NewTask {
  readonly id: string;
  readonly title: string;
  /** Its repository and target branch; absent: left to the person. */
  readonly delivery?: { readonly repo: "."; readonly merge_into: string };
  readonly verify?: readonly string[];
  readonly instructions: string;
  readonly acceptance_criteria: readonly string[];
  readonly steps: readonly NewStep[];
}

export interface NewStep {
  readonly id: string;
  readonly instruction: string;
  readonly acceptance_criteria: readonly string[];
}

export type Insertion =
  /** At the end of the list; for an existing task without steps, only the steps. */
  | { readonly type: "add-task"; readonly task: NewTask }
  /** At the end of the steps of the task `id`. */
  | { readonly type: "add-step"; readonly id: string; readonly step: NewStep };

/** A part of the file's layout that cannot be read, or added to. */
export class Layout extends Error {}
/** The file would have more characters than Pawl reads. */
export class TooLong extends Layout {}

/** Throws `Layout`. */
export function insert(text: string, insertion: Insertion): string {
  return insertion.type === "add-task"
    ? addTask(text, insertion.task)
    : addStep(text, insertion.id, insertion.step);
}

// ── A task ───────────────────────────────────────────────────────────────────────────────────────────────────────

function addTask(text: string, task: NewTask): string {
  if (text.trim() === "") return `tasks:\n${itemOf(task, 2)}`;
  const { document, data } = sound(text);
  const tasks = tasksOf(document, text);
  const found = data.tasks?.find(({ id }) => id === task.id);
  const steps = task.steps.map(stepOf);
  if (found && sameIds(found.steps, steps)) return text;
  const present = mapOf(tasks, task.id);
  const result = present ? withSteps(text, present, task) : withTask(text, document, tasks, task);
  const wanted = found
    ? data.tasks?.map((each) => (each === found ? { ...each, steps } : each))
    : [...(data.tasks ?? []), filed(task)];
  if (meaningOf(result) === canonical({ ...data, tasks: wanted })) return result;
  throw new Layout(
    "the task cannot be added without changing what is there; its layout is not one that can be added to",
  );
}

function sameIds(found: unknown, steps: readonly { readonly id: string }[]): boolean {
  const ids = (items: unknown) =>
    Array.isArray(items) ? JSON.stringify(items.map((item: { id?: unknown } | null) => item?.id)) : null;
  return ids(found) === ids(steps);
}

/** The text with the task at the end of its list, in the list's indentation. */
function withTask(text: string, document: Document, tasks: YAMLSeq | null, task: NewTask): string {
  const last = tasks?.items.at(-1) as Node | undefined;
  if (tasks && last && !tasks.flow) {
    const dash = text.lastIndexOf("-", rangeOf(last)[0] - 1);
    const indent = dash - (text.lastIndexOf("\n", dash) + 1);
    return spliced(text, endOf(text, tasks), itemOf(task, indent));
  }
  if (tasks?.flow && last)
    throw new Layout("tasks: a list in brackets cannot be added to; write each task on lines of its own");
  const item = itemOf(task, 2);
  const pair = isMap(document.contents)
    ? document.contents.items.find((each) => isScalar(each.key) && each.key.value === "tasks")
    : undefined;
  if (!pair) return spliced(text, text.length, `tasks:\n${item}`);
  // `tasks:` or `tasks: []`, perhaps with a comment on its line.
  const key = rangeOf(pair.key as Node);
  const colon = text.indexOf(":", key[1]) + 1;
  const value = isSeq(pair.value) ? rangeOf(pair.value)[1] : colon;
  const rest = text.slice(value);
  const line = /^[^\n]*/.exec(rest)?.[0] ?? "";
  const after = rest.slice(line.length).replace(/^\n/, "");
  return `${text.slice(0, colon)}${line.trimEnd()}\n${item}${after}`;
}

/** The text with steps in a task that has none. */
function withSteps(text: string, present: YAMLMap, task: NewTask): string {
  if (present.has("steps") || present.flow)
    throw new Layout(
      `the task ${task.id}: steps can be added only to a task on lines of its own that has no \`steps\` yet`,
    );
  const [first] = present.items;
  const key = rangeOf(first?.key as Node)[0];
  const indent = key - (text.lastIndexOf("\n", key) + 1);
  const body = indented(stringify({ steps: task.steps.map(stepOf) }, { lineWidth: 0 }), indent);
  return spliced(text, endOf(text, present), body);
}

function itemOf(task: NewTask, indent: number): string {
  return indented(stringify([filed(task)], { lineWidth: 0 }), indent);
}

function filed({ acceptance_criteria, delivery, id, instructions, steps, title, verify }: NewTask): Fields {
  return {
    id,
    title,
    status: "todo",
    ...delivery,
    ...(verify && verify.length > 0 && { verify }),
    ...(instructions !== "" && { instructions }),
    ...(acceptance_criteria.length > 0 && { acceptance_criteria }),
    steps: steps.map(stepOf),
  };
}

function stepOf({ acceptance_criteria, id, instruction }: NewStep) {
  return { id, instruction, ...(acceptance_criteria.length > 0 && { acceptance_criteria }) };
}

// ── A step ───────────────────────────────────────────────────────────────────────────────────────────────────────

function addStep(text: string, task: string, step: NewStep): string {
  const { document, data } = sound(text);
  const present = mapOf(tasksOf(document, text), task);
  if (!present) throw new Layout(`the task ${task} is not written out in the list \`tasks\``);
  const steps = stepsIn(present, task);
  if (steps.items.some((item) => isMap(item) && item.get("id") === step.id)) return text;
  const wanted = canonical({
    ...data,
    tasks: data.tasks?.map((each) =>
      each.id === task ? { ...each, steps: [...(each.steps as unknown[]), stepOf(step)] } : each,
    ),
  });
  const column = columnOf(text, steps);
  const piece = indented(stringify([stepOf(step)], { lineWidth: 0 }), column);
  for (const at of ends(text, steps, column)) {
    const result = spliced(text, at, piece);
    if (meaningOf(result) === wanted) return result;
  }
  throw new Layout(
    `the task ${task} cannot be given a step without changing what is there; its layout is not one that can be added to`,
  );
}

function stepsIn(present: YAMLMap, task: string): YAMLSeq {
  const steps = present.get("steps", true) as Node | undefined;
  if (present.flow || !isSeq(steps) || steps.flow || steps.items.length === 0)
    throw new Layout(
      `the task ${task}: a step can be added only to a task on lines of its own, with \`steps\` on lines of their own`,
    );
  return steps;
}

/**
 * The places where the step may go: after the last one and its comments, or after the blank lines that belong
 * to it.
 */
function ends(text: string, steps: YAMLSeq, column: number): readonly number[] {
  const behind = endOf(text, lastIn(steps));
  const remarks = new RegExp(`(?:[ ]{${column + 1},}#[^\n]*(?:\n|$))*`, "y");
  remarks.lastIndex = behind;
  const commented = behind + (remarks.exec(text)?.[0].length ?? 0);
  return [...new Set([commented, behind, rangeOf(steps)[1]])];
}

/** The innermost value at its end: a collection's own range ends after its comments. */
export function lastIn(node: Node): Node {
  if (!isCollection(node) || node.flow) return node;
  const last: unknown = node.items.at(-1);
  const inner = isPair(last) ? (last.value ?? last.key) : last;
  return isNode(inner) && inner.range && inner.range[1] > inner.range[0] ? lastIn(inner) : node;
}

/** The column of the steps' dashes. */
export function columnOf(text: string, steps: YAMLSeq): number {
  const [start] = rangeOf(steps);
  return start - (text.lastIndexOf("\n", start - 1) + 1);
}

// ── The file ─────────────────────────────────────────────────────────────────────────────────────────────────────

export type Fields = Readonly<Record<string, unknown>>;
type Data = Fields & { readonly tasks?: readonly Fields[] | null };

export function sound(text: string): { readonly document: Document; readonly data: Data } {
  const { data, document, faults } = readYaml(text, { merge: true });
  const [fault] = faults;
  if (fault) throw new Layout(`line ${fault.line}, column ${fault.column}: ${fault.message}`);
  return { document, data: (data ?? {}) as Data };
}

/** The text's data in a form that can be compared; null: it is invalid. */
export function meaningOf(text: string): string | null {
  const { data, faults } = readText(text);
  return faults.length > 0 ? null : canonical(data);
}

function tasksOf(document: Document, text: string): YAMLSeq | null {
  const { contents } = document;
  if (contents === null) return null;
  if (!isMap(contents)) throw new Layout(`expected a mapping with tasks, found ${text.trim().slice(0, 60)}`);
  const tasks = contents.get("tasks", true) as Node | undefined;
  if (tasks === undefined || (isScalar(tasks) && tasks.value === null)) return null;
  if (!isSeq(tasks)) throw new Layout("tasks: expected a list");
  return tasks;
}

function mapOf(tasks: YAMLSeq | null, id: string): YAMLMap | undefined {
  return tasks?.items.find((item): item is YAMLMap => isMap(item) && item.get("id") === id);
}

/** The end of the node's last line; comments and blank lines after it are not part of it. */
export function endOf(text: string, node: Node): number {
  const [, valueEnd] = rangeOf(node);
  const end = text.slice(0, valueEnd).trimEnd().length;
  const newline = text.indexOf("\n", end);
  return newline < 0 ? text.length : newline + 1;
}

export function rangeOf(node: Node): readonly [number, number, number] {
  if (!node.range) throw new Layout("a value has no place");
  return node.range;
}

/** Inserts the piece as separate lines, with the line ends of the text. */
function spliced(text: string, at: number, piece: string): string {
  const newline = text.lastIndexOf("\n", at - 1);
  const ending = newline > 0 && text[newline - 1] === "\r" ? "\r\n" : "\n";
  const lead = at === 0 || text[at - 1] === "\n" ? "" : ending;
  return text.slice(0, at) + lead + piece.replaceAll("\n", ending) + text.slice(at);
}

export function indented(text: string, indent: number): string {
  const blank = " ".repeat(indent);
  return text.replace(/(^|\n)(?=[^\n])/g, `$1${blank}`);
}
