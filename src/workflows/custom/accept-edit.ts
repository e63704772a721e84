/**
 * A person accepts a run as its file is, although its history does not lead to it. The history records that,
 * and continues from the accepted state.
 */
import type { View } from "../../core/ports/store.ts";
import type { Context, Proposal, Reply, StoryInput, Transaction } from "../../runtime/module.ts";
import { acceptedEdit } from "../../runtime/run-log/accept-edit.ts";
import { EDIT_ACCEPTED, hashOfStep } from "../../runtime/run-log/history.ts";
import { strengthOf } from "../../runtime/transaction/person.ts";
import type { DefinitionSource, Loaded } from "./definition.ts";
import { runMissing } from "./load-run.ts";
import { loadBranches, loadOwn, runChanges } from "./resolve-run.ts";
import { configurationOf, type RunFile, runPath, sharedEntry } from "./run-file.ts";
import { differencesIn, isChained } from "./run-history.ts";

interface LoadedEdit {
  readonly loaded: Loaded;
  readonly file: RunFile;
  readonly found: readonly string[];
  /** The file's entries; none if they do not form a chain: then the history begins anew. */
  readonly history: RunFile["history"];
  /** How many of them are recorded. */
  readonly recorded: number;
  /** The ends of recorded branches that the entries do not lead to: these no longer count. */
  readonly over: readonly string[];
}

export function acceptEditOf(
  source: DefinitionSource,
): Transaction<StoryInput, LoadedEdit, undefined, Reply> {
  return {
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
  const history = (await isChained(file)) ? file.history : [];
  const { recorded, branches } = await loadBranches(view, source.name, id, { ...file, history });
  const over = branches.flatMap((branch) => (branch.recorded === null ? [] : [branch.head]));
  const found = await differencesIn(view, file, loaded);
  const others = found.length > 0 && over.length > 0 ? ["what others recorded no longer counts"] : [];
  return { loaded, file, found: [...found, ...others], history, recorded, over };
}

function accept(
  { file, found, history: kept, loaded, over, recorded }: LoadedEdit,
  context: Context,
): Proposal<Reply> {
  const path = runPath(file.workflow, file.id);
  const from = file.history.at(-1)?.to ?? file.state;
  const move = { from, to: file.state };
  const written = () => {
    const { caller, now } = context;
    const step = { event: EDIT_ACCEPTED, row: EDIT_ACCEPTED, ...move };
    const before = kept.at(-1);
    const prev = before ? hashOfStep(sharedEntry(before)) : null;
    const overruled = over.length > 0 ? { over } : {};
    const last = { time: now.time, ...step, by: caller, strength: strengthOf(context), prev, ...overruled };
    const history = [...kept, last];
    const next = {
      ...file,
      table_hash: loaded.hash,
      origin: { state: file.state, kept: file.kept, at: history.length },
      history,
      updated_at: now.time,
    } as RunFile;
    return runChanges(next, recorded);
  };
  return acceptedEdit(
    {
      ...{ run: `${file.workflow}:${file.id}`, machine: file.workflow, ...move },
      name: path,
      of: "run",
      found,
      summary: "an edit of its file was accepted",
    },
    written,
    context,
  );
}
