/**
 * Whether a check fails in the same way on a task's work as on the target alone. Only then is the target to
 * blame: a check of something that the task has yet to create fails on the target, too, but differently.
 * Pure.
 */
import { type CommandEnd, OWN_LINE } from "../../../core/ports/commands.ts";
import { withoutControls } from "../../../core/text/clean.ts";

export type FailedEnd = Pick<CommandEnd, "exit" | "signal" | "ended" | "tail"> & {
  /** The folder that it ran in, removed before comparison because it differs between the two. */
  readonly folder: string;
};

/** This share of the target's lines must occur in the output of the task's check. */
const SHARE = 0.8;
/** Fewer lines are too little evidence: then everything must be equal. */
const FEW_LINES = 3;

export function isSameFailure(taskEnd: FailedEnd, target: FailedEnd): boolean {
  const [printed, expected] = [linesOf(taskEnd), linesOf(target)];
  const shared = [...expected].filter((line) => printed.has(line)).length;
  if (expected.size >= FEW_LINES) return shared >= expected.size * SHARE;
  const endsEqual =
    taskEnd.exit === target.exit && taskEnd.signal === target.signal && taskEnd.ended === target.ended;
  return endsEqual && shared === expected.size && printed.size === expected.size;
}

/** Whether its output is long enough to be recognized: a test suite's is, that of `test -f` is not. */
export function saysMuch(end: FailedEnd): boolean {
  return linesOf(end).size >= FEW_LINES;
}

/** The meaningful lines, without Pawl's own, and without what differs from run to run: folders, numbers, hashes, times. */
function linesOf({ folder, tail }: FailedEnd): ReadonlySet<string> {
  const lines = withoutControls(tail.replaceAll(folder, ""))
    .split("\n")
    .map((line) =>
      line
        .replace(/\b[0-9a-f]{7,}\b/g, "#")
        .replace(/\d+/g, "#")
        .replace(/\s+/g, " ")
        .trim(),
    );
  return new Set(lines.filter((line) => /[\p{L}]/u.test(line) && !line.startsWith(OWN_LINE)));
}
