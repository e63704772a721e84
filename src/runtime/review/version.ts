/**
 * Identifies what a verdict is about, so that two people, or two windows, never decide on different versions.
 */
import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import { loginWords } from "../../core/strength.ts";
import type { Step } from "../run-log/step.ts";

/** Everything that identifies what is judged. */
export interface Judged {
  readonly run: string;
  readonly gate: string;
  /** The state of its table, or the part of the run that is under review. */
  readonly state: string;
  readonly round: number;
  /** The sha-256 of the artifact; null: the work alone is judged. */
  readonly artifact: string | null;
  /** The tree or commit; null: none is judged, or it is not known. */
  readonly work: string | null;
  /** When it was handed in, or the number of steps before: a repeated hand-in is another version. */
  readonly at: string;
}

export function versionOf({ artifact, at, gate, round, run, state, work }: Judged): string {
  return hashOf(canonical({ artifact, at, gate, round, run, state, work }));
}

/**
 * A sentence, after a blank, that says who decided last; empty: nobody did. `logins`: the database's logins, by the
 * verdict's time.
 */
export function decidedWords(steps: readonly Step[], logins?: ReadonlyMap<string, string>): string {
  const last = steps.findLast(({ strength }) => strength !== undefined);
  if (last === undefined) return "";
  const { by, event, time } = last;
  return ` ${by.who ?? "A person"}${loginWords(logins?.get(time))} has decided already: ${event ?? last.kind}, ${time}.`;
}

/** `present`: null if the run waits for no verdict. Throws `review-changed`. */
export function checkVersion(run: string, read: string | undefined, present: string | null): void {
  if (read === undefined || read === present) return;
  throw new PawlError(
    "review-changed",
    present === null
      ? `The review of ${run} that you read is over: nothing of it waits for a verdict any more. Nothing was changed.`
      : `The review of ${run} that you read is not the present one: what is judged, or the work itself, has changed since. Nothing was changed.`,
    `\`pawl review ${run}\` shows what waits now.`,
  );
}
