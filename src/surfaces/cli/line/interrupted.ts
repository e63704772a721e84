import type { Answer } from "./command.ts";

/**
 * The answer of a command that runs until a signal ends it: after Ctrl-C the exit code is 130, as if the
 * signal itself had killed it.
 */
export function endedBy(signal: NodeJS.Signals | null): Answer | undefined {
  return signal === "SIGINT" ? INTERRUPTED : undefined;
}

export const INTERRUPTED: Answer = { text: "", data: null, exit: 130, isPrinted: true };
