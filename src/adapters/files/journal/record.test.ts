import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { FIRST, type Head, parseJournal, parseUntrusted, renderRecord } from "./record.ts";
import type { Step } from "./steps.ts";

const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32).fill(8);
const HASH = "a".repeat(64);

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  text.map((content): Step => ({ type: "put", path: "a", before: null, after: HASH, text: content })),
  text.map((content): Step => ({ type: "append", path: "b", id: "i", offset: 3, text: content })),
);
const records = fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 4 });

const start = (epoch = 1, sequence = 0): Head => ({ epoch, sequence, mac: FIRST });

/** The bytes of each record. */
function render(all: readonly (readonly Step[])[], from: Head = start(), key = KEY): readonly Buffer[] {
  let at = from;
  return all.map((steps) => {
    const { bytes, head } = renderRecord(key, at, steps);
    at = head;
    return bytes;
  });
}

const journal = (...rest: Parameters<typeof render>) => Buffer.concat(render(...rest));
const parse = (bytes: Uint8Array, floor = 0, key: Uint8Array | null = KEY) =>
  parseJournal(bytes, { key, floor });
const drop = (path: string): Step => ({ type: "drop", path, before: HASH });

describe("the journal's records", () => {
  test("are read as they were written", () => {
    fc.assert(
      fc.property(records, (all) => {
        const parsed = parse(journal(all));
        expect(parsed.records.map(({ steps }) => steps)).toEqual(all);
        expect(parsed).toMatchObject({ goodLength: journal(all).length, stranded: [], foreign: null });
      }),
    );
  });

  test("cut anywhere, are those that were whole, and no damage", () => {
    fc.assert(
      fc.property(records, fc.nat(), (all, at) => {
        const bytes = journal(all);
        const length = at % bytes.length;
        const parsed = parse(bytes.subarray(0, length));
        const whole = parse(bytes).records.filter(({ end }) => end <= length);
        expect(parsed).toMatchObject({ records: whole, stranded: [], foreign: null });
      }),
    );
  });

  test("with one byte changed, lose that record only, and say so when others follow", () => {
    promise("commit.bad-journal");
    fc.assert(
      fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (all, at, change) => {
        const bytes = journal(all);
        const offset = at % bytes.length;
        bytes[offset] = (bytes[offset] ?? 0) ^ change;
        const good = parse(journal(all)).records;
        const hit = good.findIndex(({ end }) => end > offset);
        const parsed = parse(bytes);
        expect(parsed.records).toEqual(good.slice(0, hit));
        expect(parsed.stranded.map(({ steps }) => steps)).toEqual(all.slice(hit + 1));
      }),
    );
  });

  test("are found behind a record whose last line break is damaged", () => {
    const [first, second] = render([[], []]) as [Buffer, Buffer];
    first[first.length - 1] = 0x0b;
    const parsed = parse(Buffer.concat([first, second]));
    expect(parsed.records).toEqual([]);
    expect(parsed.stranded.map(({ sequence }) => sequence)).toEqual([2]);
  });

  test("of an earlier use of the same place are no damage, and not foreign", () => {
    const old = journal([[], [], []]);
    const fresh = journal([[drop("a")]], start(9, 9));
    const parsed = parse(Buffer.concat([fresh, old.subarray(fresh.length)]), 9);
    expect(parsed).toMatchObject({ records: { length: 1 }, stranded: [], foreign: null });
  });
});

