/** Parses a unified diff of one file into lines to show, unified or side by side. */

export interface DiffLine {
  readonly kind: "hunk" | "same" | "added" | "removed" | "note";
  /** Its line number in the file before; null: the line is not in it. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** A row: one line in a unified view, up to two side by side. */
export interface DiffRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/**
 * Never throws: an unknown line becomes a note. Lines before the first hunk are git's own and are omitted.
 */
export function parseDiff(patch: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after, isInHunk] = [0, 0, false];
  for (const line of patch.split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      [before, after, isInHunk] = [Number(hunk[1]), Number(hunk[2]), true];
      lines.push({ kind: "hunk", before: null, after: null, text: hunk[3] ?? "" });
      continue;
    }
    if (!isInHunk) continue;
    const text = line.slice(1);
    const sign = line[0];
    if (sign === "+") lines.push({ kind: "added", before: null, after: after++, text });
    else if (sign === "-") lines.push({ kind: "removed", before: before++, after: null, text });
    else if (sign === " ") lines.push({ kind: "same", before: before++, after: after++, text });
    else if (sign === "\\") lines.push({ kind: "note", before: null, after: null, text: text.trim() });
  }
  return lines;
}

export function unifiedRows(lines: readonly DiffLine[]): readonly DiffRow[] {
  return lines.map((line) =>
    line.kind === "added"
      ? { left: null, right: line }
      : { left: line, right: line.kind === "same" ? line : null },
  );
}

/** Rows that pair removed lines with the added ones that replace them. */
export function splitRows(lines: readonly DiffLine[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [removed, added]: [DiffLine[], DiffLine[]] = [[], []];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ left: removed[at] ?? null, right: added[at] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      // A removed line after added ones begins the next change.
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      flush();
      rows.push({ left: line, right: line.kind === "same" ? line : null });
    }
  }
  flush();
  return rows;
}

/**
 * Pairs each removed line with the added one that replaces it, in both directions, to show the difference
 * within the line.
 */
export function partners(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, DiffLine> {
  const pairs = new Map<DiffLine, DiffLine>();
  for (const { left, right } of splitRows(lines)) {
    if (left?.kind !== "removed" || right?.kind !== "added") continue;
    pairs.set(left, right);
    pairs.set(right, left);
  }
  return pairs;
}

const MAX_COMPARED = 2_000;

/** A code unit of a word, or half of a character that takes two. */
const WORD = /[\p{L}\p{N}_$\uD800-\uDFFF]/u;

/** Whether the position is inside a word. A changed word is marked as a whole, even if letters are common. */
function splitsWord(text: string, other: string, at: number): boolean {
  const isIn = (letter: string | undefined) => letter !== undefined && WORD.test(letter);
  return isIn(text[at - 1]) && (isIn(text[at]) || isIn(other[at]));
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}

/**
 * The part of `text` that differs from `other`, as start and end; null: the texts are equal, too long, or
 * have little in common.
 */
export function changedPart(text: string, other: string): readonly [number, number] | null {
  if (text.length > MAX_COMPARED || other.length > MAX_COMPARED || text === other) return null;
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && text.at(-1 - end) === other.at(-1 - end)) end++;
  while (start > 0 && splitsWord(text, other, start)) start--;
  const [backward, otherBackward] = [reversed(text), reversed(other)];
  while (end > 0 && splitsWord(backward, otherBackward, end)) end--;
  const common = text.slice(0, start).trim().length + text.slice(text.length - end).trim().length;
  if (common < 4 || common * 3 < Math.max(text.length, other.length)) return null;
  return [start, text.length - end];
}

/**
 * The line number that a point on this line refers to: always in the file after the change, because places
 * name only lines of that file.
 */
export function lineToName(lines: readonly DiffLine[], line: DiffLine): number {
  if (line.after !== null) return line.after;
  const at = lines.indexOf(line);
  for (let back = at - 1; back >= 0; back--) {
    const { after, kind } = lines[back] ?? { after: null, kind: "hunk" };
    if (after !== null) return after;
    if (kind === "hunk") break;
  }
  return lines.slice(at).find(({ after }) => after !== null)?.after ?? 1;
}
