/** The last line of git's error output. */
export function reasonOf(errors: string): string {
  const lines = errors
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.slice(-3).join(" / ").slice(0, 500) || "git gave no reason";
}

/** The answer of a call that never throws. */
export function unavailable(thrown: unknown) {
  return { kind: "unavailable", reason: thrown instanceof Error ? thrown.message : String(thrown) } as const;
}
