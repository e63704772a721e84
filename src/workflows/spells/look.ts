import { PawlError } from "../../core/error.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import { decide } from "../../engine/decide.ts";
import type { Decision, Facts } from "../../engine/workflow.ts";
import { type Action, actionsOf } from "./actions.ts";
import type { Spell } from "./events.ts";
import { type CriteriaReader, mayHoldCriteria, observe, type Texts } from "./facts.ts";
import {
  FILE_KEYS,
  type FileKey,
  GUIDES,
  pathOf,
  REFS_FILE,
  REVIEW_ARCHIVES,
  TASK_ARCHIVES,
  TASK_FOLDER,
} from "./files.ts";
import { replyFileOf } from "./reply-file.ts";
import { loadState, positionOf, type StateFile } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

/** All that a cast is decided by and made from. */
export interface Seen {
  readonly spell: Spell;
  readonly state: StateFile;
  readonly texts: Texts;
  /** The text of `.atlassian-refs`; empty where there is none. */
  readonly refs: string;
  readonly facts: Facts;
  readonly decision: Decision;
  readonly criteriaOf: CriteriaReader;
  /** The packaged texts that the row needs, by their path below `spells/`. */
  readonly shipped: ReadonlyMap<string, string>;
  /** The names that exist in the folders in which the row may make new ones. */
  readonly taken: ReadonlyMap<ProjectPath, readonly string[]>;
  /** What the task is called, as one path segment; empty where the row does not archive it. */
  readonly taskName: string;
  /** The guides that exist, by name; read only where the row copies them. */
  readonly guides: ReadonlySet<string>;
}

/** Reads the project's files and decides what the spell does there. */
export async function look(view: View, spell: Spell): Promise<Seen> {
  const state = await loadState(view);
  const texts = await readTexts(view);
  const refs = (await view.read(REFS_FILE)) ?? "";
  const may = mayHoldCriteria(texts.plan) || mayHoldCriteria(texts.context);
  const criteriaOf = may ? await loadCriteria(view) : () => [];
  const facts = observe(texts, refs, criteriaOf);
  const decision = decide(SPELLS_WORKFLOW, positionOf(state), spell, facts);
  const { row } = decision;
  const actions = actionsOf(row.id);
  const shipped = await readShipped(view, [replyFileOf(decision), ...shippedFor(actions)]);
  return {
    spell,
    state,
    texts,
    refs,
    facts,
    decision,
    criteriaOf,
    shipped,
    taskName: await readTaskName(texts, shipped, actions),
    taken: await readTaken(view, actions),
    guides: await readGuides(view, actions),
  };
}

/** The working files as they are. */
export async function readTexts(view: View): Promise<Texts> {
  const texts = {} as Record<FileKey, string | null>;
  for (const key of FILE_KEYS) texts[key] = await view.read(pathOf(key));
  return texts;
}

const MAX_REMEMBERED = 8;
const remembered = new Map<string, ReturnType<CriteriaReader>>();

/** Reads criteria as the facts need them: the template's own lines are none. A plan that is as it was is not parsed again. */
export async function loadCriteria(view: View): Promise<CriteriaReader> {
  const { parseCriteria } = await import("./criteria.ts");
  const template = await shippedText(view, "templates/plan.md");
  const once = (text: string, parse: CriteriaReader) => {
    const known = remembered.get(text) ?? parse(text);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(text, known);
    return known;
  };
  const unfilled = new Set(once(template, (text) => parseCriteria(text)).map((criterion) => criterion.text));
  return (plan) => (plan === template ? [] : once(plan, (text) => parseCriteria(text, unfilled)));
}

/** The template of a working file, below `spells/`. */
export function templateOf(file: FileKey): string {
  return file === "review_task" ? "templates/review-task.md" : `templates/${file}.md`;
}

function shippedFor(actions: readonly Action[]): readonly string[] {
  return actions.flatMap((action): readonly string[] => {
    switch (action.type) {
      case "create":
        return [templateOf(action.file)];
      case "create-plan":
        return ["templates/plan.md"];
      case "archive-task":
        return ["templates/task.md"];
      case "copy-guides":
        return Object.keys(GUIDES).map((name) => `templates/${name}`);
      default:
        return [];
    }
  });
}

async function readShipped(view: View, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const shipped = new Map<string, string>();
  for (const name of names) shipped.set(name, await shippedText(view, name));
  return shipped;
}

async function shippedText(view: View, name: string): Promise<string> {
  const text = await view.packaged(`spells/${name}`);
  if (text !== null) return text;
  throw new PawlError(
    "internal",
    `The packaged text spells/${name} is missing.`,
    "Install Pawl again: its package is not complete.",
  );
}

async function readTaken(
  view: View,
  actions: readonly Action[],
): Promise<ReadonlyMap<ProjectPath, readonly string[]>> {
  const folders = new Set<ProjectPath>();
  for (const { type } of actions) {
    if (type === "archive-task") folders.add(TASK_ARCHIVES);
    else if (type === "archive-review") folders.add(REVIEW_ARCHIVES);
    else if (type !== "load") folders.add(TASK_FOLDER);
  }
  const taken = new Map<ProjectPath, readonly string[]>();
  for (const folder of folders)
    taken.set(
      folder,
      (await view.list(folder)).map((entry) => entry.name),
    );
  return taken;
}

/** The YAML parser is loaded only where a task is archived. */
async function readTaskName(
  texts: Texts,
  shipped: ReadonlyMap<string, string>,
  actions: readonly Action[],
): Promise<string> {
  if (!actions.some((action) => action.type === "archive-task")) return "";
  const { parseTaskName } = await import("./front-matter.ts");
  return parseTaskName(texts.task ?? "", shipped.get(templateOf("task")) ?? "");
}

async function readGuides(view: View, actions: readonly Action[]): Promise<ReadonlySet<string>> {
  const existing = new Set<string>();
  if (!actions.some((action) => action.type === "copy-guides")) return existing;
  for (const [name, path] of Object.entries(GUIDES)) if ((await view.read(path)) !== null) existing.add(name);
  return existing;
}
