/**
 * A person accepts a run as its file is, although its history does not lead there: recorded in the history, which
 * continues from it.
 */
import type { View } from "../../core/ports/store.ts";
import { acceptedEdit } from "../../runtime/accept-edit.ts";
import { EDIT_ACCEPTED, headOf } from "../../runtime/history.ts";
import type { Context, Proposal, Reply, StoryInput, Transaction } from "../../runtime/module.ts";
import { strengthOf } from "../../runtime/person.ts";
import type { DefinitionSource, Loaded } from "./definition.ts";
import { loadFile } from "./load-run.ts";
import { configurationOf, type RunFile, renderRun, runPath } from "./run-file.ts";
import { anchorOf, differencesIn, isChained } from "./run-history.ts";

interface Seen {
  readonly loaded: Loaded;
  readonly file: RunFile;
  readonly found: readonly string[];
  /** The hash of the last entry; null if the entries do not form a chain. */
  readonly head: string | null;
}

export function acceptEditOf(source: DefinitionSource): Transaction<StoryInput, Seen, undefined, Reply> {
  return {
    run: ({ id }) => `${source.name}:${id}`,
    read: (view, { id }) => readEdited(source, view, id),
    propose: (seen, _, __, context) => accept(seen, context),
  };
}

async function readEdited(source: DefinitionSource, view: View, id: string): Promise<Seen> {
  const loaded = await source.load(view);
  const file = await loadFile(view, source, id);
  configurationOf(runPath(source.name, id), file, loaded);
  const head = (await isChained(file)) ? await headOf(file.history) : null;
  return { loaded, file, found: await differencesIn(view, file, loaded), head };
}

function accept({ file, found, head, loaded }: Seen, context: Context): Proposal<Reply> {
  const path = runPath(file.workflow, file.id);
  const from = file.history.at(-1)?.to ?? file.state;
  const move = { from, to: file.state };
  const written = () => {
    const { caller, now } = context;
    const step = { event: EDIT_ACCEPTED, row: EDIT_ACCEPTED, ...move };
    const last = { time: now.time, ...step, by: caller, strength: strengthOf(context), prev: head };
    // If the chain was broken, it begins anew here.
    const history = [...(head === null ? [] : file.history), last];
    const next = {
      ...file,
      table_hash: loaded.hash,
      origin: { state: file.state, kept: file.kept, at: history.length },
      history,
      updated_at: now.time,
    } as RunFile;
    return [{ type: "write", path, text: renderRun(next) } as const, anchorOf(next)];
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
