/** A person takes over a run that others advanced, or chooses which of its sides counts. */
import type { View } from "../../core/ports/store.ts";
import { isFinal } from "../../engine/lookup.ts";
import { type AdoptionStep, adoptRun } from "../../runtime/adopt-run.ts";
import type { AdoptInput, Reply, Transaction } from "../../runtime/module.ts";
import type { Context } from "../../runtime/transaction.ts";
import type { Loaded } from "./definition.ts";
import { runMissing } from "./load-run.ts";
import { fileOf, loadOwn, loadSides, type RunSide, runChanges, type Sides } from "./resolve-run.ts";
import { commandIn, configurationOf, type RunFile, runPath } from "./run-file.ts";
import { checkHistory, sideFaults } from "./run-history.ts";

interface LoadedBranches extends Sides {
  readonly files: ReadonlyMap<RunSide, RunFile>;
  /** By side: why it cannot be followed to its end, in words for a person. */
  readonly faults: ReadonlyMap<RunSide, readonly string[]>;
  /** Null: a program has the table. */
  readonly loaded: Loaded | null;
}

/** `load`: null where a program has the workflow's table. */
export function adoptOf(
  name: string,
  load: ((view: View) => Promise<Loaded>) | null,
): Transaction<AdoptInput, LoadedBranches, undefined, Reply> {
  return {
    run: ({ id }) => `${name}:${id}`,
    read: async (view, { id }) => readSides(view, name, id, (await load?.(view)) ?? null),
    propose: (seen, _, input, context) => adoptBranch(`${name}:${input.id}`, seen, input, context),
  };
}

async function readSides(
  view: View,
  name: string,
  id: string,
  loaded: Loaded | null,
): Promise<LoadedBranches> {
  const file = await loadOwn(view, name, id);
  if (file && loaded) await checkHistory(view, file, loaded);
  const found = await loadSides(view, name, id, file);
  if (found.sides.length === 0) throw runMissing(name, id);
  const files = new Map(found.sides.map((side) => [side, fileOf(name, id, side, found.own)]));
  const faults = new Map<RunSide, readonly string[]>();
  for (const [side, each] of files) faults.set(side, loaded ? await sideFaults(each, loaded) : []);
  return { ...found, files, faults, loaded };
}

function adoptBranch(run: string, seen: LoadedBranches, input: AdoptInput, context: Context) {
  const { faults, files, loaded, recorded, sides } = seen;
  const fileAt = (side: RunSide) => files.get(side) as RunFile;
  return adoptRun(
    {
      run,
      machine: run.slice(0, run.indexOf(":")),
      sides,
      look(side) {
        const file = fileAt(side);
        if (loaded) configurationOf(side.recorded?.path ?? runPath(file.workflow, file.id), file, loaded);
        const isOver = loaded ? isFinal(loaded.definition.table, file.state) : file.awaits === "nobody";
        return { state: file.state, isOver, notes: notesOn(file, loaded, faults.get(side) ?? []) };
      },
    },
    input,
    (side, step) => {
      const file = goingOn(fileAt(side), side, step, context, loaded);
      return runChanges(file, side.recorded ? side.steps.length : recorded);
    },
    context,
  );
}

function notesOn(file: RunFile, loaded: Loaded | null, faults: readonly string[]): readonly string[] {
  if (loaded === null) return ["A program has its table: its steps were not replayed."];
  if (faults.length > 0) return [`Its steps do not lead there by its table: ${faults.join("; ")}.`];
  const isReplayed = file.table_hash === loaded.hash && file.origin.at === 0;
  return isReplayed
    ? []
    : ["The table has changed since, or its steps are not all known: not all were replayed."];
}

/** With the step that takes it over. A command that was under way there runs here under a key of its own. */
function goingOn(
  file: RunFile,
  side: RunSide,
  step: AdoptionStep,
  { now }: Pick<Context, "now">,
  loaded: Loaded | null,
): RunFile {
  const waits = side.recorded?.recordedState.pending;
  const pending =
    waits !== undefined && loaded && commandIn(loaded.definition, waits)
      ? { pending: { row: waits, key: `${now.id}-run`, since: now.time } }
      : {};
  return { ...file, ...pending, history: [...file.history, step], updated_at: now.time };
}
