import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, withBytes } from "./content.ts";
import { hashOf } from "./hash.ts";
import { differenceOf, JournalTexts, openResolver } from "./spliced.ts";
import type { Put, Splice, Step, Written } from "./steps.ts";

const TASKS = "- {id: T, title: a task}\n".repeat(400);
const MAC = "m".repeat(64);

function put(before: string | null, text: string, more: Partial<Put> = {}): Put {
  const hash = before === null ? null : hashOf(before);
  const bytes = Buffer.from(text);
  return withBytes(
    { type: "put", path: "tasks.yaml", before: hash, after: hashOf(text), text, ...more },
    bytes,
  );
}

/** What a process that wrote the first put writes for the second one. */
function allShortened(first: Put, second: Put): readonly Written[] {
  const texts = new JournalTexts();
  texts.add({ mac: "0", length: 0 }, MAC, [first]);
  return texts.shorten({ mac: MAC, length: 1 }, [second]);
}

function shortened(first: Put, second: Put): Written | undefined {
  return allShortened(first, second)[0];
}

describe("the difference of two texts", () => {
  const letters = fc.constantFrom("a", "b", "é", "ĩ", "€", "😀", "\n");
  const some = fc.string({ unit: letters, maxLength: 30 });
  const long = fc.tuple(some, some, some).map(([one, two, three]) => `${one}${TASKS}${two}${TASKS}${three}`);
  const text = fc.oneof(some, long);
  test("makes the other of the one, cuts no letter, and is no longer than need be", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [first, second] = [Buffer.from(one), Buffer.from(other)];
        const { start, end, added } = differenceOf(first, second);
        const middle = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(added);
        expect(Buffer.concat([first.subarray(0, start), Buffer.from(middle), first.subarray(end)])).toEqual(
          second,
        );
        if (one === other) expect([end - start, added.length]).toEqual([0, 0]);
        expect(added[0] !== first[start] || added.length === 0 || start === end).toBe(true);
      }),
    );
  });

  test("is none of two that are the same", () => {
    const { start, end, added } = differenceOf(Buffer.from(TASKS), Buffer.from(TASKS));
    expect([end - start, added.length]).toEqual([0, 0]);
  });

  test("is where it is, in texts of many thousand letters", () => {
    const [one, other] = [`${TASKS}old${TASKS}`, `${TASKS}fresh${TASKS}`].map((each) => Buffer.from(each));
    const { start, end, added } = differenceOf(one as Buffer, other as Buffer);
    expect([start, end, Buffer.from(added).toString()]).toEqual([TASKS.length, TASKS.length + 3, "fresh"]);
  });

  test.each([
    ["é", "è"],
    ["aé", "aè"],
    ["éa", "èa"],
    ["€", "₭"],
    ["😀", "😁"],
    ["é", "ĩ"],
    ["aéb", "aĩb"],
    [TASKS, TASKS],
    [`x${TASKS}`, `y${TASKS}`],
    [`${TASKS}x`, `${TASKS}y`],
    [`x${TASKS}x`, `y${TASKS}y`],
    ["", "é"],
    ["é", ""],
    ["éé", "é"],
  ])("takes whole letters from %j to %j", (one, other) => {
    const { start, end, added } = differenceOf(Buffer.from(one), Buffer.from(other));
    const kept = [Buffer.from(one).subarray(0, start), added, Buffer.from(one).subarray(end)];
    expect(kept.map((part) => Buffer.from(part).toString()).join("")).toBe(other);
  });
});

