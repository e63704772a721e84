/** The last line of a text, without its line break; null: there is none. An unterminated line counts, too. */
export function lastLineOf(text: string | null): string | null {
  if (text === null || text === "") return null;
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  return text.slice(text.lastIndexOf("\n", end - 1) + 1, end);
}
