/** Puts a text into a code fence that is longer than any inside it, so that nothing in it counts as ours. */
export function renderFenced(text: string, language = "text"): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  const body = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  return `${fence}${language}\n${body}\n${fence}`;
}
