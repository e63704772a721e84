/**
 * The changes of an import to tasks.yaml. Each task and step has its `source` and, in `source_seen`, a
 * fingerprint of what the import wrote.
 *
 * I1  A task is found again by its source, even if its id changed, or by the nearest text if the source gives
 *     no id. So no task is imported twice.
 * I2  A value is replaced only if it is still what an import wrote: later changes of a person or the loop
 *     stay.
 * I3  A dependency that leads out of the source, or that closes a cycle, becomes a note. None is invented.
 * I4  Nothing is removed: what the source no longer has stays.
 */
import { hashOf } from "../core/hash.ts";
import { openIds } from "../core/id.ts";
import { fewOf } from "../core/text/few.ts";
import { breakCircles } from "../tasks-file/cycle.ts";
import type { Put } from "../tasks-file/put.ts";
import type { TaskEdit } from "../tasks-file/splice.ts";
import { eachTask, idsIn, type Step, type Task } from "../tasks-file/task.ts";
import { type Imported, matchSources, placeOf } from "./match.ts";
import { type Format, MAX_DEPTH, type Read, type SourceItem, type SourceTask } from "./source.ts";
import { paragraphs } from "./words.ts";

type ImportEdit = Put | Extract<TaskEdit, { type: "append" }>;

export interface ImportPlan {
  readonly rows: readonly ImportRow[];
  readonly remarks: readonly string[];
  readonly edits: readonly ImportEdit[];
}

export interface ImportRow {
  readonly id: string;
  readonly source: string;
  readonly title: string;
  readonly status: string;
  readonly steps: number;
  readonly dependsOn: readonly string[];
  readonly change: "new" | "updated" | "unchanged";
  /** The fields that differ in the source and stay, because they were changed here. */
  readonly kept: readonly string[];
}

export interface PlanOptions {
  readonly format: Format;
  /** The `repo` of each new task. */
  readonly repo?: string | undefined;
}

type Sourced = { readonly source?: unknown; readonly source_seen?: unknown; readonly description?: unknown };

export function planImport(present: readonly Task[], read: Read, options: PlanOptions): ImportPlan {
  const remarks = [...read.remarks];
  const arrangement = placeAll(present, read.tasks, options, remarks);
  linkAll(arrangement, remarks);
  const edits: ImportEdit[] = [];
  const rows: ImportRow[] = [];
  const added = new Map<string | null, Record<string, unknown>[]>();
  // Children first, so that a new parent is written with its children.
  for (const placed of arrangement.placed.toReversed()) {
    const children = (added.get(placed.id) ?? []).toReversed();
    added.delete(placed.id);
    const { change, kept } = placed.task
      ? updates(placed.task, placed, children, edits)
      : { change: "new" as const, kept: [] };
    if (!placed.task) pushTo(added, placed.parent, newTask(placed, children, options));
    rows.push(rowOf(placed, change, kept));
  }
  const tops = added.get(null)?.toReversed() ?? [];
  if (tops.length > 0) edits.push({ type: "add-items", into: null, list: "tasks", items: tops });
  if (arrangement.lost.length > 0)
    remarks.push(
      `Of an earlier import and not in this source any more, or of another part of it; left as they are: ${shown(arrangement.lost)}.`,
    );
  return { rows: rows.toReversed(), remarks, edits };
}

// ── Where each goes ──────────────────────────────────────────────────────────────────────────────────────────────

interface PlacedStep {
  readonly item: SourceItem;
  readonly id: string;
  readonly source: string;
  readonly step: Step | null;
}

interface Placed {
  readonly item: SourceTask;
  readonly id: string;
  readonly source: string;
  /** The existing task in tasks.yaml; null: it is new. */
  readonly task: Task | null;
  /** The id of its parent; null: none. */
  readonly parent: string | null;
  readonly steps: readonly PlacedStep[];
  readonly hasChildren: boolean;
  dependsOn: readonly string[];
  /** Data of the source that can be kept only as text. */
  readonly notes: string[];
}

interface PlanContext {
  readonly placed: readonly Placed[];
  readonly present: readonly Task[];
  readonly idOf: ReadonlyMap<string, string>;
  /** The tasks of an earlier import that the same files no longer contain. */
  readonly lost: readonly string[];
}

