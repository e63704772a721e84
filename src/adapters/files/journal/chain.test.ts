import { describe, expect, it } from "vitest";
import { hashOf } from "../../../core/hash.ts";
import { aimOf, chainsOf, isAccounted, isPieceOf, redosOf } from "./chain.ts";
import type { Append, Drop, KnownText, Put, Step } from "./steps.ts";

const path = "a";
const hash = (text: string) => hashOf(Buffer.from(text));
const hashOr = (text: string | null) => (text === null ? null : hash(text));
const put = (before: string | null, text: string, more: Partial<Put> = {}): Put => ({
  type: "put",
  path,
  before: hashOr(before),
  after: hash(text),
  text,
  ...more,
});
const drop = (before: string): Drop => ({ type: "drop", path, before: hash(before) });
const append = (offset: number, text: string): Append => ({ type: "append", path, id: "e", offset, text });
const known = (text: string): KnownText => ({ type: "known", path, hash: hash(text) });
const edit = (editor: string, ...edits: readonly unknown[]) => ({ redo: { editor, edits } });

describe("the steps of a record", () => {
  it("are ordered by path", () => {
    const other: Step = { ...put(null, "x"), path: "b" };
    expect([...chainsOf([put(null, "1"), other, drop("1")])]).toEqual([
      ["a", [put(null, "1"), drop("1")]],
      ["b", [other]],
    ]);
  });
});

describe("what a file is to be", () => {
  const said = (...chain: readonly Step[]) => {
    const { appends, content, hash: given, mode } = aimOf(chain);
    const text = content ? Buffer.from(content).toString() : content;
    expect(given).toBe(typeof text === "string" ? hash(text) : text);
    return { text, mode, appends: appends.map((each) => each.text) };
  };

  it.each<readonly [string, readonly Step[], ReturnType<typeof said>]>([
    [
      "the last content",
      [put(null, "1"), put("1", "2", { mode: 0o755 })],
      { text: "2", mode: 0o755, appends: [] },
    ],
    ["no file", [put(null, "1", { mode: 0o755 }), drop("1")], { text: null, mode: undefined, appends: [] }],
    ["as it was, and more", [append(3, "1\n")], { text: undefined, mode: undefined, appends: ["1\n"] }],
    [
      "a content with all that follows it",
      [put(null, "é\n"), append(3, "1\n"), append(5, "2\n")],
      { text: "é\n1\n2\n", mode: undefined, appends: [] },
    ],
    ["a new file of appends", [drop("1"), append(0, "1\n")], { text: "1\n", mode: undefined, appends: [] }],
    [
      "a content, behind which others wrote",
      [put(null, "1\n"), append(4, "2\n"), append(2, "3\n")],
      { text: "1\n", mode: undefined, appends: ["2\n", "3\n"] },
    ],
    [
      "no file, where others wrote",
      [drop("1"), append(4, "2\n")],
      { text: null, mode: undefined, appends: ["2\n"] },
    ],
    [
      "a content after appends, of which nothing is left",
      [append(0, "1\n"), put("1\n", "2")],
      { text: "2", mode: undefined, appends: [] },
    ],
    ["no file after appends", [append(0, "1\n"), drop("1\n")], { text: null, mode: undefined, appends: [] }],
    [
      "as before what was kept aside",
      [put("0", "1"), known("x")],
      { text: "1", mode: undefined, appends: [] },
    ],
  ])("%s", (_, chain, outcome) => expect(said(...chain)).toEqual(outcome));
});

