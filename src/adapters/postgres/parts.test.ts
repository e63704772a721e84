/** A long list in parts: the same text to the byte, and a change of one entry is a change of one part. */
import { describe, expect, it } from "vitest";
import { longText, type Text, wholeOf } from "../../core/long-text.ts";
import { openKeptParts } from "./kept-parts.ts";
import { isInParts, isPart, keptParts, partChanges } from "./parts.ts";

const entry = (at: number, more = "") =>
  `- id: T${at}\n  title: ${"x".repeat(200)}\n  steps:\n  - {id: s${at}}\n${more}`;
const list = (count: number) =>
  `# mine\ntasks:\n${Array.from({ length: count }, (_, at) => entry(at)).join("")}`;

/** What is kept after these texts of one document were written, one after the other. */
function written(...texts: readonly (Text | null)[]) {
  const kept = new Map<string, string>();
  const read = (path: string) => kept.get(path) ?? null;
  let last: readonly { path: string; text: string | null }[] = [];
  for (const text of texts) {
    const whole = text === null ? null : wholeOf(text);
    last = partChanges("tasks.yaml", text, read) ?? [{ path: "tasks.yaml", text: whole }];
    for (const each of last)
      if (each.text === null) kept.delete(each.path);
      else kept.set(each.path, each.text);
  }
  return { kept, last, read, text: wholeIn(read) };
}

function wholeIn(read: (path: string) => string | null): string | null {
  const text = openKeptParts(read).text("tasks.yaml");
  return text === null ? null : wholeOf(text);
}

