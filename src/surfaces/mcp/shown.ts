/**
 * Which part of a tool's answer a client shows its model: from `shown.json`, which `test/agents/shown.ts`
 * generates with the real clients.
 */
import table from "./shown.json" with { type: "json" };

export type Part = "text" | "data" | "both";

export interface Shown {
  /** The client's own name in MCP. */
  readonly client: string;
  /** The oldest and the newest version that was tested. */
  readonly from: string;
  readonly to: string;
  readonly shows: Part;
}

export const SHOWN = table as readonly Shown[];

/**
 * The part in which the client's model reads an answer's text. An untested client or version may show either,
 * so it gets the text in both, which costs nothing if the model sees only one.
 */
export function partShown(name = "", version = "", rows = SHOWN): Part {
  const isOf = ({ client, from, to }: Shown) =>
    client === name && compareVersions(from, version) <= 0 && compareVersions(version, to) <= 0;
  return rows.find(isOf)?.shows ?? "both";
}

/**
 * Compares two releases: negative if the first is older. NaN, which is in no range, if one is not a plain
 * release.
 */
export function compareVersions(one: string, other: string): number {
  const [ours, theirs] = [one, other].map(numbersOf) as [number[], number[]];
  const length = Math.max(ours.length, theirs.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (ours[at] ?? 0) - (theirs[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  return /^\d+(\.\d+)*$/.test(version) ? version.split(".").map(Number) : [Number.NaN];
}
