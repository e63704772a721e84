/** The places as the cache keeps them: rows of numbers, since every cold command reads them all. */
import {
  type ItemPlace,
  type KeyPlace,
  type Places,
  type Style,
  WRITTEN_KEYS,
  type WrittenKey,
} from "./places.ts";

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
const WIDTH = 7;

/** Id, 1 for a step, indent, why it is fixed (or 0), then seven numbers per key. */
export type PackedPlaces = readonly (readonly (string | number)[])[];

export function packPlaces(places: Places): PackedPlaces {
  const rows: (string | number)[][] = [];
  for (const id in places) {
    const { kind, indent, fixed, keys } = places[id] as ItemPlace;
    const row = [id, kind === "step" ? 1 : 0, indent, fixed ?? 0];
    for (const name in keys) {
      const { keyStart, keyEnd, start, end, style, extra } = keys[name as WrittenKey] as KeyPlace;
      const key = WRITTEN_KEYS.indexOf(name as WrittenKey);
      row.push(key, keyStart, keyEnd, start, end, STYLES.indexOf(style), extra ?? NONE);
    }
    rows.push(row);
  }
  return rows;
}

export function unpackPlaces(rows: PackedPlaces): Places {
  const places: Places = Object.create(null);
  for (const row of rows) {
    const [id, step, indent, fixed] = row;
    const keys: ItemPlace["keys"] = {};
    for (let at = 4; at < row.length; at += WIDTH) {
      const extra = row[at + 6] as number;
      keys[WRITTEN_KEYS[row[at] as number] as WrittenKey] = {
        keyStart: row[at + 1] as number,
        keyEnd: row[at + 2] as number,
        start: row[at + 3] as number,
        end: row[at + 4] as number,
        style: STYLES[row[at + 5] as number] as Style,
        ...(extra === NONE ? {} : { extra }),
      };
    }
    places[id as string] = {
      kind: step === 1 ? "step" : "task",
      indent: indent as number,
      ...(fixed === 0 ? {} : { fixed: fixed as string }),
      keys,
    };
  }
  return places;
}
