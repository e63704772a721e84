/** The changes of an edit, as readable lines. */

const CONTEXT_LINES = 3;
/** Differing lines beyond which the rest is shown as one stretch: finding the shortest edit costs their square. */
const MAX_EDITS = 1_000;

/** A unified diff; empty if the texts are equal. */
export function renderDiff(path: string, before: string | null, after: string): string {
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  const stretches = stretchesBetween(old, now);
  if (stretches.length === 0) return "";
  const head = [`--- ${before === null ? "/dev/null" : path}`, `+++ ${path}`];
  return [...head, ...hunksOf(stretches).flatMap((hunk) => renderHunk(hunk, old, now))].join("\n");
}

/** Lines `from` to `to` (exclusive) of the old text, and the lines of the new text that replace them. */
interface Stretch {
  readonly old: readonly [from: number, to: number];
  readonly now: readonly [from: number, to: number];
}

function stretchesBetween(old: readonly string[], now: readonly string[]): readonly Stretch[] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [was, is] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  if (was.length === 0 && is.length === 0) return [];
  return findStretches(was, is).map(({ now: [from, to], ...each }) => ({
    old: [each.old[0] + start, each.old[1] + start],
    now: [from + start, to + start],
  }));
}

/** Finds the shortest edit (Myers 1986, the greedy algorithm). */
function findStretches(old: readonly string[], now: readonly string[]): readonly Stretch[] {
  const traces: Int32Array[] = [];
  const size = Math.min(old.length + now.length, MAX_EDITS);
  const furthest = new Int32Array(2 * size + 3);
  const middle = size + 1;
  for (let edits = 0; edits <= size; edits++) {
    traces.push(furthest.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = middle + diagonal;
      const isDown =
        diagonal === -edits || (diagonal !== edits && reach(furthest, at - 1) < reach(furthest, at + 1));
      let x = isDown ? reach(furthest, at + 1) : reach(furthest, at - 1) + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      furthest[at] = x;
      if (x >= old.length && x - diagonal >= now.length)
        return traced(traces, middle, old.length, now.length);
    }
  }
  return [{ old: [0, old.length], now: [0, now.length] }];
}

const reach = (furthest: Int32Array, at: number): number => furthest[at] ?? 0;

/** Follows the traces from the end back to the start; neighbouring edits become one stretch. */
function traced(
  traces: readonly Int32Array[],
  middle: number,
  endOld: number,
  endNow: number,
): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let [x, y] = [endOld, endNow];
  for (let edits = traces.length - 1; edits > 0; edits--) {
    const furthest = traces[edits] as Int32Array;
    const diagonal = x - y;
    const at = middle + diagonal;
    const isDown =
      diagonal === -edits || (diagonal !== edits && reach(furthest, at - 1) < reach(furthest, at + 1));
    const beforeX = reach(furthest, isDown ? at + 1 : at - 1);
    const beforeY = beforeX - (isDown ? diagonal + 1 : diagonal - 1);
    const one: Stretch = {
      old: [beforeX, isDown ? beforeX : beforeX + 1],
      now: [beforeY, isDown ? beforeY + 1 : beforeY],
    };
    const last = stretches.at(-1);
    if (last && last.old[0] === one.old[1] && last.now[0] === one.now[1])
      stretches[stretches.length - 1] = { old: [one.old[0], last.old[1]], now: [one.now[0], last.now[1]] };
    else stretches.push(one);
    [x, y] = [beforeX, beforeY];
  }
  return stretches.reverse();
}

/** Stretches with few lines between them are shown as one. */
function hunksOf(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const hunks: Stretch[][] = [];
  for (const each of stretches) {
    const last = hunks.at(-1)?.at(-1);
    if (last && each.old[0] - last.old[1] <= 2 * CONTEXT_LINES) hunks.at(-1)?.push(each);
    else hunks.push([each]);
  }
  return hunks;
}

function renderHunk(
  hunk: readonly Stretch[],
  old: readonly string[],
  now: readonly string[],
): readonly string[] {
  const [first, last] = [hunk[0], hunk.at(-1)] as [Stretch, Stretch];
  const before = Math.min(CONTEXT_LINES, first.old[0]);
  const end = Math.min(old.length, last.old[1] + CONTEXT_LINES);
  // No `push(...lines)`: a call takes no more arguments than fit on the stack.
  const parts: (readonly string[])[] = [];
  let at = first.old[0] - before;
  const from = [at, first.now[0] - before] as const;
  for (const each of hunk) {
    parts.push(
      old.slice(at, each.old[0]).map((line) => ` ${line}`),
      old.slice(...each.old).map((line) => `-${line}`),
      now.slice(...each.now).map((line) => `+${line}`),
    );
    at = each.old[1];
  }
  parts.push(old.slice(at, end).map((line) => ` ${line}`));
  const body = parts.flat();
  const count = (mark: string) => body.filter((line) => !line.startsWith(mark)).length;
  const range = (start: number, lines: number) => `${lines === 0 ? start : start + 1},${lines}`;
  return [`@@ -${range(from[0], count("+"))} +${range(from[1], count("-"))} @@`, ...body];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
