/** Wraps text whose characters take one column each. Text in any script: `text-width.ts`, which loads slowly. */

/** Latin letters and the signs that Pawl prints, without escape sequences. */
const PLAIN = /^[ -~\u00a1-\u00ac\u00ae-\u02af\u2010-\u2027\u2190-\u21ff\u23ce\u2500-\u257f\u2713\u2717]*$/;

export const isPlain = (text: string): boolean => PLAIN.test(text);

export function wrapPlain(line: string, width: number): string[] {
  const [first = "", ...words] = line.split(/ (?=[^ ])/);
  const rows = [first];
  for (const word of words) {
    const row = `${rows.at(-1)} ${word}`;
    if (row.length <= width) rows[rows.length - 1] = row;
    else rows.push(word);
  }
  return rows.map((row, at) => (at === rows.length - 1 ? row : row.trimEnd()));
}

/** Where the rest of a wrapped line begins: below its indentation, its mark of a list, or a column in its first half. */
export function hangAt(line: string, isInFirstHalf: (start: string) => boolean): number {
  const gaps = [...line.matchAll(/^(?: +| *[-*+•] )(?=\S)|\S {2,}(?=\S)/g)];
  const ends = gaps.map(({ 0: gap, index }) => index + gap.length);
  return ends.findLast((end) => isInFirstHalf(line.slice(0, end))) ?? 0;
}

/** Each line of a text, wrapped and hung as `wrapHanging` does; lines in other scripts stay as they are. */
export function fitPlain(text: string, width: number): string {
  const fit = (line: string) => {
    if (line.length <= width || !isPlain(line)) return line;
    const at = hangAt(line, (start) => start.length <= width / 2);
    const rows = wrapPlain(holdCommands(line.slice(at), width - at), width - at);
    return line.slice(0, at) + released(rows.join(`\n${" ".repeat(at)}`));
  };
  return text.split("\n").map(fit).join("\n");
}

/** Stands for a blank at which a line must not be wrapped: of one column, and in no text that Pawl shows. */
const HELD = "\ue0f0";

/** A command in backticks that fits a line stays on one, so that it can be copied. */
export function holdCommands(line: string, width: number): string {
  return line.replace(/`[^`]+`/g, (command) =>
    command.length <= width ? command.replaceAll(" ", HELD) : command,
  );
}

export const released = (line: string): string => line.replaceAll(HELD, " ");
