/** A long text in pieces of which few change: putting it together again costs what changed, and one copy. */

/** `whole` has the pieces `before` from `start` on; this is the text that has those of `after` there, one for one. */
export function withPieces(
  whole: string,
  start: number,
  before: readonly string[],
  after: readonly string[],
): string {
  const parts: string[] = [];
  let kept = 0;
  let at = start;
  before.forEach((piece, index) => {
    const end = at + piece.length;
    const fresh = after[index] ?? "";
    if (fresh !== piece) {
      parts.push(whole.slice(kept, at), fresh);
      kept = end;
    }
    at = end;
  });
  return [...parts, whole.slice(kept)].join("");
}
