import { describe, expect, it } from "vitest";
import { clean } from "./clean.ts";

describe("Text by others, as a person sees it,", () => {
  it.each([
    ["colours and cursor movements", "a\u001b[2J\u001b[31;1mb\u009b0mc", "abc"],
    ["a window's title and a link", "a\u001b]0;title\u0007b\u001b]8;;https://x\u001b\\c", "abc"],
    ["the beginning of a sequence without an end, but not what follows", "a\u001b]0;evil", "a0;evil"],
    ["control characters but for lines and tabs", "a\u0000\u0008\r\nb\tc\u007f\u0085d", "a\nb\tc\nd"],
    ["separators of lines that only some programs know", "a\u2028b\u2029c", "a\nb\nc"],
  ])("loses %s", (_, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  it.each([
    ["the direction of a line", "a\u202eb\u2066c\u2069", "a<U+202E>b<U+2066>c<U+2069>"],
    [
      "zero-width characters",
      "a\u200bb\ufeffc\u2060\u00ad\u200d",
      "a<U+200B>b<U+FEFF>c<U+2060><U+00AD><U+200D>",
    ],
    ["tag characters", "a\u{e0041}\u{e0001}", "a<U+E0041><U+E0001>"],
    ["variation selectors that select nothing", "a\ufe0f\u{e0100}b", "a<U+FE0F><U+E0100>b"],
    ["fillers and halves of characters", "\u3164\ud800x", "<U+3164><U+D800>x"],
  ])("shows %s", (_, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  it.each(["plain", "👩‍💻 ❤️ 👨🏽‍🚀", "می‌خواهم", "क्‍ष", "漢字", "é ü e\u0301"])(
    "keeps %s as it is written",
    (text) => {
      expect(clean(text)).toBe(text);
    },
  );

  it.each([
    "\u001b",
    "\u001b[",
    "\u001b]",
    "\u001b]a",
    "\u009d",
    "\u200b",
    "\u200d",
    "\u202e",
    "\u2028",
    "\u{e0041}",
    "\ud800",
    "❤\u200d",
    "0",
  ])("is ready in no time, be it a megabyte of %j", (awkward) => {
    // The processor's own time: a busy machine changes nothing.
    const begun = process.cpuUsage();
    expect(clean(awkward.repeat(1_000_000 / awkward.length))).not.toContain("\u001b");
    const { user, system } = process.cpuUsage(begun);
    expect(user + system).toBeLessThan(2_000_000);
  });
});
