/**
 * Whether a check fails in the same way on a task's work as on the target alone. Only then is the target to blame: a check of
 * what the task has yet to make fails on the target too, but otherwise. Pure.
 */
import type { CommandEnd } from "../../../core/ports/commands.ts";

export type FailedEnd = Pick<CommandEnd, "exit" | "signal" | "ended" | "tail"> & {
  /** Where it ran: the same folder has another name elsewhere. */
  readonly folder: string;
};

/** So much of what the target prints must stand in what the task's work prints. */
const SHARE = 0.8;
/** Fewer lines say too little: then everything must be equal. */
const FEW_LINES = 3;

export function isSameFailure(own: FailedEnd, target: FailedEnd): boolean {
  const [printed, expected] = [linesOf(own), linesOf(target)];
  const found = [...expected].filter((line) => printed.has(line)).length;
  if (expected.size >= FEW_LINES) return found >= expected.size * SHARE;
  const endsEqual = own.exit === target.exit && own.signal === target.signal && own.ended === target.ended;
  return endsEqual && found === expected.size && printed.size === expected.size;
}

/** Whether it prints enough to be known again: a suite does, `test -f` does not. */
export function saysMuch(end: FailedEnd): boolean {
  return linesOf(end).size >= FEW_LINES;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
const COLOURS = /\u001b\[[0-9;]*m/g;

/** The lines that say something, without what differs from run to run: folders, numbers, hashes, times. */
function linesOf({ folder, tail }: FailedEnd): ReadonlySet<string> {
  const lines = tail
    .replaceAll(folder, "")
    .replace(COLOURS, "")
    .split("\n")
    .map((line) =>
      line
        .replace(/\b[0-9a-f]{7,}\b/g, "#")
        .replace(/\d+/g, "#")
        .replace(/\s+/g, " ")
        .trim(),
    );
  return new Set(lines.filter((line) => /[\p{L}]/u.test(line)));
}
