/** A failed command, as a reason for people and as a message for the agent. */
import type { CommandEnd } from "../../../core/ports/commands.ts";
import { oneLine } from "../../../core/text/lines.ts";

export interface Failure {
  readonly reason: string;
  readonly message: string;
}

/** `criteria`: the acceptance criteria that the command checks. */
export function failureOf(command: string, end: CommandEnd, criteria: readonly string[] = []): Failure {
  const how = howItEnded(end);
  const message = `The command\n\n    ${command}\n\n${how}. The end of its output:\n\n${indented(end.tail)}`;
  const reason = `\`${command}\` ${how}`;
  if (criteria.length === 0) return { reason, message };
  const shown = criteria.map((text) => indented(text.trim())).join("\n\n");
  return {
    reason: `${reason}, so it does not show that ${JSON.stringify(oneLine(criteria[0] ?? ""))}`,
    message: `This acceptance criterion is not shown to be met:\n\n${shown}\n\n${message}`,
  };
}

function howItEnded({ empty, ended, exit, signal }: CommandEnd): string {
  if (ended === "timed-out" || ended === "inactive") return "took too long and was ended";
  if (signal !== null) return `was ended by ${signal}`;
  return empty ? `ran no test, and exited with ${exit}` : `exited with ${exit}`;
}

/** Indented, so that no line of the output reads as a line of the prompt. */
function indented(text: string): string {
  return text === "" ? "    (nothing)" : text.replace(/^/gm, "    ");
}
