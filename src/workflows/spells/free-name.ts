/** The name, or with a counter where it is taken; names that differ in case only count as one. */
export function freeName(name: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((other) => other.toLowerCase()));
  for (let counter = 1; ; counter++) {
    const candidate = counter === 1 ? name : `${name}-${counter}`;
    if (!lower.has(candidate.toLowerCase())) return candidate;
  }
}