function placeAll(
  present: readonly Task[],
  items: readonly SourceTask[],
  { format }: PlanOptions,
  remarks: string[],
): PlanContext {
  const all = eachTask(present).map(({ task }) => task);
  const sourceOf = (key: string) => `${format}:${key}`;
  const before = all.flatMap((task) => sourced(task, task.title));
  const tasks = matchSources(items, sourceOf, before);
  const stepsIn = (task: Task | null) =>
    (task?.steps ?? []).flatMap((step) => sourced(step, step.instruction.split("\n")[0] ?? ""));
  const steps = new Map(
    items.flatMap((item) => [
      ...matchSources(item.steps, sourceOf, stepsIn(tasks.get(sourceOf(item.key))?.task ?? null)),
    ]),
  );
  const reworded = [...tasks, ...steps].filter(([source, task]) => source !== task.source);
  if (reworded.length > 0)
    remarks.push(
      `Taken as the same with other words: ${shown(reworded.map(([, { task, title }]) => `${task.id} (${title})`))}.`,
    );
  const openId = openIds(idsIn(present));
  const taskOf = (key: string) => tasks.get(sourceOf(key))?.task ?? null;
  const idOf = new Map(items.map(({ id, key }) => [key, taskOf(key)?.id ?? openId(id)]));
  const renamed = items.filter(({ id, key }) => idOf.get(key) !== id && taskOf(key) === null);
  if (renamed.length > 0)
    remarks.push(
      `${counted(renamed.length, "id was", "ids were")} taken already: ${shown(renamed.map(({ id, key }) => `${id} is ${idOf.get(key)}`))}.`,
    );
  const parents = parentsOf(items, remarks);
  const withChildren = new Set(parents.values());
  const placed = inOrder(items, parents).map((item): Placed => {
    const parent = parents.get(item.key);
    return {
      item,
      id: idOf.get(item.key) as string,
      source: sourceOf(item.key),
      task: taskOf(item.key),
      parent: parent === undefined ? null : (idOf.get(parent) as string),
      steps: item.steps.map((step) => {
        const source = sourceOf(step.key);
        const task = steps.get(source)?.task ?? null;
        return { item: step, id: task?.id ?? openId(step.id), source, step: task };
      }),
      hasChildren: withChildren.has(item.key),
      dependsOn: [],
      notes: item.parent !== null && parent === undefined ? [`Its parent in the source: ${item.parent}`] : [],
    };
  });
  const sources = items.map(({ key }) => sourceOf(key));
  const lost = [
    ...lostOf(before, sources, tasks),
    ...placed.flatMap((each) => lostOf(stepsIn(each.task), [each.source], steps)),
  ];
  return { placed, present, idOf, lost };
}

interface ImportedItem<Item> extends Imported {
  readonly task: Item;
}

function sourced<Item extends object>(task: Item, title: string): readonly ImportedItem<Item>[] {
  const { source } = task as Sourced;
  return typeof source === "string" ? [{ source, title, task }] : [];
}

/** The ids of earlier items from the same files that match none of the present items. */
function lostOf<Item extends { readonly id: string }>(
  before: readonly ImportedItem<Item>[],
  sources: readonly string[],
  found: ReadonlyMap<string, ImportedItem<Item>>,
): readonly string[] {
  const places = new Set(sources.map(placeOf));
  const matched = new Set([...found.values()].map(({ task }) => task));
  return before
    .filter(({ source, task }) => places.has(placeOf(source)) && !matched.has(task))
    .map(({ task }) => task.id);
}

