/** `run:advanced`: the event of every move of a run, made here and nowhere else. */
import type { PawlEvent, ProjectEvent, RunAdvanced } from "../../core/event.ts";
import type { Strength } from "../../core/strength.ts";
import type { Context } from "./transaction.ts";

/**
 * The move that a `run:advanced` reports: by a rule of the run's table, or outside it (a run begins, a person
 * accepts an edit).
 */
export type AdvancedBy = Pick<RunAdvanced, "run" | "machine" | "event" | "row" | "from" | "to">;

export interface AdvancedWords {
  /** One line for a person. */
  readonly summary: string;
  /** Of a person's verdict. */
  readonly strength?: Strength | undefined;
}

export function runAdvanced(
  { event, from, machine, row, run, to }: AdvancedBy,
  { strength, summary }: AdvancedWords,
  { caller: by, trace }: Pick<Context, "caller" | "trace">,
): RunAdvanced {
  const worth = strength === undefined ? {} : { strength };
  const withTrace = trace === undefined ? {} : { trace };
  return { type: "run:advanced", run, machine, event, row, from, to, summary, by, ...worth, ...withTrace };
}

/** The events of one commit, each with its id and time. */
export function stamped(
  events: readonly ProjectEvent[],
  { now: { id, time } }: Pick<Context, "now">,
): readonly PawlEvent[] {
  return events.map((each, index) => ({ id: index === 0 ? id : `${id}-${index}`, time, ...each }));
}