describe("what stands behind the last record", () => {
  const [first, second] = render([[drop("a")], [drop("b")]]) as [Buffer, Buffer];

  test("is no damage if it was read before", () => {
    for (const again of [[first], [second], [first, second]])
      expect(parse(Buffer.concat([first, second, ...again]))).toMatchObject({ stranded: [], foreign: null });
  });

  test("is no damage if it is of an earlier journal, however many records that had", () => {
    const earlier = journal([[drop("c")]], start(1, 8));
    const now = journal([[drop("a")]], start(2, 0));
    expect(parse(Buffer.concat([now, earlier]))).toMatchObject({ stranded: [], foreign: null });
  });

  test("is damage if a record between them is missing, and each is counted once", () => {
    const [, , third] = render([[drop("a")], [drop("b")], [drop("c")]]) as Buffer[];
    const { records, stranded } = parse(Buffer.concat([first, third as Buffer, third as Buffer]));
    expect([records, stranded].map((all) => all.map(({ sequence }) => sequence))).toEqual([[1], [3]]);
  });

  test("is damage if it is the first of all, behind other bytes", () => {
    const { records, stranded } = parse(Buffer.concat([Buffer.from("x"), first]));
    expect([records, stranded].map((all) => all.map(({ sequence }) => sequence))).toEqual([[], [1]]);
  });
});

describe("records of others", () => {
  const own = render([[drop("a")], [drop("b")], [drop("c")]]) as [Buffer, Buffer, Buffer];

  test("made with another key are foreign, all of them or behind good ones", () => {
    const theirs = journal([[drop("x")], [drop("y")]], start(), OTHER_KEY);
    const foreign = { records: 2, reason: "another-key" };
    expect(parse(theirs)).toMatchObject({ records: [], goodLength: 0, stranded: [], foreign });
    const behind = parse(Buffer.concat([...own, theirs]));
    expect(behind).toMatchObject({ records: { length: 3 }, stranded: [], foreign });
  });

  test("are all that there are, if the project has no key", () => {
    expect(parse(journal([[drop("a")]]), 0, null)).toMatchObject({
      records: [],
      foreign: { records: 1, reason: "another-key" },
    });
  });

  test("from an earlier journal of the same project are foreign", () => {
    promise("commit.chain");
    const earlier = journal([[drop("a")]], start(4));
    expect(parse(earlier, 4).records).toHaveLength(1);
    expect(parse(earlier, 5)).toMatchObject({ records: [], foreign: { records: 1, reason: "earlier" } });
  });

  test("cannot be made of own ones by leaving one out, by another order, or by mixing two journals", () => {
    promise("commit.chain");
    const [a, b, c] = own;
    const [, otherB] = render([[drop("other")], [drop("b")]]) as [Buffer, Buffer];
    for (const mixed of [[b], [a, c], [b, a], [a, c, b], [a, otherB], [a, a, b]]) {
      const parsed = parse(Buffer.concat(mixed));
      expect(parsed.records.length).toBeLessThan(mixed.length);
      expect(parsed.records.map(({ steps }) => steps)).toEqual(mixed[0] === a ? [[drop("a")]] : []);
    }
  });

  test.each([
    ["../outside", undefined],
    ["/etc/passwd", undefined],
    [".git/hooks/post-checkout", undefined],
    ["sub/.GIT/config", undefined],
    [".pawl/journal", undefined],
    [".PAWL/locks/project.lock", undefined],
    ["tool", 0o4755],
    ["tool", 0o10644],
    ["tool", -1],
  ])("that name %s with mode %s are never good, whatever their MAC", (path, mode) => {
    promise("commit.paths");
    const more = mode === undefined ? {} : { mode };
    const steps: Step[] = [{ type: "put", path, before: null, after: HASH, text: "x", ...more }];
    expect(parse(journal([steps]))).toMatchObject({
      records: [],
      foreign: { records: 1, reason: "unusable" },
    });
    expect(parseUntrusted(journal([steps]))).toEqual([null]);
  });

  test("are read in time that grows with their size, however many headers there are", () => {
    const header = `pawl-commit 2 1 1 999999 ${HASH} ${HASH} ${HASH}\n`;
    const bytes = Buffer.from(header.repeat((1024 * 1024) / header.length));
    const begun = process.cpuUsage();
    expect(parse(bytes)).toMatchObject({ records: [], stranded: [], foreign: null });
    const { user, system } = process.cpuUsage(begun);
    expect(user + system).toBeLessThan(2_000_000);
  });
});
