/**
 * A run's history, from its log. A run whose file does not follow from its log, or whose log does not follow
 * from the table, is held until a person decides.
 *
 * Steps under another table than the present one cannot be replayed, so when the table changes, a run's
 * origin moves to its configuration at that time.
 */
import { publicCaller } from "../../core/event.ts";
import type { View } from "../../core/ports/store.ts";
import { wholeLogFaults } from "../../runtime/run-log/accept.ts";
import {
  checkFaults,
  EDIT_ACCEPTED,
  hashOfStep,
  replayFaults,
  TAKEN_OVER,
  toStored,
} from "../../runtime/run-log/history.ts";
import { lifeOf, loadLines, stateFaults } from "../../runtime/run-log/read.ts";
import { documentsOf } from "../../runtime/run-log/replay.ts";
import { DamagedLog, type Line, type Step, variablesAfter } from "../../runtime/run-log/step.ts";
import type { Loaded } from "./definition.ts";
import { type Entry, type RunFile, runPath, type StoredRun, sharedEntry } from "./run-file.ts";
import { runsOf } from "./run-kind.ts";

/** The run with its history. A log that cannot be read gives none: the run is held anyway. */
export async function withHistory(view: View, stored: StoredRun): Promise<RunFile> {
  const run = `${stored.workflow}:${stored.id}`;
  const lines = await linesOf(view, run);
  const documents = documentsOf(lines);
  const life = lifeOf(lines);
  const history: Entry[] = [];
  let origin = { state: stored.state, kept: stored.kept, at: 0 };
  let before = { state: "", variables: {} };
  for (const [index, { step }] of lines.entries()) {
    if (index < life || step === null) continue;
    const after = { state: step.to, variables: variablesAfter(before.variables, step) };
    if (step.kind === "begun" || step.kind === "found") origin = { ...toStored(after), at: 0 };
    else {
      if (step.kind === "moved" && step.table !== undefined && history.length > 0)
        origin = { ...toStored(before), at: history.length };
      history.push(entryOf(step, history.at(-1), outputIn(documents[index])));
      if (step.kind === "accepted") origin = { ...toStored(after), at: history.length };
    }
    before = after;
  }
  return { ...stored, origin, history };
}

async function linesOf(view: View, run: string): Promise<readonly Line[]> {
  try {
    return await loadLines(view, run);
  } catch (thrown) {
    if (thrown instanceof DamagedLog) return [];
    throw thrown;
  }
}

const ROWS: Readonly<Record<string, string>> = { accepted: EDIT_ACCEPTED, adopted: TAKEN_OVER };

function entryOf(step: Step, before: Entry | undefined, output: string | undefined): Entry {
  const { by, ended, facts, from, kind, notes, over, strength, time, to, tree } = step;
  const row = ROWS[kind];
  return {
    time,
    event: row ?? step.event ?? "",
    row: row ?? step.rule ?? "",
    from,
    to,
    by: publicCaller(by),
    ...(strength === undefined ? {} : { strength }),
    ...(facts ? { facts } : {}),
    ...(notes === undefined ? {} : { notes }),
    ...(tree === undefined ? {} : { tree }),
    ...(ended ? { ended: { ...ended, ...(output === undefined ? {} : { tail: output }) } } : {}),
    prev: before ? hashOfStep(sharedEntry(before)) : null,
    ...(over ? { over } : {}),
  };
}

function outputIn(document: unknown): string | undefined {
  return (document as StoredRun | null)?.output;
}

/** Throws `state-tampered` with everything in the run's file that does not follow from its log. */
export async function checkHistory(view: View, file: StoredRun, loaded: Loaded): Promise<void> {
  checkFaults(runPath(file.workflow, file.id), "run's", await differencesIn(view, file, loaded));
}

/** The differences between the file and its log, in words for a person. */
export async function differencesIn(
  view: View,
  { id, workflow }: StoredRun,
  loaded: Loaded,
): Promise<readonly string[]> {
  const kind = runsOf(workflow, loaded);
  const run = `${workflow}:${id}`;
  const path = runPath(workflow, id);
  const text = await view.read(path);
  if (text === null) return [];
  const found = await stateFaults(view, kind, run, { path, text });
  return found.length > 0 ? found : wholeLogFaults(view, kind, run);
}

/** Where a branch of the run's records does not follow from its own history, in words for a person. */
export async function branchFaults(file: RunFile, { definition, hash }: Loaded): Promise<readonly string[]> {
  const { history, kept: variables, origin, state, table_hash } = file;
  if (hash !== table_hash) return [];
  const from = { ...origin, begins: origin.at === 0 };
  return replayFaults(definition.table, from, history, { state, variables }, "entry");
}
