import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJournal, renderRecord, type Step } from "./record.ts";

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  text.map((content): Step => ({ type: "put", path: "a", before: null, after: "h", text: content })),
  text.map((content): Step => ({ type: "append", path: "b", id: "i", offset: 3, text: content })),
);
const records = fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 4 });

const journal = (all: readonly (readonly Step[])[], first = 1) =>
  Buffer.concat(all.map((steps, index) => renderRecord(first + index, steps)));

describe("the journal's records", () => {
  test("are read as they were written", () => {
    fc.assert(
      fc.property(records, (all) => {
        const parsed = parseJournal(journal(all));
        expect(parsed.records.map(({ steps }) => steps)).toEqual(all);
        expect(parsed.goodLength).toBe(journal(all).length);
        expect(parsed.stranded).toEqual([]);
      }),
    );
  });

  test("cut anywhere, are those that were whole, and no damage", () => {
    fc.assert(
      fc.property(records, fc.nat(), (all, at) => {
        const bytes = journal(all);
        const length = at % bytes.length;
        const parsed = parseJournal(bytes.subarray(0, length));
        const whole = parseJournal(bytes).records.filter(({ end }) => end <= length);
        expect(parsed.records).toEqual(whole);
        expect(parsed.stranded).toEqual([]);
      }),
    );
  });

  test("with one byte changed, lose that record only, and say so when others follow", () => {
    fc.assert(
      fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (all, at, change) => {
        const bytes = journal(all);
        const offset = at % bytes.length;
        bytes[offset] = (bytes[offset] ?? 0) ^ change;
        const good = parseJournal(journal(all)).records;
        const hit = good.findIndex(({ end }) => end > offset);
        const parsed = parseJournal(bytes);
        expect(parsed.records).toEqual(good.slice(0, hit));
        expect(parsed.stranded.map(({ steps }) => steps)).toEqual(all.slice(hit + 1));
      }),
    );
  });

  test("are found behind a record whose last line break is damaged", () => {
    const [first, second] = [renderRecord(1, []), renderRecord(2, [])];
    first[first.length - 1] = 0x0b;
    const parsed = parseJournal(Buffer.concat([first, second]));
    expect(parsed.records).toEqual([]);
    expect(parsed.stranded.map(({ sequence }) => sequence)).toEqual([2]);
  });

  test("of an earlier use of the same place are no damage", () => {
    const old = journal([[], [], []], 1);
    const fresh = renderRecord(9, [{ type: "drop", path: "a", before: "h" }]);
    const bytes = Buffer.concat([fresh, old.subarray(fresh.length)]);
    const parsed = parseJournal(bytes);
    expect(parsed.records).toHaveLength(1);
    expect(parsed.stranded).toEqual([]);
  });
});
