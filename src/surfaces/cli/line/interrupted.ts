import type { Answer } from "./command.ts";

/** How a command ends that runs until a signal ends it: Ctrl-C is 130 everywhere, as if the signal itself had ended it. */
export function endedBy(signal: NodeJS.Signals | null): Answer | undefined {
  return signal === "SIGINT" ? INTERRUPTED : undefined;
}

export const INTERRUPTED: Answer = { text: "", data: null, exit: 130, isPrinted: true };
