import { distance } from "fastest-levenshtein";

/** Characters: a longer word is not a misspelled name. */
const MAX_LENGTH = 100;

/**
 * The word that was probably meant, or null if none is close. Close is a word in which at most a third of the
 * letters differ; failing that, the only word that shares a whole part with it (`feedback` and
 * `feedback_notes`).
 */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word.length > MAX_LENGTH) return null;
  const candidates = [...known];
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const steps = stepsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (steps < least) [best, least] = [candidate, steps];
  }
  if (best !== null && least <= Math.max(1, Math.ceil(Math.max(word.length, best.length) / 3))) return best;
  const parts = new Set(wordsOf(word));
  const sharing = candidates.filter((candidate) => wordsOf(candidate).some((part) => parts.has(part)));
  return sharing.length === 1 ? (sharing[0] ?? null) : null;
}

/**
 * The candidates most like the text, best first: at most three, without those that share almost nothing with
 * it.
 */
export function nearestFew(text: string, candidates: readonly string[]): readonly string[] {
  const limit = Math.max(2, Math.ceil(text.length / 2));
  return candidates
    .map((candidate) => ({ candidate, away: distance(text.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ away }) => away <= limit)
    .sort((a, b) => a.away - b.away || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Swapped letters count as one typo: `stauts` is nearer to `status` than to `stats`. */
function stepsBetween(word: string, candidate: string): number {
  const steps = distance(word, candidate);
  return steps > 1 && sorted(word) === sorted(candidate) ? steps - 1 : steps;
}

function sorted(word: string): string {
  return [...word].sort().join("");
}

/** `feedbackNotes`, `feedback_notes` → feedback, notes. Numbers are not words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((part) => part.length > 1);
}
