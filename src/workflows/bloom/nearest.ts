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

/** Insertions, deletions and substitutions that lead from one text to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
