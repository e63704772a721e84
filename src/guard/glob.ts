/**
 * Matches a path against a glob: `*` and `?` stay within a segment, `**` crosses segments. Takes time at most
 * proportional to the product of both lengths, for any input.
 */
export function matchesGlob(path: string, glob: string): boolean {
  return segmentsMatch(path.split("/"), glob.replace(/^\.\//, "").split("/"));
}

/** Matches one segment: `*`, `?`, and sets in brackets, which match any single character. */
function segmentMatches(name: string, glob: string): boolean {
  return sequenceMatches([...name], tokensOf(glob), "*", (sign, token) => token === "?" || token === sign);
}

function segmentsMatch(path: readonly string[], glob: readonly string[]): boolean {
  return sequenceMatches(path, glob, "**", segmentMatches);
}

/**
 * Matches with one wildcard for any number of items: after a mismatch, only the last wildcard takes one more
 * item.
 */
function sequenceMatches(
  items: readonly string[],
  pattern: readonly string[],
  any: string,
  matches: (item: string, token: string) => boolean,
): boolean {
  let [at, next] = [0, 0];
  let retry: { at: number; next: number } | null = null;
  while (at < items.length) {
    const token = pattern[next];
    if (token === any) {
      retry = { at, next: next + 1 };
      next += 1;
    } else if (token !== undefined && matches(items[at] ?? "", token)) {
      at += 1;
      next += 1;
    } else if (retry) {
      retry = { at: retry.at + 1, next: retry.next };
      at = retry.at;
      next = retry.next;
    } else return false;
  }
  return pattern.slice(next).every((token) => token === any);
}

function tokensOf(glob: string): readonly string[] {
  return [...glob.replace(/\[[^\]]*\]/g, "?")];
}
