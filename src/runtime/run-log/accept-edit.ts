/**
 * A person accepts state files as they are, although they contradict the run's record. The acceptance is
 * recorded, and the history continues from there.
 */
import { PawlError } from "../../core/error.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { renderReview } from "../review/question.ts";
import { hasAnswered, strengthOf } from "../transaction/person.ts";
import { type AdvancedBy, runAdvanced, stamped } from "../transaction/run-advanced.ts";
import type { Context, Proposal, Reply, StateFiles, Transaction } from "../transaction/transaction.ts";
import { EDIT_ACCEPTED } from "./history.ts";
import { loadRecord, recordFaults } from "./record.ts";

export interface Accepting {
  readonly states: StateFiles;
  /** The run to lock. */
  readonly lock: string;
  /** The run's state files, whether or not they exist. */
  paths(id: string): readonly ProjectPath[];
}

export interface Edited {
  readonly run: string;
  /** The run's state according to its record. */
  readonly from: string;
  readonly files: readonly {
    readonly path: ProjectPath;
    readonly text: string;
    readonly found: readonly string[];
  }[];
}

export function acceptEditOf(of: Accepting): Transaction<{ readonly id: string }, Edited, undefined, Reply> {
  return {
    states: of.states,
    run: () => of.lock,
    read: (view, { id }) => readEdited(view, of, id),
    propose: (edited, _, __, context) => accept(edited, of.states, context),
  };
}

async function readEdited(view: View, { paths, states }: Accepting, id: string): Promise<Edited> {
  const files: Edited["files"][number][] = [];
  let run = id;
  for (const path of paths(id)) {
    const text = await view.read(path);
    run = states.runOf(path) ?? run;
    if (text !== null)
      files.push({ path, text, found: (await recordFaults(view, states, path, text)) ?? [] });
  }
  return { run, from: (await loadRecord(view, run))?.recordedState.state ?? "", files };
}

function accept({ files, from, run }: Edited, states: StateFiles, context: Context): Proposal<Reply> {
  const edited = files.filter(({ found }) => found.length > 0);
  const names = edited.map(({ path }) => path).join(" and ");
  const text = edited.at(-1)?.text ?? "";
  return acceptedEdit(
    {
      ...{ run, machine: states.table.name, from, to: states.configurationIn(text).state },
      name: names || `The state of ${run}`,
      of: "run",
      found: edited.flatMap((each) => each.found),
      summary: `an edit of ${names} was accepted`,
    },
    () => edited.map((each) => ({ type: "write", path: each.path, text: each.text })),
    context,
  );
}

/** A state that does not follow from its history, for a person's decision. */
export interface EditedState extends Pick<AdvancedBy, "from" | "machine" | "run" | "to"> {
  /** The file's name. */
  readonly name: string;
  /** The owner of the history. */
  readonly of: "run" | "task";
  /** Why it does not follow; empty: it does. */
  readonly found: readonly string[];
  /** The summary of the event. */
  readonly summary: string;
}

/**
 * Asks a person, then accepts the state as it is. `changes`: the changes of an acceptance. Throws
 * `no-effect`.
 */
export function acceptedEdit(
  { found, from, machine, name, of, run, summary: what, to }: EditedState,
  changes: () => readonly Change[],
  context: Context,
): Proposal<Reply> {
  if (found.length === 0)
    throw new PawlError("no-effect", `${name} follows from its history.`, "There is nothing to accept.");
  const message = renderReview({
    question: `Take ${name} as it is, though it does not follow from the ${of}'s own history?`,
    facts: [
      "Whatever was edited counts from then on, approvals that were never given too. It is recorded as accepted by you.",
      ...found.map((each) => `- ${each}`),
    ],
    whole: name,
  });
  if (!hasAnswered(context, message)) return { reply: { text: "", data: {} }, ask: { message } };
  const text = `${name} is taken as it is; its history goes on from there.`;
  const move = { run, machine, event: EDIT_ACCEPTED, row: EDIT_ACCEPTED, from, to };
  const words = { summary: `${what}: ${found.join("; ")}`, strength: strengthOf(context) };
  return {
    reply: { text, data: { status: "success", message: text } },
    changes: changes(),
    events: stamped([runAdvanced(move, words, context)], context),
  };
}