/** The parent's key by key, without parents that are missing, part of a cycle, or too deep. */
function parentsOf(items: readonly SourceTask[], remarks: string[]): ReadonlyMap<string, string> {
  const wanted = new Map(
    items.flatMap(({ key, parent }) => (parent === null ? [] : [[key, parent] as const])),
  );
  const keys = new Set(items.map(({ key }) => key));
  const depths = new Map<string, number>();
  const found = new Map<string, string>();
  const lost: string[] = [];
  for (const { key } of items) {
    const path: string[] = [];
    const ids = new Set<string>();
    let at = key;
    while (!depths.has(at) && !ids.has(at)) {
      ids.add(at);
      path.push(at);
      const parent = wanted.get(at);
      if (parent === undefined || !keys.has(parent)) break;
      at = parent;
    }
    for (const each of path.toReversed()) {
      const parent = wanted.get(each);
      const above = parent === undefined ? 0 : (depths.get(parent) ?? MAX_DEPTH);
      const isLost = above >= MAX_DEPTH;
      if (isLost) lost.push(each);
      else if (parent !== undefined) found.set(each, parent);
      depths.set(each, isLost ? 1 : above + 1);
    }
  }
  if (lost.length > 0)
    remarks.push(
      `${lost.length} have a parent that is not in the source, stands in a circle, or is too deep; they stand alone, with a note: ${shown(lost)}.`,
    );
  return found;
}

/** Parents before their children, otherwise as in the source. */
function inOrder(items: readonly SourceTask[], parents: ReadonlyMap<string, string>): readonly SourceTask[] {
  const children = new Map<string | undefined, SourceTask[]>();
  for (const item of items) {
    pushTo(children, parents.get(item.key), item);
  }
  const ordered: SourceTask[] = [];
  const stack = (children.get(undefined) ?? []).toReversed();
  for (let item = stack.pop(); item; item = stack.pop()) {
    ordered.push(item);
    for (const child of (children.get(item.key) ?? []).toReversed()) stack.push(child);
  }
  return ordered;
}

function counted(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}

function pushTo<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

function shown(words: readonly string[]): string {
  return fewOf(
    words.map((each) => each.slice(0, 80)),
    8,
  );
}

// ── What waits for what ──────────────────────────────────────────────────────────────────────────────────────────

function linkAll({ idOf, placed, present }: PlanContext, remarks: string[]): void {
  const outside: string[] = [];
  for (const each of placed) {
    const dependencies = each.item.dependsOn.filter(({ key }) => idOf.has(key) && key !== each.item.key);
    each.dependsOn = [...new Set(dependencies.map(({ key }) => idOf.get(key) as string))];
    for (const { key, text } of each.item.dependsOn)
      if (!idOf.has(key) || key === each.item.key) {
        each.notes.push(
          `It depends on ${text.slice(0, 200)}, which is ${key === each.item.key ? "itself" : "not in the source"}`,
        );
        outside.push(`${each.id} on ${text}`);
      }
  }
  if (outside.length > 0)
    remarks.push(
      `Kept as notes, since they lead out of the source: ${counted(outside.length, "dependency", "dependencies")} (${shown(outside)}).`,
    );
  const placedById = new Map(placed.map((each) => [each.id, each]));
  const merged = mergedTasks(present, placed);
  const mayDrop = (id: string, on: string) =>
    placedById.get(id)?.dependsOn.includes(on) === true && !isEditedHere(placedById.get(id));
  const dropped = breakCircles(merged, mayDrop);
  for (const { id, on } of dropped) {
    const each = placedById.get(id);
    if (!each) continue;
    each.dependsOn = each.dependsOn.filter((other) => other !== on);
    each.notes.push(`It depends on ${on}, in a circle`);
  }
  if (dropped.length > 0)
    remarks.push(
      `Kept as notes, since they close a circle: ${counted(dropped.length, "dependency", "dependencies")} (${shown(dropped.map(({ id, on }) => `${id} on ${on}`))}).`,
    );
}

/** Whether its dependencies were changed here, so that the source's are not written. */
function isEditedHere(placed: Placed | undefined): boolean {
  const task = placed?.task;
  return task ? seenOf(task)[FIELDS.indexOf("depends_on")] !== fingerprint(task.depends_on) : false;
}