describe("a long text that the journal has", () => {
  const [one, two] = [`${TASKS}one\n`, `${TASKS}two\n`];

  test("is written as what changes of it, with all that a put says besides", () => {
    const redo = { editor: "tasks", edits: [{ id: "T" }] };
    expect(shortened(put(null, one), put(one, two, { redo, mode: 0o600, redone: true }))).toEqual({
      ...{ type: "splice", path: "tasks.yaml", before: hashOf(one), after: hashOf(two) },
      ...{ start: TASKS.length, end: TASKS.length + 3, text: "two", redo, mode: 0o600, redone: true },
    });
  });

  test.each<readonly [string, Put, Put]>([
    ["is short", put(null, "one\n"), put("one\n", "two\n")],
    ["replaces another than the journal's", put(null, one), put(`${one}theirs\n`, two)],
    ["is new", put(null, one), put(null, two)],
    ["has little of the earlier one", put(null, one), put(one, `${TASKS}${"x".repeat(TASKS.length + 5)}`)],
    ["is another file's", put(null, one), put(one, two, { path: "other.yaml" })],
  ])("is written whole where it %s", (_, first, second) => {
    expect(shortened(first, second)).toBe(second);
  });

  test("is written as two changes where it differs at its beginning and at its end", () => {
    const [old, young] = [`{\n at: a,\n${TASKS}one\n}\n`, `{\n at: bee,\n${TASKS}one\ntwo\n}\n`];
    const between = `{\n at: bee,\n${TASKS}one\n}\n`;
    expect(allShortened(put(null, old), put(old, young, { mode: 0o600 }))).toEqual([
      {
        ...{ type: "splice", path: "tasks.yaml", before: hashOf(old), after: hashOf(between) },
        ...{ start: 7, end: 10, text: "bee,\n" },
      },
      {
        ...{ type: "splice", path: "tasks.yaml", before: hashOf(between), after: hashOf(young) },
        ...{ start: between.length - 2, end: between.length - 2, text: "two\n", mode: 0o600 },
      },
    ]);
  });

  test.each<readonly [string, string, Partial<Put>]>([
    ["is an edit that may be redone", "two\n", { redo: { editor: "tasks", edits: [] } }],
    ["is an edit that was redone", "two\n", { redone: true }],
    ["has too much of its own at its end", "x".repeat(TASKS.length + 20), {}],
  ])("is written whole where it differs at both and %s", (_, more, how) => {
    const [old, young] = [`a\n${TASKS}one\n`, `b\n${TASKS}one\n${more}`];
    const second = put(old, young, how);
    expect(allShortened(put(null, old), second)).toEqual([second]);
  });

  test("is what it was again, wherever it changes", () => {
    const part = fc.stringMatching(/^[aé€😀\n]{0,40}$/u);
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part, part), { minLength: 2, maxLength: 6 }), (versions) => {
        const texts = versions.map(([one, two, three]) => `${one}${TASKS}${two}${TASKS}${three}`);
        const known = new JournalTexts();
        const resolve = openResolver();
        texts.forEach((text, at) => {
          const next = put(texts[at - 1] ?? null, text);
          const end = { mac: String(at - 1), length: at };
          const record = known.shorten(end, [next]);
          known.add(end, String(at), [next]);
          const { missing, steps } = resolve(JSON.parse(JSON.stringify(record)));
          expect(missing).toEqual([]);
          expect(steps.at(-1)).toMatchObject({ type: "put", after: next.after, text });
          for (const step of steps) expect(hashOf((step as Put).text ?? "")).toBe((step as Put).after);
        });
      }),
      { numRuns: 200 },
    );
  });

  test("is written as it was where it is no text, and so is what is no put", () => {
    const base64 = Buffer.from([0xff, ...Buffer.from(TASKS)]).toString("base64");
    const binary: Put = { type: "put", path: "x", before: null, after: hashOf("x"), base64 };
    expect(shortened(binary, { ...binary, before: binary.after })).toHaveProperty("type", "put");
    const drop: Step = { type: "drop", path: "tasks.yaml", before: hashOf(one) };
    const texts = new JournalTexts();
    texts.add({ mac: "0", length: 0 }, MAC, [put(null, one)]);
    expect(texts.shorten({ mac: MAC, length: 1 }, [drop])).toEqual([drop]);
  });

  test("is worth keeping in the journal while the last record has it, or where it changes", () => {
    const texts = new JournalTexts();
    texts.add({ mac: "0", length: 0 }, "a", [put(null, one), put(null, "short", { path: "x" })]);
    expect(texts.worthKeeping).toBe(one.length);
    texts.add({ mac: "a", length: 1 }, "b", [put(null, `${one}x`, { path: "x" })]);
    expect(texts.worthKeeping).toBe(one.length + 1);
    texts.add({ mac: "b", length: 2 }, "c", [put(one, `${two}!`)]);
    expect(texts.worthKeeping).toBe(two.length + 1);
    texts.add({ mac: "c", length: 3 }, "d", [put(null, `${one}yy`, { path: "y" })]);
    expect(texts.worthKeeping).toBe(one.length + 2 + two.length + 1);
    texts.add({ mac: "d", length: 4 }, "e", [{ type: "drop", path: "tasks.yaml", before: hashOf(two) }]);
    expect(texts.worthKeeping).toBe(0);
    texts.add({ mac: "e", length: 5 }, "f", [{ type: "append", path: "z", id: "i", offset: 0, text: one }]);
    expect(texts.worthKeeping).toBe(0);
  });

  test("is written whole after five hundred changes, and a reader puts together a thousand splices", () => {
    const texts = new JournalTexts();
    const resolve = openResolver();
    const written: Written[] = [];
    let last = put(null, `${TASKS}0`);
    texts.add({ mac: "0", length: 0 }, "0", [last]);
    expect(resolve([last]).missing).toEqual([]);
    for (let n = 1; n <= 2100; n++) {
      const next = put(`${TASKS}${n - 1}`, `${TASKS}${n}`);
      const [record] = texts.shorten({ mac: String(n - 1), length: n }, [next]) as [Written];
      texts.add({ mac: String(n - 1), length: n }, String(n), [next]);
      expect(resolve([record])).toMatchObject({ steps: [{ after: next.after }], missing: [] });
      written.push(record);
      last = next;
    }
    expect(written.flatMap(({ type }, at) => (type === "put" ? [at + 1] : []))).toEqual([
      500, 1000, 1500, 2000,
    ]);
    const splice = written.at(-1) as Splice;
    const more = openResolver();
    more([put(null, `${TASKS}2100`)]);
    const same = { ...splice, before: last.after, after: last.after };
    const missing = Array.from({ length: 1001 }, () => more([same]).missing.length);
    expect([missing.indexOf(1), missing.length]).toEqual([1000, 1001]);
  });

  test("is not known once the journal is empty", () => {
    const texts = new JournalTexts();
    texts.add({ mac: "0", length: 0 }, MAC, [put(null, one)]);
    texts.clear();
    const second = put(one, two);
    expect([texts.worthKeeping, texts.shorten({ mac: MAC, length: 1 }, [second])]).toEqual([0, [second]]);
  });

  test.each([
    ["at the beginning of a journal", { mac: "a", length: 0 }],
    ["behind another process's record", { mac: "b", length: 1 }],
  ])("is not known %s, nor what it was before", (_, at) => {
    const texts = new JournalTexts();
    texts.add({ mac: "0", length: 0 }, "a", [put(null, one)]);
    const second = put(one, two);
    expect(texts.shorten(at, [second])).toEqual([second]);
    texts.add(at, "c", [put(null, "x", { path: "x" })]);
    expect(texts.shorten({ mac: "c", length: 3 }, [second])).toEqual([second]);
  });
});