describe("what is found in the way of a replay", () => {
  const explains = (chain: readonly Step[], text: string, torn = false) =>
    isAccounted(chain, { bytes: Buffer.from(text), hash: hash(text), mode: 0o644 }, torn);
  const rewritten = [put("zero", "first"), put("first", "second")];
  const log = [append(2, "1\n"), append(4, "2\n")];

  it.each<readonly [string, readonly Step[], string]>([
    ["what was there before", rewritten, "zero"],
    ["what an earlier step wrote", rewritten, "first"],
    ["what the last step wrote", rewritten, "second"],
    ["what was removed", [drop("gone")], "gone"],
    ["what was kept aside", [known("hers"), put("zero", "first")], "hers"],
    ["a content with its appends", [put(null, "0\n"), append(2, "1\n"), append(4, "2\n")], "0\n1\n"],
    ["all of them", [put(null, "0\n"), append(2, "1\n"), append(4, "2\n")], "0\n1\n2\n"],
    ["what was there before the appends", [...log, put("0\n1\n2\n", "x")], "0\n"],
    ["the first of them", [...log, drop("0\n1\n2\n")], "0\n1\n"],
    ["nothing, before a log's first line", [append(0, "1\n"), put("1\n", "x")], ""],
  ])("is Pawl's own: %s", (_, chain, text) => expect(explains(chain, text)).toBe(true));

  it.each<readonly [string, readonly Step[], string]>([
    ["another text", rewritten, "fir"],
    ["a part of a content", [put("zero", "first")], "firs"],
    ["a part of an append", [put(null, "0\n"), append(2, "1\n")], "0\n1"],
    ["a content with an append that came behind other bytes", [put(null, "0\n"), append(4, "1\n")], "0\n1\n"],
    ["a part of an append before a content", [...log, drop("0\n1\n2\n")], "0\n1"],
    ["another beginning before appends", [...log, drop("0\n1\n2\n")], "9\n"],
    ["less than there was before appends", [...log, drop("0\n1\n2\n")], "0"],
    ["other lines before appends", [...log, drop("0\n1\n2\n")], "0\n7\n"],
    ["a log with a line of somebody else's", [put("zero", "first"), append(5, "1\n")], "zero1\n"],
    ["appends of before the last content", [...log, drop("0\n1\n2\n"), put(null, "x")], "x1\n2\n"],
    [
      "what appends before two contents would make",
      [...log, put("0\n1\n2\n", "x"), put("y", "z")],
      "y1\n2\n",
    ],
  ])("is a person's: %s", (_, chain, text) => expect(explains(chain, text)).toBe(false));

  it.each<readonly [string, readonly Step[], string]>([
    ["a part of a content", [put("zero", "first")], "fir"],
    ["a content of which a part is zeros", [put("zero", "first")], "f\0\0st"],
    ["a part of an append", [put(null, "0\n"), append(2, "1\n")], "0\n1"],
    ["a part of an append before a content", [...log, drop("0\n1\n2\n")], "0\n\0\n2"],
  ])("is Pawl's own after a power cut, and only then: %s", (_, chain, text) => {
    expect([explains(chain, text, true), explains(chain, text)]).toEqual([true, false]);
  });

  it.each<readonly [string, readonly Step[], string]>([
    ["another text", [put("zero", "first")], "last"],
    ["more than the content", [put("zero", "first")], "first!"],
    ["what was kept aside, in part", [put("zero", "first"), known("hers")], "her"],
    ["a part of what is removed", [drop("first")], "fir"],
    ["a part of an append behind other bytes", [put(null, "0\n"), append(9, "1\n")], "0\n1"],
    ["other bytes in place of an append", [...log, drop("0\n1\n2\n")], "0\n9"],
  ])("is a person's also after a power cut: %s", (_, chain, text) => {
    expect(explains(chain, text, true)).toBe(false);
  });
});

describe("edits that are to be made again on a person's text", () => {
  const [one, two] = [edit("tasks", 1), edit("tasks", 2)];

  it("are those of all steps, in order, also around what was kept aside or redone", () => {
    expect(redosOf([put("0", "1", one), put("1", "2", two)])).toEqual([one.redo, two.redo]);
    expect(redosOf([put("0", "1", one), known("x"), put("x", "3", { redone: true })])).toEqual([one.redo]);
  });

  it.each<readonly [string, readonly Step[]]>([
    ["nothing but what was kept aside", [known("x")]],
    ["nothing but a redo", [put("x", "3", { redone: true })]],
    ["a content that is no edit", [put("0", "1", one), put("1", "2")]],
    ["a removal", [put("0", "1", one), drop("1")]],
    ["an append", [append(0, "1"), put("1", "2", one)]],
  ])("are none after %s", (_, chain) => expect(redosOf(chain)).toBeNull());
});

describe("a piece of what was written", () => {
  it.each([
    ["all", "abc", true],
    ["nothing", "", true],
    ["the beginning", "ab", true],
    ["zeros", "\0\0\0", true],
    ["zeros in the middle", "a\0c", true],
    ["more", "abc\0", false],
    ["another byte", "abx", false],
  ])("%s", (_, bytes, is) => expect(isPieceOf(Buffer.from(bytes), Buffer.from("abc"))).toBe(is));
});
