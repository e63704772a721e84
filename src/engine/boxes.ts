import type { Box, FactValue } from "./workflow.ts";

/** A box as in a table's source, where a single value means a list of one. */
export type Given = Readonly<Record<string, FactValue | readonly FactValue[]>>;

export function boxesOf(given: Given | readonly Given[]): readonly Box[] {
  const boxOf = (each: Given): Box =>
    Object.fromEntries(Object.entries(each).map(([name, values]) => [name, [values].flat()]));
  return [given].flat().map(boxOf);
}
