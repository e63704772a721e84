import { describe, expect, it } from "vitest";
import { longText } from "../core/long-text.ts";
import { split, splitLike } from "./split.ts";

const HEAD = "# ours\ntasks:\n";
const ENTRIES = ["- id: A\n  title: a\n", "  # about B\n- id: B\n", "- id: C\n  title: c\n"].map((text) =>
  text.replace("  # about B\n", ""),
);

describe("A text of tasks that was put together from pieces", () => {
  it.each<[string, readonly string[], string]>([
    ["one entry is another", [ENTRIES[0] as string, "- id: B\n  status: done\n", ENTRIES[2] as string], ""],
    ["what follows the list is a piece of its own", ENTRIES, "git: {}\n"],
    ["the last entry has no line's end", [...ENTRIES.slice(0, 2), "- id: C"], ""],
    ["an entry was added", [...ENTRIES, "- id: D\n"], ""],
    [
      "a piece has no line's end, and the next goes on in its line",
      [ENTRIES[0] as string, "- id: B\n  status: done", ENTRIES[2] as string],
      "",
    ],
    ["a piece holds two entries", [ENTRIES[0] as string, "- id: B\n- id: X\n", ENTRIES[2] as string], ""],
    ["a piece ends the list", [ENTRIES[0] as string, "- id: B\nmine: 1\n", ENTRIES[2] as string], ""],
    [
      "a piece goes on with the entry before it",
      [ENTRIES[0] as string, "  title: x\n", ENTRIES[2] as string],
      "",
    ],
  ])("is cut as the text alone would be: %s", (_, entries, tail) => {
    const pieces = [HEAD, ...entries.slice(0, -1), `${entries.at(-1)}${tail}`];
    const text = longText(pieces);
    const known = { head: HEAD, entries: ENTRIES, tail };
    const found = splitLike(text, known) ?? split(text);
    expect(found).toEqual(splitLike(text.whole, known) ?? split(text.whole));
    expect(found).toEqual(split(text.whole));
  });

  it("is cut where its last piece is the last entry with what follows the list", () => {
    const [first = "", second = "", third = ""] = ENTRIES;
    const text = longText([HEAD, first, second, `${third}git: {}\n`]);
    const known = { head: HEAD, entries: ENTRIES, tail: "git: {}\n" };
    expect(splitLike(text, known)).toEqual(split(text.whole));
  });
});
