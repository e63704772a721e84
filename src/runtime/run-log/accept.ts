/**
 * A person accepts a run's state file as it is, although it contradicts the run's log. The acceptance is
 * recorded, and the log continues from there.
 */
import { PawlError } from "../../core/error.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { checkReachable } from "../../engine/reach.ts";
import { renderReview } from "../review/question.ts";
import { hasAnswered, strengthOf } from "../transaction/person.ts";
import { type AdvancedBy, runAdvanced, stamped } from "../transaction/run-advanced.ts";
import type { Context, Proposal, Reply, StoryInput, Transaction } from "../transaction/transaction.ts";
import { EDIT_ACCEPTED } from "./history.ts";
import { loadState, placeIn, type RunKind } from "./kind.ts";
import { recordedEnds } from "./log-records.ts";
import { brokenBy, brokenWords, isBroken, lastOfWhole, loadLines, stateFaults } from "./read.ts";
import { logFaults } from "./replay.ts";

export interface EditedRun {
  readonly run: string;
  /** The log's last state; null: the log is unreadable. */
  readonly from: string | null;
  readonly path: ProjectPath;
  /** Null: it has no state file. */
  readonly text: string | null;
  readonly found: readonly string[];
  /** The ends of the branches that others recorded: they no longer count. */
  readonly over: readonly string[];
}

/**
 * Throws `no-effect` if there is nothing to accept, and `run-unreachable` for a state that no run of the table
 * can be in.
 */
export function acceptEditOf(
  kind: RunKind,
  runOf: (id: string) => string,
): Transaction<StoryInput, EditedRun, undefined, Reply> {
  return {
    runs: kind,
    run: ({ id }) => runOf(id),
    read: (view, { id }) => loadEdited(view, kind, runOf(id)),
    propose({ found, from, over, path, run, text }, _, __, context) {
      const { machine, state: to, variables } = placeIn(kind, run, text ?? "");
      const table = kind.tableOf(machine);
      if (table && text !== null) checkReachable(table, { state: to, variables });
      const summary = `an edit of ${path} was accepted`;
      const move = { run, machine, from: from ?? to, to };
      const proposal = acceptedEdit(
        { ...move, name: path, found, summary },
        () => (text === null ? [] : [{ type: "write", path, text }]),
        context,
      );
      return over.length > 0 ? { ...proposal, logged: { over } } : proposal;
    },
  };
}

async function loadEdited(view: View, kind: RunKind, run: string): Promise<EditedRun> {
  const state = await loadState(view, kind, run);
  const over = kind.sharedIn ? await recordedEnds(view, run) : [];
  const of = { run, path: state?.path ?? kind.pathsOf(run)[0], text: state?.text ?? null, over };
  const last = await lastOfWhole(view, run);
  if (state === null || isBroken(last)) {
    const wordsOfBroken = state !== null && isBroken(last) ? [brokenWords(run, last)] : [];
    return { ...of, from: null, found: wordsOfBroken };
  }
  const faults = await stateFaults(view, kind, run, state);
  const allFaults = [...faults, ...(await wholeLogFaults(view, kind, run))];
  const others = allFaults.length > 0 && over.length > 0 ? ["what others recorded no longer counts"] : [];
  const found = [...allFaults, ...others];
  return { ...of, from: last?.local.checkpoint.state ?? null, found };
}

/** Reads the run's whole log, and returns its faults. */
export async function wholeLogFaults(view: View, kind: RunKind, run: string): Promise<readonly string[]> {
  try {
    return logFaults(kind, await loadLines(view, run));
  } catch (thrown) {
    return [brokenWords(run, brokenBy(thrown))];
  }
}

/** A state that does not follow from its history, for a person's decision. */
export interface EditedState extends Pick<AdvancedBy, "from" | "machine" | "run" | "to"> {
  /** The file's name. */
  readonly name: string;
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
  { found, from, machine, name, run, summary: what, to }: EditedState,
  changes: () => readonly Change[],
  context: Context,
): Proposal<Reply> {
  if (found.length === 0)
    throw new PawlError("no-effect", `${name} follows from its history.`, "There is nothing to accept.");
  const message = renderReview({
    question: `Take ${name} as it is, though it does not follow from the run's own history?`,
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
