/** The part of a diff that a comment concerns. */

interface HunkLine {
  readonly text: string;
  /** Its line number in the former file; null: the line was added. */
  readonly former: number | null;
  /** Null: the line was removed. */
  readonly present: number | null;
}

const CONTEXT = 4;
const MOST_LINES = 40;

/** The lines from `from` to `to`, and some before; the whole hunk if it does not contain them. */
export function cutHunk(hunk: string, from: number, to: number, isFormer: boolean): string {
  const lines = linesOf(hunk);
  const number = ({ former, present }: HunkLine) => (isFormer ? former : present);
  const first = lines.findIndex((line) => (number(line) ?? 0) >= from);
  const last = lines.findLastIndex((line) => (number(line) ?? Number.POSITIVE_INFINITY) <= to);
  const shown = first < 0 || last < first ? lines : lines.slice(Math.max(0, first - CONTEXT), last + 1);
  return shown
    .slice(-MOST_LINES)
    .map(({ text }) => text)
    .join("\n");
}

const SUGGESTION = /^ {0,3}(`{3,})suggestion(?::-(\d+)\+(\d+))?[ \t]*\n([\s\S]*?)^ {0,3}\1`*[ \t]*$/gm;

/**
 * The suggestions in a comment on these lines, as diffs. GitLab counts a suggestion's lines from the
 * commented one.
 */
export function suggestionsIn(text: string, hunk: string, from: number, to: number): readonly string[] {
  const lines = linesOf(hunk);
  return [...text.replace(/\r\n?/g, "\n").matchAll(SUGGESTION)].flatMap(([, , above, below, body = ""]) => {
    const first = above === undefined ? from : to - Number(above);
    const last = to + Number(below ?? 0);
    const replaced = lines.filter(({ present }) => present !== null && present >= first && present <= last);
    // Only if all replaced lines are known.
    if (replaced.length !== last - first + 1) return [];
    const suggested = body === "" ? [] : body.replace(/\n$/, "").split("\n");
    return [
      [...replaced.map((line) => `-${line.text.slice(1)}`), ...suggested.map((line) => `+${line}`)].join(
        "\n",
      ),
    ];
  });
}

function linesOf(hunk: string): readonly HunkLine[] {
  const [header = "", ...rest] = hunk.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
  const [, before, after] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
  let [former, present] = [Number(before), Number(after)];
  if (before === undefined) return [];
  return rest.flatMap((text): readonly HunkLine[] => {
    if (text.startsWith("\\")) return [];
    if (text.startsWith("+")) return [{ text, former: null, present: present++ }];
    if (text.startsWith("-")) return [{ text, former: former++, present: null }];
    return [{ text: text === "" ? " " : text, former: former++, present: present++ }];
  });
}