/** The file's tasks with their future dependencies; their other fields are not meaningful. */
function mergedTasks(present: readonly Task[], placed: readonly Placed[]): readonly Task[] {
  const byId = new Map(placed.map((each) => [each.id, each]));
  const children = new Map<string | null, Placed[]>();
  for (const each of placed) if (each.task === null) pushTo(children, each.parent, each);
  const grown = (each: Placed): Task =>
    ({
      id: each.id,
      depends_on: each.dependsOn,
      subtasks: (children.get(each.id) ?? []).map(grown),
    }) as unknown as Task;
  const merge = (task: Task): Task => {
    const each = byId.get(task.id);
    const depends_on = each && !isEditedHere(each) ? each.dependsOn : task.depends_on;
    return {
      ...task,
      depends_on,
      subtasks: [...task.subtasks.map(merge), ...(children.get(task.id) ?? []).map(grown)],
    };
  };
  return [...present.map(merge), ...(children.get(null) ?? []).map(grown)];
}

// ── Values ───────────────────────────────────────────────────────────────────────────────────────────────────────

const FIELDS = ["title", "status", "text", "acceptance_criteria", "depends_on"] as const;
const STEP_FIELDS = ["instruction", "status", "acceptance_criteria"] as const;

function fingerprint(value: unknown): string {
  return hashOf(JSON.stringify(value ?? null)).slice(0, 7);
}

function seenOf(item: object): readonly string[] {
  const source = (item as Sourced).source_seen;
  return typeof source === "string" ? source.split("-") : [];
}

function valuesOf({ dependsOn, item }: Placed): Readonly<Record<(typeof FIELDS)[number], unknown>> {
  const { criteria, status, text, title } = item;
  return { title, status, text, acceptance_criteria: criteria, depends_on: dependsOn };
}

function presentOf(task: Task): Readonly<Record<(typeof FIELDS)[number], unknown>> {
  const { description } = task as Sourced;
  return {
    title: task.title,
    // The loop itself marks tasks that wait for nothing as ready.
    status: task.status === "ready_for_agent" ? "todo" : task.status,
    text: (task.instructions ?? (typeof description === "string" ? description : "")).trim(),
    acceptance_criteria: task.acceptance_criteria,
    depends_on: task.depends_on,
  };
}

/** Whether its status differs from the one that the last import wrote. */
export function hasChangedStatus(task: Task): boolean {
  const lastStatus = seenOf(task)[FIELDS.indexOf("status")];
  return lastStatus !== undefined && lastStatus !== fingerprint(presentOf(task).status);
}

const STEP_STATUS = {
  todo: "pending",
  in_progress: "in_progress",
  blocked: "pending",
  done: "done",
  cancelled: "cancelled",
} as const;

function stepValues({ criteria, status, text, title }: SourceItem) {
  return { instruction: paragraphs(title, text), status: STEP_STATUS[status], acceptance_criteria: criteria };
}

function newTask(
  placed: Placed,
  children: readonly Record<string, unknown>[],
  { repo }: PlanOptions,
): Record<string, unknown> {
  const { dependsOn, hasChildren, id, item, notes, source, steps } = placed;
  const { criteria, status, text, title } = item;
  const all = [...item.notes, ...notes];
  const values = valuesOf(placed);
  return {
    id,
    title,
    status,
    ...(status === "cancelled" ? { cancel_reason: item.reason ?? "cancelled in the source" } : {}),
    ...(repo !== undefined && !hasChildren ? { repo } : {}),
    ...(dependsOn.length > 0 ? { depends_on: dependsOn } : {}),
    // A parent's text becomes its description: as instructions it would be work of its own, in addition to
    // its subtasks.
    ...(text !== "" ? { [hasChildren ? "description" : "instructions"]: text } : {}),
    ...(criteria.length > 0 ? { acceptance_criteria: criteria } : {}),
    ...(steps.length > 0 ? { steps: steps.map(newStep) } : {}),
    ...(all.length > 0 ? { ai_notes: all } : {}),
    source,
    source_seen: [...FIELDS.map((field) => fingerprint(values[field])), fingerprint(all)].join("-"),
    ...(children.length > 0 ? { subtasks: children } : {}),
  };
}

function newStep({ id, item, source }: PlacedStep): Record<string, unknown> {
  const values = stepValues(item);
  const { acceptance_criteria, instruction, status } = values;
  return {
    id,
    instruction,
    ...(status === "pending" ? {} : { status }),
    ...(status === "cancelled" ? { cancel_reason: item.reason ?? "cancelled in the source" } : {}),
    ...(acceptance_criteria.length > 0 ? { acceptance_criteria } : {}),
    source,
    source_seen: STEP_FIELDS.map((field) => fingerprint(values[field])).join("-"),
  };
}

