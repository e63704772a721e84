/**
 * A run, resolved from this checkout's own file and the run's records. The file counts unless a record is
 * ahead of it; a run that others continued is shown, and stays theirs until a person adopts it.
 */
import type { View } from "../../core/ports/store.ts";
import { wholeLogFaults } from "../../runtime/run-log/accept.ts";
import { checkFaults } from "../../runtime/run-log/history.ts";
import { loadBranches as loadLogBranches } from "../../runtime/run-log/log-records.ts";
import { loadSteps, stateFaults } from "../../runtime/run-log/read.ts";
import { checkBranch } from "../../runtime/run-log/replay.ts";
import { DamagedLog, type Step } from "../../runtime/run-log/step.ts";
import {
  countingBranch,
  lastMoveOf,
  type RunBranch,
  recordedIds,
  setAside,
} from "../../runtime/run-log/team-records.ts";
import type { AsideBranch, Elsewhere } from "../../runtime/transaction/transaction.ts";
import type { Loaded } from "./definition/definition.ts";
import {
  configurationOf,
  fileOfBranch,
  historyIn,
  listRuns,
  parseRun,
  RECORDED_STATE,
  type RecordedState,
  type RunFile,
  runPath,
  type StoredRun,
} from "./run-file.ts";
import { runsOf } from "./run-kind.ts";

export type OwnBranch = RunBranch<RecordedState>;

export interface ResolvedRun {
  readonly file: RunFile;
  /** Who continued it in another checkout; null: the run here counts. */
  readonly elsewhere: Elsewhere | null;
  /** The path of the file or record that it was read from. */
  readonly path: string;
  /** Its branch if others recorded it; null: this checkout's own counts. */
  readonly branch: OwnBranch | null;
  /** The branches beside this checkout's own. */
  readonly aside: readonly AsideBranch[];
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
  if (text === null) return null;
  return { ...parseRun(path, workflow, id, text), history: historyIn(await stepsOf(view, workflow, id)) };
}

/** A log that cannot be read gives none: the run is held anyway. */
async function stepsOf(view: View, workflow: string, id: string): Promise<readonly Step[]> {
  try {
    return await loadSteps(view, `${workflow}:${id}`);
  } catch (thrown) {
    if (thrown instanceof DamagedLog) return [];
    throw thrown;
  }
}

/** The run's branches; empty: nothing is recorded. `present`: this checkout's file of it. Throws `records-invalid`. */
export function loadBranches(
  view: View,
  workflow: string,
  id: string,
  present: RunFile | null,
): Promise<readonly OwnBranch[]> {
  return loadLogBranches(view, `${workflow}:${id}`, RECORDED_STATE, present !== null);
}

/**
 * The run that counts; null: it has not begun. `present`: this checkout's file of it. Throws `records-forked` and
 * `records-invalid`.
 */
export async function resolveRun(
  view: View,
  workflow: string,
  id: string,
  present: RunFile | null,
): Promise<ResolvedRun | null> {
  const branches = await loadBranches(view, workflow, id, present);
  const branch = countingBranch(`${workflow}:${id}`, branches);
  const here = { elsewhere: null, path: runPath(workflow, id), branch: null, aside: setAside(branches) };
  if (!branch?.recorded) return present && { file: present, ...here };
  const { path, recordedState } = branch.recorded;
  const file = fileOfBranch(workflow, id, branch.steps, recordedState);
  return { file, elsewhere: lastMoveOf(branch), path, branch, aside: [] };
}

/** Throws `state-tampered` with everything in the run's file that does not follow from its log. */
export async function checkHistory(view: View, { id, workflow }: StoredRun, loaded: Loaded): Promise<void> {
  const kind = runsOf(workflow, loaded);
  const run = `${workflow}:${id}`;
  const path = runPath(workflow, id);
  const text = await view.read(path);
  if (text === null) return;
  const faults = await stateFaults(view, kind, run, { path, text });
  checkFaults(path, "run's", faults.length > 0 ? faults : await wholeLogFaults(view, kind, run));
}

/**
 * Throws `records-invalid` if others' records do not follow from their own steps, and `run-unreachable`.
 */
export function checkElsewhere({ branch, file, path }: ResolvedRun, loaded: Loaded): void {
  configurationOf(path, file, loaded);
  if (branch) checkBranch(runsOf(file.workflow, loaded), branch);
}

/** A note for display. */
export function elsewhereWords(run: string, { by, time }: Elsewhere): string {
  return `It was moved last in another checkout, by ${by} at ${time}: its records say so, and prove no verdict. To adopt it, a person runs \`pawl adopt ${run}\` in a terminal.`;
}
