/** Replies, in the same form for the command line and MCP. */
import type { Reply } from "../runtime/module.ts";

/** A reply as data. */
export function envelopeOf({ text, data, refused }: Reply): Readonly<Record<string, unknown>> {
  const { message = text, ...rest } = data;
  return { status: refused ? "error" : "success", message, ...rest };
}

/**
 * The commands by which a person answers, as part of a sentence. `command`: the one for this very question.
 */
export function answerCommands(run: string, command: string | undefined): string {
  return command ? `\`${command}\`` : `\`pawl approve ${run}\` or \`pawl reject ${run} --notes "…"\``;
}

/** The reply to an assistant whose call needs a person's decision. `why`: why they cannot be asked here. */
export function cannotAsk(
  run: string,
  why: string,
  commands: string,
): { readonly message: string; readonly fix: string } {
  return {
    message: `Only the human can give this verdict, and ${why}. Nothing was decided.`,
    fix: `Ask the human to run ${commands} in a terminal, then continue. \`pawl review ${run}\` shows them what to decide on, \`pawl board\` in a browser.`,
  };
}
