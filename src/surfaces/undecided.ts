/** Replies to an assistant whose call needs a person's decision. */

/**
 * The commands by which a person answers, as part of a sentence. `command`: the one for this very question.
 */
export function answerCommands(run: string, command: string | undefined): string {
  return command ? `\`${command}\`` : `\`pawl approve ${run}\` or \`pawl reject ${run} --notes "…"\``;
}

/** `why`: why they cannot be asked here. */
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