function updates(
  task: Task,
  placed: Placed,
  children: readonly Record<string, unknown>[],
  edits: ImportEdit[],
): Pick<ImportRow, "change" | "kept"> {
  const before = edits.length;
  const keys = {
    text:
      task.instructions === undefined && (placed.hasChildren || (task as Sourced).description !== undefined)
        ? "description"
        : "instructions",
  };
  const all = [...placed.item.notes, ...placed.notes];
  const written = { keys, reason: placed.item.reason, more: [fingerprint(all)] };
  const items = [
    { own: task, source: placed.source },
    ...placed.steps.map(({ source, step }) => ({ own: step, source })),
  ];
  for (const { own, source } of items)
    if (own && (own as Sourced).source !== source)
      edits.push({ type: "put", id: own.id, key: "source", value: source });
  const kept: string[] = [...replaced(task, FIELDS, valuesOf(placed), presentOf(task), written, edits)];
  // A note that a person removed does not come back.
  const isImported = seenOf(task)[FIELDS.length] === fingerprint(all);
  const notes = isImported ? [] : all.filter((note) => !task.ai_notes.includes(note));
  edits.push(...notes.map((value) => ({ type: "append", id: task.id, key: "ai_notes", value }) as const));
  for (const { item, step } of placed.steps)
    if (step) {
      const present = {
        instruction: step.instruction.trim(),
        status: step.status,
        acceptance_criteria: step.acceptance_criteria,
      };
      const newStep = replaced(step, STEP_FIELDS, stepValues(item), present, { reason: item.reason }, edits);
      kept.push(...newStep.map((field) => `${field} of ${step.id}`));
    }
  const steps = placed.steps.filter(({ step }) => step === null).map(newStep);
  if (steps.length > 0) edits.push({ type: "add-items", into: task.id, list: "steps", items: steps });
  if (children.length > 0)
    edits.push({ type: "add-items", into: task.id, list: "subtasks", items: children });
  return { change: edits.length > before ? "updated" : "unchanged", kept };
}

interface Written<Field extends string> {
  /** The keys of the fields, if they differ from the names. */
  readonly keys?: Readonly<Partial<Record<Field, string>>>;
  /** Fingerprints of values that are only added. */
  readonly more?: readonly string[];
  /** Why it is cancelled in the source. */
  readonly reason: string | undefined;
}

/**
 * Writes the fields that changed in the source and are here as the last import left them; returns those that
 * stay.
 */
function replaced<Field extends string>(
  item: { readonly id: string },
  fields: readonly Field[],
  values: Readonly<Record<Field, unknown>>,
  present: Readonly<Record<Field, unknown>>,
  { keys, more = [], reason }: Written<Field>,
  edits: ImportEdit[],
): readonly Field[] {
  const lastImport = seenOf(item);
  const next = fields.map((field) => fingerprint(values[field]));
  const changed = fields.filter((_, at) => next[at] !== lastImport[at]);
  const kept: Field[] = [];
  for (const field of changed) {
    const here = fingerprint(present[field]);
    const at = fields.indexOf(field);
    if (here === next[at]) continue;
    if (here !== lastImport[at]) kept.push(field);
    else {
      edits.push({ type: "put", id: item.id, key: keys?.[field] ?? field, value: values[field] });
      if (field === "status" && values[field] === "cancelled")
        edits.push({
          type: "put",
          id: item.id,
          key: "cancel_reason",
          value: reason ?? "cancelled in the source",
        });
    }
  }
  const all = [...next, ...more].join("-");
  if (all !== lastImport.join("-")) edits.push({ type: "put", id: item.id, key: "source_seen", value: all });
  return kept;
}

function rowOf(
  { dependsOn, id, item, source, steps }: Placed,
  change: ImportRow["change"],
  kept: readonly string[],
): ImportRow {
  return { id, source, title: item.title, status: item.status, steps: steps.length, dependsOn, change, kept };
}
