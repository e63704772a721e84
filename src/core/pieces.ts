/**
 * Long texts in pieces of which few change: putting one together again costs what changed, and one copy; and whoever gets such a
 * text back need not cut it anew.
 */

export interface Laid {
  readonly text: string;
  /** In order, they are the text. */
  readonly pieces: readonly string[];
}

/** Those of the texts that were put together last. More are not under way at the same time. */
const lately: Laid[] = [];
const MOST_KEPT = 3;

/** `near`: an earlier text whose pieces stand for these, one for one; null: none is known. */
export function putTogether(pieces: readonly string[], near: Laid | null): string {
  const same = lately.find((laid) => isSame(laid.pieces, pieces));
  if (same) return same.text;
  const isNear = near !== null && near.pieces.length === pieces.length;
  const text = isNear ? changed(near, pieces) : pieces.join("");
  lately.unshift({ text, pieces });
  lately.length = Math.min(lately.length, MOST_KEPT);
  return text;
}

/** The pieces of a text that was put together lately; null: it was not. */
export function piecesOf(text: string): readonly string[] | null {
  return lately.find((laid) => laid.text === text)?.pieces ?? null;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  // What has no length can be a piece or not.
  const [ofOne, ofOther] = [one, other].map((pieces) => pieces.length - (pieces.at(-1) === "" ? 1 : 0));
  if (ofOne !== ofOther) return false;
  for (let at = 0; at < (ofOne ?? 0); at++) if (one[at] !== other[at]) return false;
  return true;
}

function changed({ text, pieces: before }: Laid, after: readonly string[]): string {
  const parts: string[] = [];
  let kept = 0;
  let at = 0;
  for (let index = 0; index < before.length; index++) {
    const piece = before[index] as string;
    const fresh = after[index] as string;
    const end = at + piece.length;
    if (fresh !== piece) {
      parts.push(text.slice(kept, at), fresh);
      kept = end;
    }
    at = end;
  }
  return parts.length === 0 ? text : [...parts, text.slice(kept)].join("");
}
