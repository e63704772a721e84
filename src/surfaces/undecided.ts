/** What an assistant hears whose call needs a person's word. */

/** The commands by which a person answers, as words in a sentence. `command`: the one that answers this very question. */
export function answerCommands(run: string, command: string | undefined): string {
  return command ? `\`${command}\`` : `\`pawl approve ${run}\` or \`pawl reject ${run} --notes "…"\``;
}

/** `why`: what cannot ask them. */
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
