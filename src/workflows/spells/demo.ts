/**
 * A sample project at any state, to look at and to play with.
 *
 * D1  It goes only into an empty folder, or over an earlier sample; nothing else is ever touched.
 * D2  What a person changed in it is copied before it is replaced.
 */

import { PawlError } from "../../core/error.ts";
import { PROJECT_FOLDER, projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import type { Context, Proposal, Reply, Transaction } from "../../runtime/module.ts";
import { runAdvanced, stamped } from "../../runtime/run-advanced.ts";
import {
  BACKUPS,
  listBackups,
  planBackup,
  planRemoval,
  planTree,
  readTree,
  standingIn,
  type Tree,
} from "./backup.ts";
import { AI_FOLDER, FILE_NAMES, type FileKey, RUN } from "./files.ts";
import { SPELLS_STATES } from "./recorded.ts";
import { renderState } from "./state-file.ts";
import { STATES } from "./states.ts";

const MARKER = "demo.json";
const MARKER_PATH = projectPath(AI_FOLDER, MARKER);
/** What an empty folder may hold: git's own, and ours. */
const UNCOUNTED = [".git", ".pawl", BACKUPS as string];

export interface DemoInput {
  readonly action: string;
  readonly name?: string | undefined;
}

interface Seen {
  /** Each state's files below `.ai/`; null if only the list was asked for. */
  readonly sample: Tree | null;
  readonly tree: Tree;
  readonly samples: readonly Tree[];
  readonly backups: readonly string[];
}

/** The demos' names: the states', in lower case with dashes. */
export const DEMO_NAMES: readonly string[] = Object.keys(STATES).map(nameOf);

/** Lists the states, sets up a sample project at one, or removes it. */
export const demo: Transaction<DemoInput, Seen, undefined, Reply> = {
  states: SPELLS_STATES,
  run: ({ action }) => (action === "list" ? null : RUN),
  async read(view, { action, name }) {
    if (action === "list") return { sample: null, tree: new Map(), samples: [], backups: [] };
    const state = action === "set" ? stateOf(name) : null;
    await checkOwn(view);
    return {
      sample: state === null ? new Map() : await loadSample(view, state),
      tree: await readTree(view, AI_FOLDER),
      samples: await Promise.all(Object.keys(STATES).map((one) => loadSample(view, one))),
      backups: await listBackups(view),
    };
  },
  propose(seen, _gathered, { action, name }, context) {
    if (seen.sample === null) return { reply: renderList() };
    return lay(seen, seen.sample, action === "set" ? (name ?? "") : null, context);
  },
};

function lay(
  { tree, samples, backups }: Seen,
  sample: Tree,
  name: string | null,
  context: Context,
): Proposal<Reply> {
  const copy = isTouched(tree, samples) ? planBackup(tree, backups, context.now.time) : null;
  const standing = (each: Tree) => standingIn(each) ?? "unreadable";
  const step = { event: "demo", row: "demo", from: standing(tree), to: standing(sample) };
  const summary =
    name === null ? "the sample project was removed" : `a sample project was laid out at ${name}`;
  const kept = copy === null ? "" : ` What you had changed is in ${BACKUPS}/${copy.name}/.`;
  const done =
    name === null
      ? `The sample project was removed.${kept}`
      : `A sample project was laid out in .ai/ at ${name}.${kept}\nLook at it with \`pawl lumos\`; continue with \`pawl cast accio\`.`;
  return {
    reply: { text: `${done}\n`, data: { demo: name, copy: copy?.name ?? null } },
    changes: [
      ...(copy?.changes ?? []),
      ...planRemoval(tree, sample, AI_FOLDER),
      ...planTree(sample, AI_FOLDER),
    ],
    events: stamped([runAdvanced({ run: RUN, machine: "spells", ...step }, { summary }, context)], context),
  };
}

function renderList(): Reply {
  const width = Math.max(...DEMO_NAMES.map((name) => name.length));
  const lines = Object.entries(STATES).map(
    ([state, { description }]) => `${nameOf(state).padEnd(width)}  ${description}`,
  );
  const text = `${lines.join("\n")}\n\nLay one out in an empty folder with \`pawl spells demo set NAME\`.\n`;
  return { text, data: { demos: DEMO_NAMES } };
}

/** Whether a file was added or changed by hand since a sample was set up. */
function isTouched(tree: Tree, samples: readonly Tree[]): boolean {
  return [...tree].some(([path, text]) => !samples.some((sample) => sample.get(path) === text));
}

/** Throws unless the folder is empty, or a sample project of ours. */
async function checkOwn(view: View): Promise<void> {
  if ((await view.read(MARKER_PATH)) !== null) return;
  const entries = await view.list(PROJECT_FOLDER);
  const others = entries.map(({ name }) => name).filter((name) => !UNCOUNTED.includes(name));
  // Removing a sample leaves empty folders.
  const ai = await readTree(view, AI_FOLDER);
  const found = others.filter((name) => name !== AI_FOLDER || ai.size > 0);
  if (found.length === 0) return;
  throw new PawlError(
    "usage",
    `A sample project is laid out only in an empty folder, or over an earlier one; found ${found.slice(0, 5).join(", ")}.`,
    "Make an empty folder and name it: `pawl --project DIR spells demo set NAME`.",
  );
}

function stateOf(name: string | undefined): string {
  const state = Object.keys(STATES).find((one) => nameOf(one) === nameOf(name ?? ""));
  if (state !== undefined) return state;
  throw new PawlError(
    "usage",
    name === undefined
      ? "Which state? No name was given."
      : `There is no demo called ${JSON.stringify(name)}.`,
    "See the names with `pawl spells demo list`.",
  );
}

function nameOf(state: string): string {
  return state.toLowerCase().replaceAll("_", "-");
}

/** A state's files below `.ai/`. */
async function loadSample(view: View, state: string): Promise<Tree> {
  const sample = new Map<string, string>();
  const shipped = async (path: string) => (await view.packaged(`spells/${path}`)) ?? "";
  for (const guide of ["plan-guide.md", "task-guide.md"])
    sample.set(guide, await shipped(`templates/${guide}`));
  for (const key of filesOf(state)) {
    const source = key === "plan" && state === "ACHIEVE_COMPLETE" ? "plan-complete.md" : FILE_NAMES[key];
    sample.set(`task/${FILE_NAMES[key]}`, await shipped(`demo/${source}`));
  }
  const origin = originOf(state);
  const context = origin === null ? {} : { reparo_origin: origin };
  sample.set("task/state.json", renderState({ current_state: state, context, history: [] }));
  sample.set(MARKER, `${JSON.stringify({ demo: nameOf(state) })}\n`);
  return sample;
}

const FILES: readonly (readonly [prefix: string, files: readonly FileKey[]])[] = [
  ["GATHER_NEEDS_CONTEXT", []],
  ["GATHER_EDITING_CONTEXT", ["context"]],
  ["GATHER_EDITING", ["context", "plan"]],
  ["ACHIEVE_TASK_DRAFTING", ["context", "plan", "task"]],
  ["ACHIEVE_TASK_EXECUTED", ["context", "plan", "task", "results"]],
  ["ACHIEVE_COMPLETE", ["context", "plan"]],
  ["PR_GATHERING_COMMENTS", ["context", "plan", "comments"]],
  ["PR_REVIEW_TASK_DRAFT", ["context", "plan", "comments", "review_task"]],
  ["PR_APPLIED_PENDING_ARCHIVE", ["context", "plan", "comments", "review_task", "review_results"]],
  ["PR_CONFIRM_RESTART_COMMENTS", ["context", "plan", "comments"]],
  ["PR_CONFIRM_RESTART_TASK", ["context", "plan", "comments", "review_task"]],
  ["ERROR_TASK_MISSING", ["context", "plan"]],
  ["ERROR_TASK_RESULTS_MISSING", ["context", "plan", "task"]],
  ["ERROR_PLAN_MISSING", ["context"]],
  ["ERROR_CONTEXT_MISSING", []],
  ["ERROR_COMMENTS_MISSING", ["context", "plan"]],
  ["ERROR_REVIEW_TASK_MISSING", ["context", "plan", "comments"]],
  ["ERROR_REVIEW_TASK_RESULTS_MISSING", ["context", "plan", "comments", "review_task"]],
];

function filesOf(state: string): readonly FileKey[] {
  const name = state.replace(/_[GA]$/, "");
  const files = FILES.find(([prefix]) => prefix === name)?.[1] ?? [];
  return originOf(state) === "ACHIEVE_TASK_DRAFTING" ? [...files, "task"] : files;
}

/** The state in which the sample's review began. */
function originOf(state: string): string | null {
  if (state.endsWith("_G")) return "GATHER_EDITING";
  return state.endsWith("_A") ? "ACHIEVE_TASK_DRAFTING" : null;
}
