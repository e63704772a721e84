/** How a figure compares with the last commit's. */

const ALLOWED = 1.25;

/** `before`: undefined where it was not measured then. */
export function isRegression(before: number | undefined, now: number): boolean {
  return before !== undefined && !(now <= before * ALLOWED);
}

export function verdictOf(before: number | undefined, now: number): string {
  const shown = `${now.toFixed(2)} ×`.padStart(9);
  if (before === undefined) return `${shown}   new`;
  const change = Math.round((now / before - 1) * 100);
  const sign = change > 0 ? "+" : "";
  return `${shown}   was ${before.toFixed(2)} × (${sign}${change} %)${isRegression(before, now) ? "   SLOWER" : ""}`;
}
