/** A person adopts a run that others moved, or chooses which of its branches counts. */
import type { View } from "../../core/ports/store.ts";
import { isFinal } from "../../engine/lookup.ts";
import type { AdoptInput, Reply, RunRecords, Transaction } from "../../runtime/module.ts";
import { adoptRun } from "../../runtime/run-log/adopt-run.ts";
import { hashOfTable } from "../../runtime/run-log/history.ts";
import { checkBranch } from "../../runtime/run-log/replay.ts";
import type { Context } from "../../runtime/transaction/transaction.ts";
import type { Loaded } from "./definition/definition.ts";
import { loadMissing, missingRunError } from "./load-run.ts";
import { checkHistory, loadBranches, loadOwn, type OwnBranch } from "./resolve-run.ts";
import { commandIn, configurationOf, fileOfBranch, type RunFile, renderRun, runPath } from "./run-file.ts";
import { runsOf } from "./run-kind.ts";

interface LoadedBranches {
  readonly branches: readonly OwnBranch[];
  readonly own: RunFile | null;
  /** Null: a program has the table. */
  readonly loaded: Loaded | null;
}

/** `load`: null if a program has the workflow's table. */
export function recordsOf(name: string, load: (view: View) => Promise<Loaded | null>): RunRecords {
  const adopt: Transaction<AdoptInput, LoadedBranches, undefined, Reply> = {
    runs: async (view) => runsOf(name, await load(view)),
    run: ({ id }) => `${name}:${id}`,
    read: async (view, { id }) => readBranches(view, name, id, await load(view)),
    propose: (seen, _, input, context) => adoptBranch(name, seen, input, context),
  };
  return { missing: async (view, id) => loadMissing(view, name, id, await load(view)), adopt: () => adopt };
}

async function readBranches(
  view: View,
  name: string,
  id: string,
  loaded: Loaded | null,
): Promise<LoadedBranches> {
  const present = await loadOwn(view, name, id);
  if (present && loaded) await checkHistory(view, present, loaded);
  const branches = await loadBranches(view, name, id, present);
  if (present === null && branches.length === 0) throw missingRunError(name, id);
  return { branches, own: present, loaded };
}

function adoptBranch(
  name: string,
  { branches, loaded, own }: LoadedBranches,
  input: AdoptInput,
  context: Context,
) {
  const fileAt = ({ recorded, steps }: OwnBranch) => {
    return recorded ? fileOfBranch(name, input.id, steps, recorded.recordedState) : (own as RunFile);
  };
  return adoptRun(
    {
      run: `${name}:${input.id}`,
      branches,
      describe(branch) {
        const file = fileAt(branch);
        if (loaded) checkBranch(runsOf(name, loaded), branch);
        if (loaded) configurationOf(branch.recorded?.path ?? runPath(name, input.id), file, loaded);
        const isOver = loaded ? isFinal(loaded.definition.table, file.state) : file.awaits === "nobody";
        return { machine: name, state: file.state, isOver, notes: notesOn(branch, loaded) };
      },
    },
    input,
    (branch) => {
      const text = renderRun(continued(fileAt(branch), branch, context, loaded));
      return [{ type: "write", path: runPath(name, input.id), text }];
    },
    context,
  );
}

function notesOn(branch: OwnBranch, loaded: Loaded | null): readonly string[] {
  if (loaded === null) return ["A program has its table: its steps were not replayed."];
  const tables = branch.steps.flatMap(({ table }) => table ?? []);
  return tables.every((hash) => hash === hashOfTable(loaded.definition.table))
    ? []
    : ["The table has changed since: the steps under the earlier one were not replayed."];
}

/** A command that was running in the other checkout runs again here, under a new key. */
function continued(
  file: RunFile,
  { recorded }: OwnBranch,
  { now }: Pick<Context, "now">,
  loaded: Loaded | null,
): RunFile {
  const waits = recorded?.recordedState.pending;
  const pending =
    waits !== undefined && loaded && commandIn(loaded.definition, waits)
      ? { pending: { row: waits, key: `${now.id}-run`, since: now.time } }
      : {};
  return { ...file, ...pending, updated_at: now.time };
}
