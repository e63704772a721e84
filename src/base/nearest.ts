import { distance } from "fastest-levenshtein";

/** The word that was probably meant, or null where none is near (more than a third of its letters differ). */
export function nearest(word: string, known: Iterable<string>): string | null {
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const steps = distance(word.toLowerCase(), candidate.toLowerCase());
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best !== null && least <= Math.max(1, Math.ceil(Math.max(word.length, best.length) / 3))
    ? best
    : null;
}
