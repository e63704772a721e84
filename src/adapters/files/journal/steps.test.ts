/** Which steps of a journal count: those that Pawl writes, and no others. */
import { describe, expect, test } from "vitest";
import { bytesOf, contentOf, parseSteps } from "./steps.ts";

const HASH = "0123456789abcdef".repeat(4);
const PUT = { type: "put", path: "a", before: null, after: HASH, text: "new\n" };
const DROP = { type: "drop", path: "a", before: HASH };
const APPEND = { type: "append", path: "a", id: "1", offset: 0, text: "one\n" };
const KNOWN = { type: "known", path: "a", hash: HASH };

const parse = (steps: unknown) => parseSteps(JSON.stringify({ steps }));
const SHAPE = { fault: "the step about a is not one that Pawl writes" };

describe("steps that Pawl writes", () => {
  test.each<readonly [string, object]>([
    ["a file that is made", PUT],
    ["an empty one", { ...PUT, text: "" }],
    ["one that is replaced", { ...PUT, before: HASH }],
    ["bytes that are no text", { type: "put", path: "a", before: null, after: HASH, base64: "/w==" }],
    ["one with permissions", { ...PUT, mode: 0o755 }],
    ["one without any", { ...PUT, mode: 0 }],
    ["one with all", { ...PUT, mode: 0o777 }],
    ["one that can be made anew", { ...PUT, redo: { editor: "lines", edits: ["two", 2, null] } }],
    ["one that was", { ...PUT, redone: true }],
    ["a file that is removed", DROP],
    ["one that was not there", { ...DROP, before: null }],
    ["a line", APPEND],
    ["one behind much", { ...APPEND, offset: Number.MAX_SAFE_INTEGER }],
    ["an empty one", { ...APPEND, text: "" }],
    ["a person's text that is known", KNOWN],
    ["one in a folder, of which somebody knows more", { ...PUT, path: "docs/a b/ä.md", more: 1 }],
  ])("are taken as they are: %s", (_, step) => {
    expect(parse([step])).toEqual([step]);
    expect(parse([KNOWN, step, DROP])).toEqual([KNOWN, step, DROP]);
  });

  test("can be none", () => {
    expect(parse([])).toEqual([]);
  });
});

describe("a body that is none", () => {
  test.each<readonly [string, string]>([
    ["", "it is not valid JSON"],
    ['{"steps":[', "it is not valid JSON"],
    ["null", "it has no list of steps"],
    ["7", "it has no list of steps"],
    ["[]", "it has no list of steps"],
    ['[{"steps":[]}]', "it has no list of steps"],
    ["{}", "it has no list of steps"],
    ['{"steps":{}}', "it has no list of steps"],
    ['{"steps":"[]"}', "it has no list of steps"],
    ['{"steps":[null]}', "a step is not an object"],
    ['{"steps":["put"]}', "a step is not an object"],
    ['{"steps":[[]]}', "a step is not an object"],
    ['{"steps":[{}]}', "a step names no path"],
    ['{"steps":[{"type":"drop","path":7,"before":null}]}', "a step names no path"],
  ])("%s: %s", (body, fault) => {
    expect(parseSteps(body)).toEqual({ fault });
  });

  test("is refused for any of its steps", () => {
    expect(parse([PUT, DROP, { ...APPEND, offset: -1 }])).toEqual(SHAPE);
    expect(parse([{ ...APPEND, offset: -1 }, PUT])).toEqual(SHAPE);
  });
});

describe("a path", () => {
  test.each(["../a", "/a", "a/../../b", "./a", "a//b", "", "a\0b"])(
    "outside of the project is refused: %j",
    (path) => {
      const { fault } = parse([{ ...DROP, path }]) as { readonly fault: string };
      expect(fault.startsWith(`the path ${JSON.stringify(path)} cannot be used: `)).toBe(true);
    },
  );

  test.each([".pawl/journal", ".pawl/locks/x", ".PAWL/Journal", "a/.b.pawl-tmp"])(
    "of the store's own is refused: %s",
    (path) => {
      expect(parse([{ ...DROP, path }])).toEqual({
        fault: `the path "${path}" cannot be used: it is reserved for the store`,
      });
    },
  );

  test("that is long is shown by its beginning", () => {
    const { fault } = parse([{ ...DROP, path: `../${"x".repeat(1000)}` }]) as { readonly fault: string };
    expect(fault.split('"')[1]).toBe(`../${"x".repeat(197)}`);
  });
});

