import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { fitPlain } from "./plain-text.ts";
import { cut, pad, widthOf, wrap, wrapHanging, wrapLines } from "./text-width.ts";
import { sliceAnsi, stringWidth, wrapAnsi } from "./wide-text.ts";

describe("Text on a screen", () => {
  it("is as wide as the screen shows it", () => {
    expect(widthOf("abc")).toBe(3);
    expect(widthOf("漢字")).toBe(4);
    expect(widthOf("🚀")).toBe(2);
    expect(widthOf("e\u0301")).toBe(1);
    expect(widthOf("👩‍👩‍👧")).toBe(2);
    expect(widthOf("\u001b[31mred\u001b[39m")).toBe(3);
  });

  it("is cut at its width, never through a letter", () => {
    expect(cut("漢字漢字", 8)).toBe("漢字漢字");
    expect(cut("漢字漢字", 6)).toBe("漢字…");
    expect(cut("漢字漢字", 7)).toBe("漢字漢…");
    expect(cut("e\u0301".repeat(5), 3)).toBe("e\u0301e\u0301…");
    expect(cut("ab", 0)).toBe("…");
    expect(widthOf(cut("漢字🚀".repeat(100), 79))).toBeLessThanOrEqual(79);
  });

  it("is wrapped by its columns, and a word that is too wide stays whole", () => {
    promise("cli.readable");
    expect(wrap("漢字 漢字 漢字", 9)).toEqual(["漢字 漢字", "漢字"]);
    expect(wrap("🚀🚀🚀 ab", 8)).toEqual(["🚀🚀🚀", "ab"]);
    expect(wrap("a https://example.com/long b", 10)).toEqual(["a", "https://example.com/long", "b"]);
    expect(wrap(" \n ", 10)).toEqual([]);
  });

  it("hangs under the last column in the line's first half, with its colours whole", () => {
    expect(wrapHanging("done  API-1  one two three four", 20)).toEqual([
      "done  API-1  one two",
      "      three four",
    ]);
    expect(wrapHanging("\u001b[32mdone\u001b[39m  \u001b[31mone two three\u001b[39m", 14)).toEqual([
      "\u001b[32mdone\u001b[39m  \u001b[31mone two\u001b[39m",
      "      \u001b[31mthree\u001b[39m",
    ]);
  });

  it("is measured, cut and wrapped alike whether or not it needs the world's letters", () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom(..."abcdefgh.-/"), maxLength: 14 }));
    fc.assert(
      fc.property(texts, fc.integer({ min: -2, max: 40 }), (words, width) => {
        const line = words.filter(Boolean).join(" ");
        const rows = line === "" ? [] : wrapAnsi(line, Math.max(1, width)).split("\n");
        expect(wrap(words.join("  "), width)).toEqual(rows);
        expect(widthOf(line)).toBe(stringWidth(line));
        const room = Math.max(1, width);
        expect(cut(line, width)).toBe(line.length <= room ? line : `${sliceAnsi(line, 0, room - 1)}…`);
      }),
    );
  });

  it("keeps its indentation, and a command that fits a line stays on one", () => {
    const indented = "  The project is ready. Tell your assistant to create a task.";
    const command = "Trusted, on this machine. `pawl trust --revoke` withdraws that.";
    for (const wrapped of [wrapLines, fitPlain]) {
      expect(wrapped(indented, 34).split("\n")).toEqual([
        "  The project is ready. Tell your",
        "  assistant to create a task.",
      ]);
      expect(wrapped(command, 40).split("\n")).toEqual([
        "Trusted, on this machine.",
        "`pawl trust --revoke` withdraws that.",
      ]);
      expect(wrapped("- one two three", 10)).toBe("- one two\n  three");
      expect(wrapped("+ runs    one two three", 20)).toBe("+ runs    one two\n          three");
      expect(wrapped("short\n\n  lines", 20)).toBe("short\n\n  lines");
    }
    expect(fitPlain("Yes, or words like these? ", 22)).toBe("Yes, or words like\nthese? ");
  });

  it("is padded by its columns", () => {
    expect(pad("漢字", 6)).toBe("漢字  ");
    expect(pad("abc", 2)).toBe("abc");
  });
});
