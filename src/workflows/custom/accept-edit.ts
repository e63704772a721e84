/** A person takes a run as its file is, though its history does not lead there: recorded in the history, which goes on from it. */
import { PawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import { EDIT_ACCEPTED, headOf } from "../../runtime/history.ts";
import type { Advance, Context, Prepared, Reply, StoryInput } from "../../runtime/module.ts";
import { hasAnswered, strengthOf } from "../../runtime/person.ts";
import { renderReview } from "../../runtime/review.ts";
import { runAdvanced, stamped } from "../../runtime/run-advanced.ts";
import type { DefinitionSource, Loaded } from "./definition.ts";
import { loadFile } from "./load-run.ts";
import { positionOf, type RunFile, renderRun, runPath } from "./run-file.ts";
import { anchorOf, differencesIn, isChained } from "./run-history.ts";

interface Seen {
  readonly loaded: Loaded;
  readonly file: RunFile;
  readonly found: readonly string[];
  /** The hash of the last entry; null where the entries are not each made on the one before. */
  readonly head: string | null;
}

export function acceptEditOf(source: DefinitionSource): Advance<StoryInput, Seen, undefined, Reply> {
  return {
    run: ({ id }) => `${source.name}:${id}`,
    read: (view, { id }) => readEdited(source, view, id),
    prepare: (seen, _, __, context) => accept(seen, context),
  };
}

async function readEdited(source: DefinitionSource, view: View, id: string): Promise<Seen> {
  const loaded = await source.load(view);
  const file = await loadFile(view, source, id);
  positionOf(runPath(source.name, id), file, loaded);
  const head = (await isChained(file)) ? await headOf(file.history) : null;
  return { loaded, file, found: await differencesIn(view, file, loaded), head };
}

function accept({ file, found, head, loaded }: Seen, context: Context): Prepared<Reply> {
  const path = runPath(file.workflow, file.id);
  if (found.length === 0)
    throw new PawlError("no-effect", `${path} follows from its history.`, "Nothing is to be accepted.");
  const message = renderReview({
    question: `Take ${path} as it is, though it does not follow from the run's own history?`,
    facts: [
      "Whatever was edited counts from then on. It is recorded as accepted by you.",
      ...found.map((each) => `- ${each}`),
    ],
    whole: path,
  });
  if (!hasAnswered(context, message)) return { reply: { text: "", data: {} }, ask: { message } };
  const { caller, moment } = context;
  const by = { by: caller, strength: strengthOf(context) };
  const from = file.history.at(-1)?.to ?? file.state;
  const step = { event: EDIT_ACCEPTED, row: EDIT_ACCEPTED, from, to: file.state };
  // Where the chain was broken, it begins anew here.
  const history = [...(head === null ? [] : file.history), { time: moment.time, ...step, ...by, prev: head }];
  const next = {
    ...file,
    table_hash: loaded.hash,
    origin: { state: file.state, kept: file.kept, at: history.length },
    history,
    updated_at: moment.time,
  } as RunFile;
  const text = `${path} is taken as it is; its history goes on from there.`;
  const run = `${file.workflow}:${file.id}`;
  const summary = `an edit of its file was accepted: ${found.join("; ")}`;
  return {
    reply: { text, data: { status: "success", message: text } },
    changes: [{ type: "write", path, text: renderRun(next) }, anchorOf(next)],
    events: stamped(
      [runAdvanced({ run, machine: file.workflow, ...step }, { summary, strength: by.strength }, context)],
      context,
    ),
  };
}