const OTHER_HASHES: readonly (readonly [unknown])[] = [
  [HASH.slice(1)],
  [`${HASH}0`],
  [HASH.toUpperCase()],
  [`g${HASH.slice(1)}`],
  [""],
  [7],
  [undefined],
  [[HASH]],
];

describe("a step of another shape is refused", () => {
  test.each<readonly [unknown]>([[undefined], [null], ["write"], ["PUT"], [1], [["put"]]])(
    "of a type that there is not: %j",
    (type) => {
      expect(parse([{ ...PUT, ...APPEND, ...KNOWN, before: null, type }])).toEqual(SHAPE);
    },
  );

  test.each(OTHER_HASHES)("if a hash is none: %j", (hash) => {
    expect(parse([{ ...PUT, before: hash }])).toEqual(SHAPE);
    expect(parse([{ ...PUT, after: hash }])).toEqual(SHAPE);
    expect(parse([{ ...DROP, before: hash }])).toEqual(SHAPE);
    expect(parse([{ ...KNOWN, hash }])).toEqual(SHAPE);
  });

  test("if there must be one, also if it is null", () => {
    expect(parse([{ ...PUT, after: null }])).toEqual(SHAPE);
    expect(parse([{ ...KNOWN, hash: null }])).toEqual(SHAPE);
  });

  test.each<readonly [string, object]>([
    ["without a content", { text: undefined }],
    ["with a text that is none", { text: 7 }],
    ["with a null for a text", { text: null }],
    ["with bytes that are none", { text: undefined, base64: 7 }],
    ["with a null for bytes", { text: undefined, base64: null }],
    ["with two contents", { base64: "/w==" }],
    ["with more than permissions", { mode: 0o1000 }],
    ["with a setuid bit", { mode: 0o4755 }],
    ["with permissions below nothing", { mode: -1 }],
    ["with half a permission", { mode: 0.5 }],
    ["with permissions that are no number", { mode: "755" }],
    ["with a null for permissions", { mode: null }],
    ["with a redo that is none", { redo: "lines" }],
    ["with a null for a redo", { redo: null }],
    ["with a list for a redo", { redo: [] }],
    ["without an editor", { redo: { edits: [] } }],
    ["with an editor that is none", { redo: { editor: 7, edits: [] } }],
    ["without edits", { redo: { editor: "lines" } }],
    ["with edits that are no list", { redo: { editor: "lines", edits: {} } }],
    ["that is said not to be made anew", { redone: false }],
    ["that is made anew in another way", { redone: 1 }],
  ])("a file %s", (_, more) => {
    expect(parse([{ ...PUT, ...more }])).toEqual(SHAPE);
  });

  test.each<readonly [string, object]>([
    ["without an id", { id: undefined }],
    ["with an empty id", { id: "" }],
    ["with an id that is none", { id: 7 }],
    ["without a place", { offset: undefined }],
    ["with a place before the file", { offset: -1 }],
    ["with half a place", { offset: 0.5 }],
    ["with a place beyond all", { offset: 2 ** 53 }],
    ["with a place in words", { offset: "0" }],
    ["without a text", { text: undefined }],
    ["with a text that is none", { text: 7 }],
  ])("a line %s", (_, more) => {
    expect(parse([{ ...APPEND, ...more }])).toEqual(SHAPE);
  });
});

describe("the content of a file", () => {
  test("is kept as text if it is text, else in base64, and comes back as it was", () => {
    const [text, other] = [Buffer.from("é\n"), Buffer.from([0xff, 0xfe, 0])];
    expect([text, other].map(contentOf)).toEqual([{ text: "é\n" }, { base64: "//4A" }]);
    for (const bytes of [text, other, Buffer.of()])
      expect(Buffer.from(bytesOf(contentOf(bytes)))).toEqual(bytes);
  });
});
