import { expect, it } from "vitest";
import { codeSpans } from "./code-spans.ts";

const marked = (text: string) =>
  codeSpans(text)
    .map((span) => (span.isCode ? `[${span.text}]` : span.text))
    .join("");

it.each([
  ["`/price` answers 429", "[/price] answers 429"],
  ["set `a` and `b`.", "set [a] and [b]."],
  ["no code", "no code"],
  ["an open ` stays", "an open ` stays"],
  ["not `over\nlines`", "not `over\nlines`"],
  ["``` a fence ```", "``` a fence ```"],
  ["`<b>x</b>`", "[<b>x</b>]"],
])("the code in %j is %j", (text, expected) => {
  expect(marked(text)).toBe(expected);
});