describe("A long list", () => {
  it.each([
    ["a list", list(100)],
    ["CRLF, a BOM and no end of the last line", `\uFEFF${list(100).replaceAll("\n", "\r\n")}- id: last`],
    ["the same entry twice", list(100) + list(100)],
    ["an indented list", list(100).replace(/^(?=[- ])/gm, "  ")],
    ["no list", "x: y\n".repeat(10_000)],
    ["one line", `x: ${"y".repeat(40_000)}`],
    ["blank lines and lines that only look like entries", `${"\n\n- \n--\n-x\n".repeat(5_000)}`],
    ["a short text", list(2)],
    ["nothing", ""],
    ["what Pawl itself writes in its place", "pawl: parts\nabc\n../../x"],
  ])("is the same text to the byte: %s", (_, text) => {
    const { kept, read, text: found } = written(text);
    expect(found).toBe(text);
    for (const path of kept.keys()) expect(path === "tasks.yaml" || isPart(path)).toBe(true);
    expect(written(list(80), text).text).toBe(text);
    expect(written(text, list(80), text).kept).toEqual(kept);
    expect(partChanges("tasks.yaml", text, read) ?? []).toEqual([]);
    expect(written(text, null).kept.size).toBe(0);
  });

  it("is changed by the part of the entry that changed, and by its names where one came or went", () => {
    const text = list(100);
    const changed = text.replace(entry(50), entry(50, "  status: done\n"));
    const one = written(text, changed);
    expect(one.text).toBe(changed);
    expect(one.last).toEqual([
      { path: expect.stringMatching(/^\.pawl\/parts\//), text: entry(50, "  status: done\n") },
    ]);
    const added = written(text, `${text}${entry(100)}`);
    expect(added.last.map(({ path }) => isPart(path))).toEqual([false, true]);
    const gone = written(text, text.replace(entry(50), ""));
    expect(gone.last.map(({ text: left }) => left === null)).toEqual([false, true]);
    const moved = written(text, text.replace(entry(50), "").replace(entry(10), entry(50) + entry(10)));
    expect(moved.last.map(({ path }) => path)).toEqual(["tasks.yaml"]);
  });

  it("is the same parts, whatever was there before", () => {
    // Pieces that begin, end, join and part entries, in the order of a generator with a fixed seed.
    const pieces = [
      "- id: A\n",
      "- id: B\n  x: y",
      "\n",
      "  - id: C\n",
      "-",
      " ",
      "tasks:\n",
      "  z: 1\n",
      "- id: D\n  w: 2\n",
    ];
    let seed = 7;
    const next = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    let text = list(90);
    let before = written(text);
    for (let times = 0; times < 400; times++) {
      const [at, length] = [next(text.length), next(3) === 0 ? next(400) : 0];
      const start = next(2) === 0 ? at : text.lastIndexOf("\n", at) + 1;
      text = `${text.slice(0, start)}${pieces[next(pieces.length)]}${text.slice(start + length)}`;
      if (next(40) === 0) text = list(90);
      const cuts = [0, (times * 7_919) % (text.length + 1), text.length];
      const inPieces = longText(cuts.slice(1).map((end, index) => text.slice(cuts[index], end)));
      const asGiven = times % 2 === 0 ? text : inPieces;
      const changes = partChanges("tasks.yaml", asGiven, before.read) ?? [{ path: "tasks.yaml", text }];
      for (const each of changes)
        if (each.text === null) before.kept.delete(each.path);
        else before.kept.set(each.path, each.text);
      expect(wholeIn(before.read)).toBe(text);
      const fresh = written(text);
      expect(new Map([...before.kept].sort())).toEqual(new Map([...fresh.kept].sort()));
      expect(fresh.kept.size).toBeGreaterThan(50);
      before = fresh;
    }
  });

  it.each<[string, (pieces: string[]) => void]>([
    ["one is another", (pieces) => pieces.splice(50, 1, entry(49, "  status: done\n"))],
    ["one holds two entries", (pieces) => pieces.splice(50, 1, entry(200) + entry(201))],
    ["one goes on with the entry before it", (pieces) => pieces.splice(50, 1, "  status: done\n")],
    ["one has no line's end", (pieces) => pieces.splice(50, 1, "- id: T49")],
    ["one is an entry at a smaller depth", (pieces) => pieces.splice(50, 1, "x:\n- y\n")],
    ["one is empty", (pieces) => pieces.splice(50, 1, "")],
    ["the first is another", (pieces) => pieces.splice(0, 1, "tasks:\n")],
    ["the last ends with more", (pieces) => pieces.splice(-1, 1, `${entry(99)}git: {}\n`)],
    ["what follows the list is one of its own", (pieces) => pieces.push("git: {}\n")],
    ["nothing follows the list", (pieces) => pieces.push("")],
    [
      "two are another, with others between them",
      (pieces) => {
        pieces.splice(20, 1, entry(19, "  status: done\n"));
        pieces.splice(70, 1, entry(69, "  status: done\n"));
      },
    ],
  ])("is the same parts where its text was put together from pieces: %s", (_, change) => {
    const { kept, read } = written(list(100));
    const pieces = (keptParts("tasks.yaml", read) ?? []).map(([, text]) => text);
    expect(pieces).toHaveLength(101);
    change(pieces);
    const text = longText(pieces);
    for (const each of partChanges("tasks.yaml", text, read) ?? [])
      if (each.text === null) kept.delete(each.path);
      else kept.set(each.path, each.text);
    expect(wholeIn(read)).toBe(text.whole);
    expect(new Map([...kept].sort())).toEqual(new Map([...written(text.whole).kept].sort()));
  });

  it("is in the same parts where its last line had no end and goes on with what looks like an entry", () => {
    const before = list(90).slice(0, -1);
    const text = `${before}- id: X\n`;
    const pieces = (keptParts("tasks.yaml", written(before).read) ?? []).map(([, part]) => part);
    for (const given of [text, longText([...pieces, "- id: X\n"])]) {
      const { kept, text: whole } = written(before, given);
      expect(whole).toBe(text);
      expect(new Map([...kept].sort())).toEqual(new Map([...written(text).kept].sort()));
    }
  });

  it("is one document where it is short, or no YAML", () => {
    const nothing = () => null;
    expect(partChanges("tasks.yaml", list(100), nothing)).toHaveLength(102);
    expect(partChanges("tasks.json", list(100), nothing)).toBeNull();
    expect(partChanges("tasks.yaml", list(5), nothing)).toBeNull();
    expect(partChanges("tasks.yaml", null, nothing)).toBeNull();
    const { kept, read } = written(list(100), list(5));
    expect([isInParts("tasks.yaml", read), kept.size]).toEqual([false, 1]);
  });
});
