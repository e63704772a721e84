/** A person accepts a run as its file is, although its log does not lead to it. The log goes on from there. */
import { publicCaller } from "../../core/event.ts";
import type { View } from "../../core/ports/store.ts";
import type { Context, Proposal, Reply, StoryInput, Transaction } from "../../runtime/module.ts";
import { acceptedEdit } from "../../runtime/run-log/accept.ts";
import { EDIT_ACCEPTED, hashOfStep } from "../../runtime/run-log/history.ts";
import { strengthOf } from "../../runtime/transaction/person.ts";
import type { DefinitionSource, Loaded } from "./definition.ts";
import { runMissing } from "./load-run.ts";
import { loadBranches, loadOwn, runChanges } from "./resolve-run.ts";
import { configurationOf, type RunFile, runPath, sharedEntry } from "./run-file.ts";
import { differencesIn } from "./run-history.ts";
import { runsOfSources } from "./run-kind.ts";

interface LoadedEdit {
  readonly loaded: Loaded;
  readonly file: RunFile;
  readonly found: readonly string[];
  /** How many of its entries are recorded. */
  readonly recorded: number;
  /** The ends of recorded branches that the entries do not lead to: these no longer count. */
  readonly over: readonly string[];
}

export function acceptEditOf(
  source: DefinitionSource,
): Transaction<StoryInput, LoadedEdit, undefined, Reply> {
  return {
    runs: runsOfSources([source]),
    run: ({ id }) => `${source.name}:${id}`,
    read: (view, { id }) => readEdited(source, view, id),
    propose: (seen, _, __, context) => accept(seen, context),
  };
}

async function readEdited(source: DefinitionSource, view: View, id: string): Promise<LoadedEdit> {
  const loaded = await source.load(view);
  const file = await loadOwn(view, source.name, id);
  if (file === null) throw runMissing(source.name, id);
  configurationOf(runPath(source.name, id), file, loaded);
  const { recorded, branches } = await loadBranches(view, source.name, id, file);
  const over = branches.flatMap((branch) => (branch.recorded === null ? [] : [branch.head]));
  const found = await differencesIn(view, file, loaded);
  const others = found.length > 0 && over.length > 0 ? ["what others recorded no longer counts"] : [];
  return { loaded, file, found: [...found, ...others], recorded, over };
}

function accept({ file, found, loaded, over, recorded }: LoadedEdit, context: Context): Proposal<Reply> {
  const { history, id, kept, state, workflow } = file;
  const last = history.at(-1);
  const move = { from: last?.to ?? state, to: state };
  const overruled = over.length > 0 ? { over } : {};
  const written = () => {
    const { caller, now } = context;
    const entry = {
      ...{ time: now.time, event: EDIT_ACCEPTED, row: EDIT_ACCEPTED, ...move },
      ...{ by: publicCaller(caller), strength: strengthOf(context) },
      ...{ prev: last ? hashOfStep(sharedEntry(last)) : null, ...overruled },
    };
    const next: RunFile = {
      ...file,
      table_hash: loaded.hash,
      origin: { state, kept, at: history.length + 1 },
      history: [...history, entry],
      updated_at: now.time,
    };
    return runChanges(next, recorded);
  };
  const edited = {
    ...{ run: `${workflow}:${id}`, machine: workflow, ...move, found },
    ...{ name: runPath(workflow, id), summary: "an edit of its file was accepted" },
  };
  return { ...acceptedEdit(edited, written, context), logged: overruled };
}