describe("the steps of records", () => {
  const [one, two, three] = [`${TASKS}one\n`, `${TASKS}two\n`, `${TASKS}three\n`];
  const first = put(null, one);
  const second = shortened(first, put(one, two, { mode: 0o600 })) as Splice;
  const third = shortened(put(one, two), put(two, three)) as Splice;

  test("have the whole text again, whichever is asked for first", () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
      [2, 0, 1],
      [1, 1, 2],
    ]) {
      const resolve = openResolver();
      const steps = [[first], [second], [third]].flatMap((record) => resolve(record).steps);
      for (const at of order) expect((steps[at] as Put).text).toBe([one, two, three][at]);
      expect(Buffer.from(bytesOf(steps[2] as Put)).toString()).toBe(three);
    }
  });

  test("are as they were given", () => {
    const resolve = openResolver();
    const { steps, missing } = resolve([first, { ...second }]);
    expect(missing).toEqual([]);
    expect(JSON.parse(JSON.stringify(steps))).toEqual(
      [first, put(one, two, { mode: 0o600 })].map((each) => ({ ...each })),
    );
    const drop: Step = { type: "drop", path: "x", before: null };
    expect(resolve([drop]).steps).toEqual([drop]);
  });

  test("lack a text whose base no record has, and all that builds on it", () => {
    const resolve = openResolver();
    const other = put(null, "x", { path: "x" });
    expect(resolve([second, other])).toEqual({ steps: [other], missing: ["tasks.yaml"] });
    expect(resolve([third])).toEqual({ steps: [], missing: ["tasks.yaml"] });
    expect(resolve([first]).missing).toEqual([]);
    expect(resolve([third]).missing).toEqual(["tasks.yaml"]);
    expect(resolve([first]).missing).toEqual([]);
    expect((resolve([second]).steps[0] as Put).text).toBe(two);
  });

  test.each([
    ["before", 0, true],
    ["between", 1, true],
    ["after", 2, true],
    ["none of these", 3, false],
  ])("of two changes have the last text where the file is as %s", (_, which, isTold) => {
    const [old, between, young] = [`a\n${TASKS}1`, `b\n${TASKS}1`, `b\n${TASKS}2`] as const;
    const bytes = Buffer.from([old, between, young, "else"][which] ?? "");
    const record = allShortened(put(null, old), put(old, young));
    expect(record.map(({ type }) => type)).toEqual(["splice", "splice"]);
    const { missing, steps } = openResolver(() => ({ bytes, hash: hashOf(bytes) }))(record);
    expect(missing).toEqual(isTold ? [] : ["tasks.yaml"]);
    expect(steps.slice(-1).map((step) => (step as Put).text)).toEqual(isTold ? [young] : []);
  });

  test("of two changes are all missing where nothing has their base", () => {
    const [old, young] = [`a\n${TASKS}1`, `b\n${TASKS}2`];
    const record = allShortened(put(null, old), put(old, young));
    expect(openResolver()(record)).toEqual({ steps: [], missing: ["tasks.yaml"] });
  });

  test.each([
    ["before", two, [three]],
    ["after", three, [three]],
    ["neither before nor after", one, []],
  ])("have it where the file is as %s", (_, text, expected) => {
    const bytes = Buffer.from(text);
    const resolve = openResolver((path) => (path === "tasks.yaml" ? { bytes, hash: hashOf(bytes) } : null));
    expect(resolve([third]).steps.map((step) => (step as Put).text)).toEqual(expected);
  });
});
