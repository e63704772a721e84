/** The entries of an order to begin runs: an agent's tasks, or the lines of a file. */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { hashOf } from "../../../core/hash.ts";
import { projectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import { clean, cleanLine } from "../../../core/text/clean.ts";
import { parseTaskItems } from "../../../core/text/markdown.ts";
import { type ProposedTask, readList } from "../../../tasks-file/proposal.ts";
import { promptValues } from "../agents/prompt.ts";
import type { BeginCommand } from "../definition/definition.ts";
import { render, renderWithId } from "../definition/template.ts";
import type { OwnRun } from "../load-run.ts";

export interface Entry {
  /** Unique among the entries. */
  readonly id: string;
  /** Stays the same whenever the entry is read again. */
  readonly identity: string;
  /** As a task of Bloom. */
  readonly task: Omit<ProposedTask, "depends_on" | "id">;
  /** The same for the run of an own workflow. */
  readonly text: string;
  /** Other entries, by their ids. */
  readonly depends_on: readonly string[];
}

/** Characters of a file, and of one of its entries. */
const MAX_CHARACTERS = 200_000;
const LONGEST_ENTRY = 1_000;
const LONGEST_TITLE = 200;

/** `fault`: why none may begin, in words for a person. */
export async function entriesOf(
  run: OwnRun,
  command: BeginCommand,
  view: View,
): Promise<readonly Entry[] | { readonly fault: string }> {
  const { each, first, from = "", most } = command;
  const entries =
    each === undefined ? saidTasks(run, from, command) : await linesOf(run, each, command, view);
  if ("fault" in entries) return entries;
  const source = each === undefined ? from : renderWithId(each, run.id);
  if (most !== undefined && entries.length > most)
    return { fault: `${source} has ${entries.length} entries, and at most ${most} may begin.` };
  const taken = entries.slice(0, first);
  const ids = new Set(taken.map(({ id }) => id));
  const cut = taken.find((entry) => entry.depends_on.some((on) => !ids.has(on)));
  return cut ? { fault: `${cut.id} depends on one that is not among the first ${first}.` } : taken;
}

function saidTasks(
  { file }: OwnRun,
  from: string,
  { workflow }: BeginCommand,
): readonly Entry[] | { readonly fault: string } {
  const [agent = "", field = ""] = from.split(".");
  const said = file?.said ?? {};
  const text = Object.hasOwn(said, agent) ? (said[agent]?.[field] ?? "") : "";
  if (text === "") return [];
  const limits = { most: Number.POSITIVE_INFINITY, dependencies: workflow === "bloom" };
  const list = readList(
    attempt<unknown, unknown>(() => JSON.parse(text), null),
    limits,
  );
  if ("faults" in list) return { fault: `${from} cannot be used: ${list.faults.join(" ")}` };
  return list.map(({ depends_on, id, ...task }) => ({
    ...{ id, depends_on, task },
    text: taskWords(task),
    identity: JSON.stringify([id, task]),
  }));
}

async function linesOf(
  run: OwnRun,
  path: string,
  { task = "" }: BeginCommand,
  view: View,
): Promise<readonly Entry[] | { readonly fault: string }> {
  const file = projectPath(renderWithId(path, run.id));
  const text = await view.read(file);
  if (text === null) return { fault: `${file} is missing.` };
  if (text.length > MAX_CHARACTERS) return { fault: `${file} has more than ${MAX_CHARACTERS} characters.` };
  const boxes = parseTaskItems(text, file);
  const lines = boxes.length > 0 ? boxes.flatMap((box) => (box.checked ? [] : [box.text])) : text.split("\n");
  const all = [...new Set(lines.map((line) => cleanLine(line).trim()))].filter((line) => line !== "");
  const long = all.find((line) => line.length > LONGEST_ENTRY);
  if (long !== undefined)
    return { fault: `${file} has an entry of more than ${LONGEST_ENTRY} characters: ${long.slice(0, 60)} …` };
  try {
    return all.map((entry) => entryOf(run, entry, task));
  } catch (thrown) {
    if (thrown instanceof PawlError) return { fault: thrown.message };
    throw thrown;
  }
}

function entryOf(run: OwnRun, entry: string, task: string): Entry {
  const { prompts = {} } = run.loaded.definition;
  const rendered = render(prompts[task] ?? "", `the text ${task}`, { ...promptValues(run), entry });
  const text = clean(rendered).trim() || entry;
  return {
    text,
    id: entry,
    identity: entry,
    depends_on: [],
    task: {
      title: entry.slice(0, LONGEST_TITLE).toWellFormed(),
      instructions: text,
      ...{ acceptance_criteria: [], steps: [] },
    },
  };
}

/** The id of an entry's run: the same each time that the entry begins, whatever the rule. */
export function childId({ file, id, run }: OwnRun, workflow: string, entry: Entry): string {
  const hash = hashOf(JSON.stringify([run, file?.created_at ?? "", workflow, entry.identity]));
  const words = entry.id
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  const from = id.slice(0, 30).replace(/\.+$/, "");
  return `${from}.${words === "" ? "" : `${words}-`}${hash.slice(0, 8)}`;
}

function taskWords({ acceptance_criteria, instructions, steps, title }: Entry["task"]): string {
  const list = (items: readonly string[]) =>
    items.map((item) => `- ${item.replaceAll("\n", "\n  ")}`).join("\n");
  const parts = [
    title,
    instructions,
    ...(steps.length > 0 ? [`Steps:\n\n${list(steps)}`] : []),
    ...(acceptance_criteria.length > 0 ? [`It is done if:\n\n${list(acceptance_criteria)}`] : []),
  ];
  return parts.join("\n\n");
}
