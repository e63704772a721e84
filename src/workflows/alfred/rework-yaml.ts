/**
 * One step more for a task of tasks.yaml, which the loop may then take again: a splice, as when the task was placed. What
 * the result means is compared with what it must mean before it is used.
 */
import {
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  stringify,
  type YAMLMap,
} from "yaml";
import {
  asLines,
  dataOf,
  type ExportedStep,
  endOf,
  indented,
  inFile,
  Layout,
  mapOf,
  parse,
  rangeOf,
  stepOf,
  tasksOf,
} from "./tasks-yaml.ts";

const READY = "ready_for_agent";
/** Of the work that was done: a session that is over, and when it was. */
const OVER: readonly string[] = ["completed_at", "session_id", "session_provider"];

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text with the step at the end of the task's, and the task ready. Throws `tasks-invalid`. */
export function addStep(text: string, task: string, step: ExportedStep, file: string): string {
  return inFile(file, () => {
    const present = mapOf(tasksOf(parse(text), text), task);
    if (!present) throw new Layout(`the task ${task} is not written out in the list \`tasks\``);
    const keys = [readied(text, present, task), ...OVER.flatMap((key) => cleared(text, present, key))];
    const wanted = wantedOf(text, task, step);
    for (const at of ends(text, present, task)) {
      const result = spliced(text, [...keys, { from: at, to: at, text: pieceOf(text, at, present, step) }]);
      if (foundIn(result, task) === wanted) return result;
    }
    throw new Layout(
      `the task ${task} cannot be given a step without changing what is there; its layout is not one that can be added to`,
    );
  });
}

// ── The step ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Where the step may go: behind the last one and its comments, or behind the blank lines that belong to it. */
function ends(text: string, present: YAMLMap, task: string): readonly number[] {
  const steps = present.get("steps", true) as Node | undefined;
  if (present.flow || !isSeq(steps) || steps.flow || steps.items.length === 0)
    throw new Layout(
      `the task ${task}: a step can be added only to a task on lines of its own, with \`steps\` on lines of their own`,
    );
  const behind = endOf(text, lastIn(steps));
  const remarks = new RegExp(`(?:[ ]{${columnOf(text, present) + 1},}#[^\n]*(?:\n|$))*`, "y");
  remarks.lastIndex = behind;
  const commented = behind + (remarks.exec(text)?.[0].length ?? 0);
  return [...new Set([commented, behind, rangeOf(steps)[1]])];
}

/** The value that ends it: what is made of others ends only where its remarks do. */
function lastIn(node: Node): Node {
  if (!isCollection(node) || node.flow) return node;
  const last: unknown = node.items.at(-1);
  const inner = isPair(last) ? (last.value ?? last.key) : last;
  return isNode(inner) && inner.range && inner.range[1] > inner.range[0] ? lastIn(inner) : node;
}

/** Of the dashes of the task's steps. */
function columnOf(text: string, present: YAMLMap): number {
  const [start] = rangeOf(present.get("steps", true) as Node);
  return start - (text.lastIndexOf("\n", start - 1) + 1);
}

function pieceOf(text: string, at: number, present: YAMLMap, step: ExportedStep): string {
  return asLines(text, at, indented(stringify([stepOf(step)], { lineWidth: 0 }), columnOf(text, present)));
}

// ── The task's own keys ──────────────────────────────────────────────────────────────────────────────────────────

function readied(text: string, present: YAMLMap, task: string): Splice {
  const value = pairOf(present, "status")?.value as Node | null | undefined;
  const place = value && (isScalar(value) || isAlias(value)) ? rangeOf(value) : null;
  const before = place ? text.slice(place[0], place[1]) : "";
  if (!place || before === "" || before.includes("\n"))
    throw new Layout(`the task ${task}: its \`status\` is not written on one line of its own`);
  const [mark = ""] = /^["']/.exec(before) ?? [];
  return { from: place[0], to: place[1], text: mark + READY + mark };
}

/** The line of the key goes; where it holds more than the key, the value becomes null. */
function cleared(text: string, present: YAMLMap, name: string): readonly Splice[] {
  const pair = pairOf(present, name);
  const value = pair?.value as Node | null | undefined;
  if (!pair || !value) return [];
  const [start, end] = rangeOf(value);
  if (start === end) return [];
  const lineStart = text.lastIndexOf("\n", rangeOf(pair.key as Node)[0] - 1) + 1;
  const [line = "", rest = ""] = /^([^\n]*)(?:\n|$)/.exec(text.slice(end)) ?? [];
  const isAlone = /^ *$/.test(text.slice(lineStart, rangeOf(pair.key as Node)[0])) && rest.trim() === "";
  return isAlone
    ? [{ from: lineStart, to: end + line.length, text: "" }]
    : [{ from: start, to: end, text: "null" }];
}

function pairOf(present: YAMLMap, name: string): Pair | undefined {
  return present.items.find(({ key }) => isScalar(key) && key.value === name);
}

/** From the back, so that no place moves; at one place, what takes away goes before what is put in. */
function spliced(text: string, splices: readonly Splice[]): string {
  return splices
    .toSorted((one, other) => other.from - one.from || other.to - one.to)
    .reduce((result, each) => result.slice(0, each.from) + each.text + result.slice(each.to), text);
}

// ── What it means ────────────────────────────────────────────────────────────────────────────────────────────────

/** What the file must mean once the task has the step. */
function wantedOf(text: string, task: string, step: ExportedStep): string {
  return meaning(text, (each) => {
    if (each.id !== task) return each;
    const own = Object.entries(each).filter(([key]) => !OVER.includes(key));
    const { steps, ...rest } = Object.fromEntries(own);
    return { ...rest, status: READY, steps: [...(steps as unknown[]), stepOf(step)] };
  });
}

/** What it does mean, or null where it means nothing any more. */
function foundIn(text: string, task: string): string | null {
  try {
    return meaning(text, (each) => {
      const own = Object.entries(each).filter(([key, value]) => value !== null || !OVER.includes(key));
      return each.id === task ? Object.fromEntries(own) : each;
    });
  } catch (thrown) {
    if (thrown instanceof Layout) return null;
    throw thrown;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The whole file as the loop reads it, in a form that can be compared. */
function meaning(text: string, change: (task: Fields) => Fields): string {
  // Through JSON, so that what an anchor shares is changed in one place only.
  const data = JSON.parse(JSON.stringify(dataOf(text))) as { tasks: readonly Fields[] };
  return JSON.stringify({ ...data, tasks: data.tasks.map(change) }, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
