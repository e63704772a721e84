/** The longest run of backticks in a text. */
export function longestRun(text: string): number {
  let longest = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    run = text.charCodeAt(at) === 0x60 ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}

/** A fence that nothing in the text can close: longer than any run of backticks in it, and at least three. */
export function fenceFor(text: string): string {
  return "`".repeat(Math.max(3, longestRun(text) + 1));
}
