/** One item's place as a row of numbers and back. */
import {
  type ItemOffsets,
  type KeyOffsets,
  type Row,
  type Style,
  WRITTEN_KEYS,
  type WrittenKey,
} from "./offsets.ts";

const STYLES: readonly Style[] = [
  "plain",
  "double",
  "single",
  "empty",
  "lines",
  "alias",
  "flow",
  "block",
  "fixed",
];
const NONE = -1;

/** Where a row's keys begin, how many numbers each has, and where in these each stands. */
export const ROW = {
  keys: 4,
  width: 7,
  key: 0,
  keyStart: 1,
  keyEnd: 2,
  start: 3,
  end: 4,
  style: 5,
  extra: 6,
};

export function packItem(id: string, { kind, indent, fixed, keys }: ItemOffsets): Row {
  const row = [id, kind === "step" ? 1 : 0, indent, fixed ?? 0];
  for (const name in keys) {
    const { keyStart, keyEnd, start, end, style, extra } = keys[name as WrittenKey] as KeyOffsets;
    const key = WRITTEN_KEYS.indexOf(name as WrittenKey);
    row.push(key, keyStart, keyEnd, start, end, STYLES.indexOf(style), extra ?? NONE);
  }
  return row;
}

export function unpackItem(row: Row): ItemOffsets {
  const [, step, indent, fixed] = row;
  const keys: ItemOffsets["keys"] = {};
  for (let at = ROW.keys; at < row.length; at += ROW.width) {
    const extra = row[at + ROW.extra] as number;
    keys[WRITTEN_KEYS[row[at + ROW.key] as number] as WrittenKey] = {
      keyStart: row[at + ROW.keyStart] as number,
      keyEnd: row[at + ROW.keyEnd] as number,
      start: row[at + ROW.start] as number,
      end: row[at + ROW.end] as number,
      style: styleOf(row[at + ROW.style] as number),
      ...(extra === NONE ? {} : { extra }),
    };
  }
  return {
    kind: step === 1 ? "step" : "task",
    indent: indent as number,
    ...(fixed === 0 ? {} : { fixed: fixed as string }),
    keys,
  };
}

export function styleOf(number: number): Style {
  return STYLES[number] as Style;
}
