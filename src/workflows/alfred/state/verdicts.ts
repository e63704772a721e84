/** What a state keeps of the verdicts and notes on a tool's run, and a verdict in one line. */
import type { FinishedRun, ReplayedRun } from "./state-file.ts";

export function toReplayedRun({
  accepted,
  verdicts,
}: Pick<FinishedRun, "accepted" | "verdicts">): ReplayedRun {
  return {
    accepted: Object.fromEntries(accepted.map(({ sha256, state }) => [state, sha256])),
    verdicts: verdicts.map(verdictWords),
  };
}

/**
 * The verdicts that a state keeps: the newest. A state does not grow with the number of verdicts; the log has
 * all of them.
 */
export function keptVerdicts<Verdict>(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.slice(-MAX_VERDICTS);
}

export const MAX_VERDICTS = 20;

/** The notes that a state keeps for its prompts: the newest. */
export function keptNotes<Note>(notes: readonly Note[]): readonly Note[] {
  return notes.slice(-MAX_NOTES);
}

const MAX_NOTES = 100;

type AnyVerdict = FinishedRun["verdicts"][number];

/** Whether the verdict is a person's, not the assistant's own. */
export function isPersonVerdict({ stage, strength }: Pick<AnyVerdict, "stage" | "strength">): boolean {
  return stage === "human" || strength !== undefined;
}

/** A verdict in one line: what it decides, on what, and by which channel. */
export function verdictWords({ approved, channel, sha256, stage, state, strength }: AnyVerdict): string {
  return [state, stage, approved ? "approved" : "rejected", sha256, channel, strength ?? "-"].join(" ");
}
