/**
 * A task as a person writes it: every key but those that the work writes, which have commands of their own, and its
 * subtasks, which are tasks themselves.
 */
import { PawlError } from "../core/error.ts";
import { canonical, type Fields, isObject, objectsIn } from "../core/json.ts";
import { nearest } from "../core/text/nearest.ts";
import { readYaml } from "../core/yaml/yaml.ts";
import { isProgressKey } from "./progress.ts";
import type { Put } from "./put.ts";
import { KNOWN_KEYS } from "./schema.ts";

/** The keys that a person may set in a task. */
export const DEFINED_KEYS: readonly string[] = KNOWN_KEYS.task.filter(
  (key) => isDefined(key) && !["id", "source", "source_seen"].includes(key),
);

function isDefined(key: string): boolean {
  return !isProgressKey(key) && key !== "subtasks";
}

/** `item`: a task or a step of the file. */
export function definitionOf(item: Fields): Fields {
  const defined = Object.entries(item).filter(([key, value]) => isDefined(key) && value !== null);
  return Object.fromEntries(
    defined.map(([key, value]) => [key, key === "steps" ? objectsIn(value).map(definitionOf) : value]),
  );
}

/** The edits that give the item this definition: what the work wrote stays. */
export function definitionEdits(item: Fields, wanted: Fields): readonly Put[] {
  const id = String(item.id);
  const before = definitionOf(item);
  const removed = Object.keys(before).filter((key) => wanted[key] === undefined && key !== "id");
  const changed = Object.entries(wanted).filter(
    ([key, value]) => key !== "id" && value !== undefined && canonical(before[key]) !== canonical(value),
  );
  return [
    ...removed.map((key) => ({ type: "drop", id, key }) as const),
    ...changed.flatMap(([key, value]): readonly Put[] =>
      key === "steps" ? stepEdits(id, objectsIn(item.steps), value) : [{ type: "put", id, key, value }],
    ),
  ];
}

/** Steps that stay where they are keep their lines. */
function stepEdits(id: string, present: readonly Fields[], value: unknown): readonly Put[] {
  const wanted = objectsIn(value);
  const isWhole = Array.isArray(value) && wanted.length === value.length;
  const staying = present.every((step, at) => wanted[at]?.id === step.id);
  if (!isWhole) return [{ type: "put", id, key: "steps", value }];
  if (!staying || present.length === 0) {
    const stepsById = new Map(present.map((step) => [step.id, step]));
    const all = wanted.map((step) => ({ ...workOf(stepsById.get(step.id) ?? {}), ...step }));
    return [{ type: "put", id, key: "steps", value: all }];
  }
  const more = wanted.slice(present.length);
  return [
    ...present.flatMap((step, at) => definitionEdits(step, wanted[at] ?? {})),
    ...(more.length > 0 ? [{ type: "add-items", into: id, list: "steps", items: more } as const] : []),
  ];
}

function workOf(step: Fields): Fields {
  return Object.fromEntries(Object.entries(step).filter(([key]) => isProgressKey(key)));
}

/**
 * The definition with these values; `null` takes a key away, and `budget.usd` is one of the budget's. Throws `usage` for
 * a key that is none, or that the work writes.
 */
export function definedWith(definition: Fields, values: Fields): Fields {
  const result: Record<string, unknown> = { ...definition };
  for (const [name, value] of Object.entries(values)) {
    const [key = "", part] = name.startsWith("budget.") ? name.split(".", 2) : [name];
    checkKey(key, definition);
    const next = part === undefined ? value : within(result[key], part, value);
    if (next === null || next === undefined) delete result[key];
    else result[key] = next;
  }
  return result;
}

function within(value: unknown, part: string, inner: unknown): Fields | null {
  const { [part]: _, ...rest } = isObject(value) ? value : {};
  const all = inner === null ? rest : { ...rest, [part]: inner };
  return Object.keys(all).length === 0 ? null : all;
}

function checkKey(key: string, definition: Fields): void {
  if (key !== "id" && isDefined(key) && (KNOWN_KEYS.task.includes(key) || key in definition)) return;
  const near = nearest(key, DEFINED_KEYS);
  throw new PawlError(
    "usage",
    isDefined(key) && key !== "id"
      ? `A task has no key ${JSON.stringify(key)}.`
      : `The key ${JSON.stringify(key)} of a task is not changed by an edit.`,
    isDefined(key) && key !== "id"
      ? `Use ${near ?? `one of ${DEFINED_KEYS.join(", ")}`}.`
      : "Status, worker, notes and the like have commands of their own below `pawl task`; a subtask is edited by its own id; an id never changes.",
  );
}

/** `verify=[npm test]`: a key and its value as YAML; no value takes the key away. Throws `usage`. */
export function parseSets(sets: readonly string[]): Fields {
  return Object.fromEntries(
    sets.map((set) => {
      const at = set.indexOf("=");
      if (at < 1)
        throw new PawlError(
          "usage",
          `Expected --set KEY=VALUE, found ${JSON.stringify(set)}.`,
          "Write for example --set checkpoint=true or --set 'verify=[npm test]'.",
        );
      const written = set.slice(at + 1);
      const { data, faults } = readYaml(written);
      // What is no YAML is a text, such as `Fix: the door`.
      return [set.slice(0, at).trim(), faults.length > 0 ? written : (data ?? null)];
    }),
  );
}

/** A task's YAML: one mapping. Throws `usage` with the place of a fault. */
export function parseDefinition(text: string): Fields {
  const { data, faults } = readYaml(text, { merge: true });
  const [fault] = faults;
  if (fault === undefined && isObject(data))
    return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
  const found = fault
    ? `line ${fault.line}, column ${fault.column}: ${fault.message}`
    : "no mapping of keys and values";
  throw new PawlError(
    "usage",
    `Expected a task's YAML, found ${found}.`,
    "Write `key: value` lines, such as `title: …`.",
  );
}
