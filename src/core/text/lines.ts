/**
 * The text without blanks and tabs at the ends of its lines. No regular expression, because /[ \t]+$/ takes
 * quadratic time if text follows a long run of blanks.
 */
export function trimLineEnds(text: string): string {
  return text.split("\n").map(trimBlanks).join("\n");
}

function trimBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(0, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The text without the line breaks at its end. */
export function trimLineBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--;
  return text.slice(0, end);
}

/** In one line: every run of blanks and line breaks is one blank. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** With a capital at its beginning. */
export function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** At most one blank line in a row, none at the ends, and a line break. */
export function tidy(text: string): string {
  return `${text.replace(/\n{3,}/g, "\n\n").trim()}\n`;
}

/** The last line of a text, without its line break; null: there is none. An unterminated line counts, too. */
export function lastLineOf(text: string | null): string | null {
  if (text === null || text === "") return null;
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  return text.slice(text.lastIndexOf("\n", end - 1) + 1, end);
}
