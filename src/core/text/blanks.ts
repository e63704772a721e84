/**
 * Trims blanks without regular expressions that rescan a long run from each of its characters: /[ \t]+$/
 * takes quadratic time if text follows the run.
 */

/** The text without blanks and tabs at the ends of its lines. */
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

/** At most one blank line in a row, none at the ends, and a line break. */
export function tidy(text: string): string {
  return `${text.replace(/\n{3,}/g, "\n\n").trim()}\n`;
}
