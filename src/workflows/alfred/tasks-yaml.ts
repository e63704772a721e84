/**
 * A task put into tasks.yaml by a splice: what stands there stays as it is, to the byte. The result is read again
 * before it is used. And the task as it stands there.
 */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { PawlError } from "../../core/error.ts";
import { type ReadYaml, readYaml } from "../../core/yaml.ts";

export interface ExportedTask {
  readonly id: string;
  readonly title: string;
  /** Where it is worked on, and what branch its work goes to; absent: that is left to the person. */
  readonly delivery?: { readonly repo: "."; readonly merge_into: string };
  readonly verify?: readonly string[];
  readonly instructions: string;
  readonly acceptance_criteria: readonly string[];
  readonly steps: readonly ExportedStep[];
}

export interface ExportedStep {
  readonly id: string;
  readonly instruction: string;
  readonly acceptance_criteria: readonly string[];
}

/** A task of the file, as far as its evidence is about it. */
export interface FiledTask {
  readonly status: string;
  readonly repo: string | null;
  readonly verify: readonly string[];
  readonly steps: readonly FiledStep[];
}

export interface FiledStep {
  readonly id: string;
  readonly status: string;
  readonly instruction: string;
  readonly completed_at: string | null;
  /** Its own commands, else the task's. */
  readonly verify: readonly string[];
}

/** The text with a task that it does not have yet, or has without steps. Throws `tasks-invalid`. */
export function placeTask(text: string | null, task: ExportedTask, file: string): string {
  return inFile(file, () => place(text, task));
}

/** Every id that the file has: of tasks, subtasks and steps. Throws `tasks-invalid`. */
export function idsIn(text: string | null, file: string): ReadonlySet<string> {
  const ids = (items: unknown): readonly string[] =>
    listOf(items).flatMap(({ id, steps, subtasks }) => [String(id), ...ids(steps), ...ids(subtasks)]);
  return new Set(inFile(file, () => ids(dataOf(text ?? "").tasks)));
}

/**
 * Throws `task-exists` where the task's steps are other than the plan's. Steps that a person added, and reworks, may stand
 * beside those once the loop is done with them.
 */
export function checkHasPlan(
  task: FiledTask,
  plan: ExportedTask,
  isRework: (id: string) => boolean,
  file: string,
): void {
  const ids = task.steps.map(({ id }) => id);
  const planned = plan.steps.map(({ id }) => id);
  const found = JSON.stringify(ids.filter((id) => planned.includes(id)));
  const others = ids.filter((id) => !planned.includes(id));
  const mayHaveOthers = task.status === "done" || others.some(isRework);
  if (found === JSON.stringify(planned) && (others.length === 0 || mayHaveOthers)) return;
  throw new PawlError(
    "task-exists",
    `The task ${plan.id} in ${file} has steps already, other than the plan's: ${ids.join(", ")}. Nothing was changed.`,
    `Remove its steps in ${file}, then export the plan again.`,
  );
}

/** The task of that id at the top of the file's list; null where there is none. Throws `tasks-invalid`. */
export function findFiled(text: string | null, id: string, file: string): FiledTask | null {
  // Nothing is parsed for a file that cannot have the task.
  if (text === null || !text.includes(id)) return null;
  const found = inFile(file, () => listOf(dataOf(text).tasks).find((task) => textOf(task.id) === id));
  return found ? filed(found) : null;
}

function filed(task: Readonly<Record<string, unknown>>): FiledTask {
  const verify = textsOf(task.verify);
  return {
    status: textOf(task.status) ?? "todo",
    repo: textOf(task.repo),
    verify,
    steps: listOf(task.steps).map((step) => ({
      id: textOf(step.id) ?? "",
      status: textOf(step.status) ?? "pending",
      instruction: textOf(step.instruction) ?? "",
      completed_at: textOf(step.completed_at),
      verify: Array.isArray(step.verify) ? textsOf(step.verify) : verify,
    })),
  };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const items = Array.isArray(value) ? value : [];
  return items.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item));
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

function place(text: string | null, task: ExportedTask): string {
  if (text === null || text.trim() === "") return `tasks:\n${itemOf(task, 2)}`;
  const document = parse(text);
  const tasks = tasksOf(document, text);
  const present = mapOf(tasks, task.id);
  const result = present ? withSteps(text, present, task) : withTask(text, document, tasks, task);
  checkResult(text, result, task);
  return result;
}

export function mapOf(tasks: YAMLSeq | null, id: string): YAMLMap | undefined {
  return tasks?.items.find((item): item is YAMLMap => isMap(item) && item.get("id") === id);
}

/** What the text means, as the loop reads it. */
export function dataOf(text: string): Readonly<Record<string, unknown>> {
  return (sound(text).data ?? {}) as Readonly<Record<string, unknown>>;
}

