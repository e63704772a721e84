/** What git says below each reason why a remote cannot be reached. */
const ALWAYS =
  /^(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.)$/;

/** The last lines of git's error output. */
export function reasonOf(errors: string): string {
  const lines = errors.split("\n").filter((line) => line.trim() !== "" && !ALWAYS.test(line.trim()));
  return lines.slice(-3).join(" / ").trim().slice(0, 500) || "git gave no reason";
}

/** The answer of a call that never throws. */
export function unavailable(thrown: unknown) {
  return { kind: "unavailable", reason: thrown instanceof Error ? thrown.message : String(thrown) } as const;
}
