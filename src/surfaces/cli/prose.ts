import { widthOf, wrap } from "./terminal.ts";

const FENCE = /^\s*(`{3,}|~{3,})/;
/** A list's mark, a box too, with what stands before it; or the indent alone. */
const LEAD = /^\s*(?:(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?)?/;
/** What is not made of words: a table's row, and code by its indent. */
const FIXED = /^(?:\s*\||\t| {4,}(?![-*+•]\s|\d+[.)]\s))/;

/** Prose with its long lines broken between words: a list's under its text, code and tables as they are. */
export function wrapProse(text: string, columns: number): string {
  let fence: string | null = null;
  const lines = text.split("\n").flatMap((line) => {
    const [, mark = ""] = FENCE.exec(line) ?? [];
    const isInside = fence !== null;
    if (fence === null) fence = mark || null;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = null;
    if (isInside || mark !== "" || widthOf(line) <= columns || FIXED.test(line)) return [line];
    const lead = LEAD.exec(line)?.[0] ?? "";
    return wrap(line.slice(lead.length), columns - lead.length).map(
      (each, at) => `${at === 0 ? lead : " ".repeat(lead.length)}${each}`,
    );
  });
  return lines.join("\n");
}