export function parse(text: string): Document {
  return sound(text).document;
}

function sound(text: string): ReadYaml {
  const read = readYaml(text, { merge: true });
  const [fault] = read.faults;
  if (!fault) return read;
  throw new Layout(`line ${fault.line}, column ${fault.column}: ${fault.message}`);
}

export function tasksOf(document: Document, text: string): YAMLSeq | null {
  const { contents } = document;
  if (contents === null) return null;
  if (!isMap(contents)) throw new Layout(`expected a mapping with tasks, found ${text.trim().slice(0, 60)}`);
  const tasks = contents.get("tasks", true) as Node | undefined;
  if (tasks === undefined || (isScalar(tasks) && tasks.value === null)) return null;
  if (!isSeq(tasks)) throw new Layout("tasks: expected a list");
  return tasks;
}

/** The text with the task at the end of its list, indented as the list is. */
function withTask(text: string, document: Document, tasks: YAMLSeq | null, task: ExportedTask): string {
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
  // `tasks:` or `tasks: []`, with what may stand behind it on its line.
  const key = rangeOf(pair.key as Node);
  const colon = text.indexOf(":", key[1]) + 1;
  const value = isSeq(pair.value) ? rangeOf(pair.value)[1] : colon;
  const rest = text.slice(value);
  const line = /^[^\n]*/.exec(rest)?.[0] ?? "";
  const after = rest.slice(line.length).replace(/^\n/, "");
  return `${text.slice(0, colon)}${line.trimEnd()}\n${item}${after}`;
}

/** The text with steps in a task that has none. */
function withSteps(text: string, present: YAMLMap, task: ExportedTask): string {
  const steps = present.get("steps", true) as Node | undefined;
  if (steps || present.flow)
    throw new Layout(
      `the task ${task.id}: steps can be added only to a task on lines of its own that has no \`steps\` yet`,
    );
  const [first] = present.items;
  const key = rangeOf(first?.key as Node)[0];
  const indent = key - (text.lastIndexOf("\n", key) + 1);
  const body = indented(stringify({ steps: stepsOf(task) }, { lineWidth: 0 }), indent);
  return spliced(text, endOf(text, present), body);
}

/** Where the node's last line ends; comments and blank lines behind it are not part of it. */
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

function spliced(text: string, at: number, piece: string): string {
  return text.slice(0, at) + asLines(text, at, piece) + text.slice(at);
}

/** The piece as lines of their own at that place, with the line ends that the text has there. */
export function asLines(text: string, at: number, piece: string): string {
  const newline = text.lastIndexOf("\n", at - 1);
  const ending = newline > 0 && text[newline - 1] === "\r" ? "\r\n" : "\n";
  const lead = at === 0 || text[at - 1] === "\n" ? "" : ending;
  return lead + piece.replaceAll("\n", ending);
}

function itemOf(task: ExportedTask, indent: number): string {
  const value = {
    id: task.id,
    title: task.title,
    status: "todo",
    ...task.delivery,
    ...(task.verify && task.verify.length > 0 && { verify: task.verify }),
    ...(task.instructions !== "" && { instructions: task.instructions }),
    ...(task.acceptance_criteria.length > 0 && { acceptance_criteria: task.acceptance_criteria }),
    steps: stepsOf(task),
  };
  return indented(stringify([value], { lineWidth: 0 }), indent);
}

function stepsOf({ steps }: ExportedTask) {
  return steps.map(stepOf);
}

export function stepOf({ acceptance_criteria, id, instruction }: ExportedStep) {
  return { id, instruction, ...(acceptance_criteria.length > 0 && { acceptance_criteria }) };
}

export function indented(text: string, indent: number): string {
  const blank = " ".repeat(indent);
  return text.replace(/(^|\n)(?=[^\n])/g, `$1${blank}`);
}

/** The new text holds all that the old one held, and the task. */
function checkResult(before: string, after: string, task: ExportedTask): void {
  const [old, now] = [before, after].map((text) => dataOf(text) as { tasks?: { id?: unknown }[] });
  const others = (file: typeof old) => JSON.stringify(file?.tasks?.filter(({ id }) => id !== task.id) ?? []);
  const found = now?.tasks?.find(({ id }) => id === task.id) as { steps?: unknown } | undefined;
  if (others(old) === others(now) && JSON.stringify(found?.steps) === JSON.stringify(stepsOf(task))) return;
  throw new Layout(
    "the task cannot be added without changing what is there; its layout is not one that can be added to",
  );
}

/** What of the file's layout cannot be read, or added to. */
export class Layout extends Error {}

/** Throws `tasks-invalid` where the layout is what fails. */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof Layout)) throw thrown;
    throw new PawlError(
      "tasks-invalid",
      `${file} cannot be used: ${thrown.message}. It was left as it is.`,
      `Correct ${file} there, then try again.`,
    );
  }
}
