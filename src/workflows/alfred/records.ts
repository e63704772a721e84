/**
 * What git shares of a task: a file for each finished run, in `.alfred/records/<id>/`. Files are only ever added, so
 * git merges them without a conflict. A checkout without a live state of the task derives the state from them.
 */
import { PawlError } from "../../core/error.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { canonical } from "../../core/trust.ts";
import type { Evidence } from "./evidence.ts";
import { recordPath, recordsFolder } from "./paths.ts";
import { type FinishedRun, newTaskState, parseFinished, type TaskState } from "./state-file.ts";
import { isRunTool, type RunTool } from "./status.ts";

export type RecordedRun = FinishedRun & { readonly tool_name: RunTool };

/** `03-plan_task-20261122T084501123Z.json`: its place, the tool, and when the run ended. */
const NAME = /^(\d+)-([a-z_]+)-(\d{8}T\d{9}Z)\.json$/;

/** The recorded runs, in the order in which they ended. Throws `records-forked` and `state-unreadable`. */
export async function loadRecords(view: View, id: string): Promise<readonly RecordedRun[]> {
  const names = await recordNames(view, id);
  checkOneLine(id, names);
  const runs: RecordedRun[] = [];
  for (const name of names) {
    const path = recordPath(id, name);
    const text = await view.read(path);
    if (text !== null) runs.push(parseRecord(text, id, path));
  }
  return runs.sort((one, other) => (one.finished_at < other.finished_at ? -1 : 1));
}

/** The names of the task's records. */
export async function recordNames(view: View, id: string): Promise<readonly string[]> {
  const entries = await view.list(recordsFolder(id));
  return entries.flatMap(({ kind, name }) => (kind === "file" && NAME.test(name) ? [name] : []));
}

/** The task's state according to the records; null if there are none. */
export async function loadRecorded(view: View, id: string): Promise<TaskState | null> {
  const runs = await loadRecords(view, id);
  const last = runs.at(-1);
  if (!last) return null;
  return {
    ...newTaskState(id, last.finished_at),
    task_status: last.task_status,
    completed_tool_outputs: Object.fromEntries(runs.map(({ tool_name, ...run }) => [tool_name, run])),
  };
}

/** Two runs with the same number come from two branches: a person decides which of them counts. */
function checkOneLine(id: string, names: readonly string[]): void {
  const places = names.map((name) => Number(NAME.exec(name)?.[1]));
  const twice = places.findIndex((place, at) => places.indexOf(place) < at);
  if (twice < 0) return;
  const both = names.filter((_, at) => places[at] === places[twice]);
  throw new PawlError(
    "records-forked",
    `The task '${id}' was advanced on two branches: expected one record in each place of .alfred/records/${id}, found ${both.join(" and ")}.`,
    `Decide which counts; remove the other and those that came after it (\`git rm\` in .alfred/records/${id}).`,
  );
}

function parseRecord(text: string, id: string, path: ProjectPath): RecordedRun {
  const { tool_name, task_id, ...run } = parseFinished(text, path);
  if (task_id === id && isRunTool(tool_name)) return { ...run, tool_name };
  throw new PawlError(
    "state-unreadable",
    `${path} is not a record of '${id}': expected its task_id and the tool_name of a workflow tool, found ${JSON.stringify(task_id)} and ${JSON.stringify(tool_name)}. It was left unchanged.`,
    `Restore ${path} (git checkout), or remove it.`,
  );
}

/**
 * The state's finished runs that have no record yet. The last one, of the delivery, is written before the work is
 * committed: a later one would leave the tree dirty, or be missing from it.
 */
export function missingRecords(
  { completed_tool_outputs, task_id: id }: TaskState,
  known: readonly string[],
  delivery: string | null,
): readonly Change[] {
  const finished = Object.entries(completed_tool_outputs)
    .flatMap(([tool, run]) => (isRunTool(tool) && tool !== DELIVERY ? [{ ...run, tool_name: tool }] : []))
    .sort((one, other) => (one.finished_at < other.finished_at ? -1 : 1));
  const wanted = [...finished, ...(delivery === null ? [] : [deliveryRecord(delivery)])];
  const left = wanted.filter((run) => !known.some((name) => name.endsWith(`-${tail(run)}`)));
  const last = Math.max(0, ...known.map((name) => Number(NAME.exec(name)?.[1] ?? 0)));
  return left.map((run, at) => ({
    type: "write",
    path: recordPath(id, `${String(last + at + 1).padStart(2, "0")}-${tail(run)}`),
    text: renderRecord(id, run),
  }));
}

const DELIVERY: RunTool = "finalize_task";

/** Wherever it is found, it came with its own commit. */
function deliveryRecord(begun: string): RecordedRun {
  const times = { started_at: begun, finished_at: begun };
  return { tool_name: DELIVERY, ...times, task_status: "done", accepted: [], notes: [], verdicts: [] };
}

const tail = ({ finished_at, tool_name }: RecordedRun): string =>
  `${tool_name}-${finished_at.replace(/[-:.]/g, "")}.json`;

/** Without what checks printed: a record is published with the work. Keys are sorted, for small differences. */
function renderRecord(task_id: string, run: RecordedRun): string {
  const record = {
    ...run,
    task_id,
    accepted: run.accepted.map((each) => ({ ...each, evidence: wordsOf(each.evidence) })),
    verdicts: run.verdicts.map((each) => ({ ...each, evidence: wordsOf(each.evidence) })),
  };
  return `${JSON.stringify(JSON.parse(canonical(record)), null, 2)}\n`;
}

function wordsOf(evidence: Evidence): Evidence {
  return evidence.map(({ about, verdict, words }) => ({ about, verdict, words }));
}
