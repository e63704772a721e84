/** `F-1, F-2, F-3 and 17 more`: a list of names that may be long. */
export function fewOf(names: readonly string[], most = 3): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** The first of a list that may be long, and as the last how many more there are. */
export function firstFew(names: readonly string[], most: number): readonly string[] {
  const rest = names.length - most;
  return rest > 0 ? [...names.slice(0, most), `and ${rest} more`] : names;
}
