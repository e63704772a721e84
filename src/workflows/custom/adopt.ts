/** A person adopts a run that others moved, or chooses which of its branches counts. */
import type { View } from "../../core/ports/store.ts";
import { isFinal } from "../../engine/lookup.ts";
import type { AdoptInput, Reply, Transaction } from "../../runtime/module.ts";
import { type AdoptionStep, adoptRun } from "../../runtime/run-log/adopt-run.ts";
import type { AdoptedStep, LoggedDetails } from "../../runtime/run-log/kind.ts";
import type { Context } from "../../runtime/transaction/transaction.ts";
import type { Loaded } from "./definition.ts";
import { runMissing } from "./load-run.ts";
import {
  fileOf,
  loadBranches,
  loadOwn,
  type OwnBranch,
  type OwnBranches,
  runChanges,
} from "./resolve-run.ts";
import { commandIn, configurationOf, type Entry, type RunFile, runPath, sharedEntry } from "./run-file.ts";
import { branchFaults, checkHistory } from "./run-history.ts";
import { runsOf } from "./run-kind.ts";

interface LoadedBranches extends OwnBranches {
  readonly files: ReadonlyMap<OwnBranch, RunFile>;
  /** By branch: why it does not follow from its own history, in words for a person. */
  readonly faults: ReadonlyMap<OwnBranch, readonly string[]>;
  /** Null: a program has the table. */
  readonly loaded: Loaded | null;
}

/** `load`: null if a program has the workflow's table. */
export function adoptOf(
  name: string,
  load: ((view: View) => Promise<Loaded>) | null,
): Transaction<AdoptInput, LoadedBranches, undefined, Reply> {
  return {
    runs: async (view) => runsOf(name, (await load?.(view)) ?? null),
    run: ({ id }) => `${name}:${id}`,
    read: async (view, { id }) => readBranches(view, name, id, (await load?.(view)) ?? null),
    propose: (seen, _, input, context) => adoptBranch(`${name}:${input.id}`, seen, input, context),
  };
}

async function readBranches(
  view: View,
  name: string,
  id: string,
  loaded: Loaded | null,
): Promise<LoadedBranches> {
  const file = await loadOwn(view, name, id);
  if (file && loaded) await checkHistory(view, file, loaded);
  const found = await loadBranches(view, name, id, file);
  if (found.branches.length === 0) throw runMissing(name, id);
  const files = new Map(found.branches.map((branch) => [branch, fileOf(name, id, branch, found.own)]));
  const faults = new Map<OwnBranch, readonly string[]>();
  for (const [branch, each] of files) faults.set(branch, loaded ? await branchFaults(each, loaded) : []);
  return { ...found, files, faults, loaded };
}

function adoptBranch(run: string, seen: LoadedBranches, input: AdoptInput, context: Context) {
  const { faults, files, loaded, recorded, branches } = seen;
  const fileAt = (branch: OwnBranch) => files.get(branch) as RunFile;
  return adoptRun(
    {
      run,
      machine: run.slice(0, run.indexOf(":")),
      branches: branches,
      look(branch) {
        const file = fileAt(branch);
        if (loaded) configurationOf(branch.recorded?.path ?? runPath(file.workflow, file.id), file, loaded);
        const isOver = loaded ? isFinal(loaded.definition.table, file.state) : file.awaits === "nobody";
        return { state: file.state, isOver, notes: notesOn(file, loaded, faults.get(branch) ?? []) };
      },
    },
    input,
    (branch, step) => {
      const file = goingOn(fileAt(branch), branch, step, context, loaded);
      return {
        changes: runChanges(file, branch.recorded ? branch.steps.length : recorded),
        logged: loggedOf(fileAt(branch), branch, step),
      };
    },
    context,
  );
}

/** For the run's log: what others did, unless the branch is this checkout's own. */
function loggedOf(
  { history, origin, workflow }: RunFile,
  { recorded }: OwnBranch,
  { over }: AdoptionStep,
): LoggedDetails {
  const overruled = over ? { over } : {};
  if (recorded === null) return overruled;
  const begins = { machine: workflow, state: history[0]?.from ?? origin.state, variables: origin.kept };
  return { ...overruled, begins, adopts: history.map(adoptedStep) };
}

/** The log makes the links anew. */
function adoptedStep(entry: Entry): AdoptedStep {
  const { prev: _, ...step } = sharedEntry(entry);
  return step as AdoptedStep;
}

function notesOn(file: RunFile, loaded: Loaded | null, faults: readonly string[]): readonly string[] {
  if (loaded === null) return ["A program has its table: its steps were not replayed."];
  if (faults.length > 0) return [`Its steps do not lead there by its table: ${faults.join("; ")}.`];
  const isReplayed = file.table_hash === loaded.hash && file.origin.at === 0;
  return isReplayed
    ? []
    : ["The table has changed since, or its steps are not all known: not all were replayed."];
}

/**
 * The branch's run with the step that adopts it. A command that was running in the other checkout runs again
 * here, under a new key.
 */
function goingOn(
  file: RunFile,
  branch: OwnBranch,
  step: AdoptionStep,
  { now }: Pick<Context, "now">,
  loaded: Loaded | null,
): RunFile {
  const waits = branch.recorded?.recordedState.pending;
  const pending =
    waits !== undefined && loaded && commandIn(loaded.definition, waits)
      ? { pending: { row: waits, key: `${now.id}-run`, since: now.time } }
      : {};
  return { ...file, ...pending, history: [...file.history, step], updated_at: now.time };
}
