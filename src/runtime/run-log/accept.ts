/**
 * A person accepts a run's state file as it is, although it contradicts the run's log. The acceptance is
 * recorded, and the log continues from there.
 */
import type { View } from "../../core/ports/store.ts";
import type { Reply, StoryInput, Transaction } from "../transaction/transaction.ts";
import { acceptedEdit } from "./accept-edit.ts";
import { placeIn, type RunKind } from "./kind.ts";
import { brokenWords, isBroken, lastOf, loadLines, stateFaults } from "./read.ts";
import { logFaults } from "./replay.ts";
import { DamagedLog } from "./step.ts";

export interface EditedRun {
  readonly run: string;
  /** The log's last state; null: the log is unreadable. */
  readonly from: string | null;
  readonly text: string | null;
  readonly found: readonly string[];
}

/** Throws `no-effect` if there is nothing to accept. */
export function acceptEditOf(
  kind: RunKind,
  runOf: (id: string) => string,
): Transaction<StoryInput, EditedRun, undefined, Reply> {
  return {
    runs: kind,
    run: ({ id }) => runOf(id),
    read: (view, { id }) => loadEdited(view, kind, runOf(id)),
    propose({ found, from, run, text }, _, __, context) {
      const path = kind.pathOf(run);
      const { machine, state: to } = placeIn(kind, run, text ?? "");
      const summary = `an edit of ${path} was accepted`;
      const move = { run, machine, from: from ?? to, to };
      return acceptedEdit(
        { ...move, name: path, of: "run", found, summary },
        () => (text === null ? [] : [{ type: "write", path, text }]),
        context,
      );
    },
  };
}

async function loadEdited(view: View, kind: RunKind, run: string): Promise<EditedRun> {
  const text = await view.read(kind.pathOf(run));
  const last = await lastOf(view, run);
  if (text === null || isBroken(last)) {
    const found = text !== null && isBroken(last) ? [brokenWords(run, last)] : [];
    return { run, from: null, text, found };
  }
  const found = [...(await stateFaults(view, kind, run, text)), ...(await wholeLogFaults(view, kind, run))];
  return { run, from: last?.local.checkpoint.state ?? null, text, found };
}

/** The faults of the run's log, all of which is read. */
export async function wholeLogFaults(view: View, kind: RunKind, run: string): Promise<readonly string[]> {
  try {
    return logFaults(kind, await loadLines(view, run));
  } catch (thrown) {
    if (thrown instanceof DamagedLog) return [thrown.problem];
    throw thrown;
  }
}
