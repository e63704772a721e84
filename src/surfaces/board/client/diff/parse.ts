/** A unified diff of one file, as lines to show: one under the other, or side by side. */

export interface DiffLine {
  readonly kind: "hunk" | "same" | "added" | "removed" | "note";
  /** Its number in the file before; null: it is not in it. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** A row: in a unified view of one line, side by side of up to two. */
export interface DiffRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/** Never throws: what it does not know stands as a note. Lines before the first hunk are git's own and are left out. */
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

/** What was removed stands beside what came in its place. */
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
      // The next change begins where lines are removed after some were added.
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

/** For each removed line the added one in its place, and the other way round: their difference is shown within the line. */
export function partners(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, DiffLine> {
  const found = new Map<DiffLine, DiffLine>();
  for (const { left, right } of splitRows(lines)) {
    if (left?.kind !== "removed" || right?.kind !== "added") continue;
    found.set(left, right);
    found.set(right, left);
  }
  return found;
}

const MAX_COMPARED = 2_000;

const WORD = /[\p{L}\p{N}_$]/u;

/** A word is shown as another one, whatever letters both have. */
function splitsWord(text: string, other: string, at: number): boolean {
  const isIn = (letter: string | undefined) => letter !== undefined && WORD.test(letter);
  return isIn(text[at - 1]) && (isIn(text[at]) || isIn(other[at]));
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}

/** Where `text` differs from `other`, from and to; null: hardly anything is common, or nothing differs. */
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

/** The line of the file after it that a point on this line names, as places name lines of that file alone. */
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
