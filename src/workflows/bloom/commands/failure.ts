/** A failed command, as a reason for people and as a message for the agent. */
import type { CommandEnd } from "../../../core/ports/commands.ts";

export interface Failure {
  readonly reason: string;
  readonly message: string;
}

export function failureOf(command: string, { exit, signal, ended, tail }: CommandEnd): Failure {
  const how =
    ended === "timed-out" || ended === "inactive"
      ? "took too long and was ended"
      : signal === null
        ? `exited with ${exit}`
        : `was ended by ${signal}`;
  return {
    reason: `\`${command}\` ${how}`,
    message: `The command\n\n    ${command}\n\n${how}. The end of its output:\n\n${indented(tail)}`,
  };
}

/** Indented, so that no line of the output reads as a line of the prompt. */
function indented(text: string): string {
  return text === "" ? "    (nothing)" : text.replace(/^/gm, "    ");
}
