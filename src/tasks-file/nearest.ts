import { distance } from "fastest-levenshtein";

/** The candidates most like the text, best first: at most three, and none that shares next to nothing with it. */
export function nearest(text: string, candidates: readonly string[]): readonly string[] {
  const limit = Math.max(2, Math.ceil(text.length / 2));
  return candidates
    .map((candidate) => ({ candidate, away: distance(text.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ away }) => away <= limit)
    .sort((a, b) => a.away - b.away || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}
