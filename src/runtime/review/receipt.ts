/** A verdict's result, for the person who gave it. */
import type { RunAdvanced } from "../../core/event.ts";
import { placeOfRecord } from "../../core/gate-record.ts";
import { type Strength, strengthWords } from "../../core/strength.ts";
import type { Proposal } from "../transaction/transaction.ts";

export interface Receipt {
  readonly run: string;
  readonly gate: string;
  readonly approved: boolean;
  /** ISO 8601 */
  readonly time: string;
  readonly by: string;
  readonly channel: string;
  readonly strength: Strength;
  /** Its strength, in words. */
  readonly worth: string;
  /** The sha-256 of the artifact; null: the work alone was judged. */
  readonly artifact: string | null;
  /** The judged tree or commit; null: none, or not known. */
  readonly work: string | null;
  /** The signed record; null: it is not signed. */
  readonly record: string | null;
}

/** Null: nothing was decided. */
export function receiptOf({ ask, changes = [], events = [], verdict }: Proposal<unknown>): Receipt | null {
  if (ask || !verdict || changes.length === 0) return null;
  const { approve, artifact, gate, judged = null, run, strength } = verdict;
  const moved = events.find(
    (event): event is RunAdvanced & typeof event => event.type === "run:advanced" && event.run === run,
  );
  if (!moved) return null;
  const { channel, who = channel } = moved.by;
  const record = changes.find(({ type, ...change }) => {
    const place = type === "write" && "path" in change ? placeOfRecord(change.path) : null;
    return place !== null && !place.isSignature;
  });
  return {
    ...{ run, gate, approved: approve, time: moved.time, by: who, channel, strength },
    ...{ worth: strengthWords(strength), artifact, work: judged },
    record: record && "path" in record ? record.path : null,
  };
}
