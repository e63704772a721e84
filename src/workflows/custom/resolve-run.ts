/**
 * A run, resolved from this checkout's own file and the run's records. The file counts unless a record is
 * ahead of it; a run that others continued is shown, and stays theirs until a person adopts it.
 */
import { PawlError } from "../../core/error.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { hashOfStep, isTakenOver } from "../../runtime/run-log/history.ts";
import {
  branchesOf,
  loadRecords,
  newRecords,
  onlyBranch,
  type RunBranch,
  recordedByName,
  recordedIds,
  recordedUpTo,
  recordNames,
} from "../../runtime/run-log/team-records.ts";
import type { Elsewhere } from "../../runtime/transaction/transaction.ts";
import type { Loaded } from "./definition.ts";
import {
  configurationOf,
  type Entry,
  fileOfBranch,
  listRuns,
  parseRun,
  type RecordedState,
  type RunFile,
  recordedStateIn,
  renderRun,
  runPath,
  SHARED,
  sharedEntry,
} from "./run-file.ts";
import { branchFaults, withHistory } from "./run-history.ts";

export type OwnBranch = RunBranch<Entry, RecordedState>;

export interface OwnBranches {
  /** This checkout's own file; null: none. */
  readonly own: RunFile | null;
  readonly branches: readonly OwnBranch[];
  /** How many of the file's entries are recorded. */
  readonly recorded: number;
}

export interface ResolvedRun {
  readonly file: RunFile;
  /** Who continued it in another checkout; null: the run here counts. */
  readonly elsewhere: Elsewhere | null;
  readonly recorded: number;
  /** The path of the file or record that it was read from. */
  readonly path: string;
}

/** The ids of the workflow's runs, in files and in records. */
export async function allRuns(view: View, workflow: string): Promise<readonly string[]> {
  const ids = [...(await listRuns(view, workflow)), ...(await recordedIds(view, workflow))];
  return [...new Set(ids)].sort();
}

/** This checkout's own file of the run, or null. Throws `state-unreadable`. */
export async function loadOwn(view: View, workflow: string, id: string): Promise<RunFile | null> {
  const path = runPath(workflow, id);
  const text = await view.read(path);
  return text === null ? null : withHistory(view, parseRun(path, workflow, id, text));
}

/** `own`: the checkout's own file. Throws `records-invalid`. */
export async function loadBranches(
  view: View,
  workflow: string,
  id: string,
  own: RunFile | null,
): Promise<OwnBranches> {
  const run = `${workflow}:${id}`;
  const entries = (own?.history ?? []).map(sharedEntry);
  const names = await recordNames(view, run);
  const named = recordedByName(names, entries);
  if (named.isAll) {
    const head = entries.at(-1);
    const branch = head && { head: hashOfStep(head), steps: entries, recorded: null };
    return { own, branches: branch ? [branch] : [], recorded: named.recorded };
  }
  const records = await loadRecords(view, run, names, SHARED);
  return { own, branches: branchesOf(run, records, entries), recorded: recordedUpTo(records, entries) };
}

/** The run that counts; null: it has not begun. Throws `records-forked` and `records-invalid`. */
export async function resolveRun(
  view: View,
  workflow: string,
  id: string,
  file: RunFile | null,
): Promise<ResolvedRun | null> {
  const { own, recorded, branches } = await loadBranches(view, workflow, id, file);
  if (branches.length === 0)
    return own && { file: own, elsewhere: null, recorded, path: runPath(workflow, id) };
  const branch = onlyBranch(`${workflow}:${id}`, branches);
  if (own && branch.recorded === null)
    return { file: own, elsewhere: null, recorded, path: runPath(workflow, id) };
  const last = branch.steps.at(-1);
  const elsewhere = { by: last?.by.who ?? last?.by.channel ?? "", time: last?.time ?? "" };
  const path = branch.recorded?.path ?? "";
  return { file: fileOf(workflow, id, branch, own), elsewhere, recorded: branch.steps.length, path };
}

/** The run at the end of the branch, with the output of commands that this checkout has. */
export function fileOf(workflow: string, id: string, branch: OwnBranch, own: RunFile | null): RunFile {
  if (own && branch.recorded === null) return own;
  const kept = new Map((own?.history ?? []).map((entry) => [hashOfStep(sharedEntry(entry)), entry]));
  const history = branch.steps.map((step) => kept.get(hashOfStep(step)) ?? step);
  return fileOfBranch(workflow, id, history, branch.recorded?.recordedState as RecordedState);
}

/**
 * Throws `records-invalid` if others' records do not follow from their own history, and `run-unreachable`.
 */
export async function checkElsewhere({ file, path }: ResolvedRun, loaded: Loaded): Promise<void> {
  configurationOf(path, file, loaded);
  const found = await branchFaults(file, loaded);
  if (found.length > 0)
    throw new PawlError(
      "records-invalid",
      `${path} cannot be used: ${found.join("; ")}. Nothing was changed.`,
      `Ask whoever committed it: \`git log -- ${path}\`.`,
    );
}

/** A note for display. */
export function elsewhereWords(run: string, { by, time }: Elsewhere): string {
  return `It was moved last in another checkout, by ${by} at ${time}: its records say so, and prove no verdict. To take it over, a person runs \`pawl take ${run}\` in a terminal.`;
}

/** Changes that write the run's file, and the missing records where others can act on it. */
export function runChanges(file: RunFile, recorded: number): readonly Change[] {
  const { id, workflow } = file;
  return [
    { type: "write", path: runPath(workflow, id), text: renderRun(file) },
    ...(isDue(file) ? missingRecords(file, recorded) : []),
  ];
}

/** Whether the run waits for a person or is over, or its last step decides between branches. */
function isDue({ awaits, history, pending }: RunFile): boolean {
  const last = history.at(-1);
  if (last && (isTakenOver(last) || last.over !== undefined)) return true;
  return pending === undefined && (awaits === "human" || awaits === "nobody");
}

/** The records of the entries from `recorded` on. */
export function missingRecords(file: RunFile, recorded: number): readonly Change[] {
  const { history, id, workflow } = file;
  return newRecords(`${workflow}:${id}`, history.map(sharedEntry), recorded, recordedStateIn(file));
}
