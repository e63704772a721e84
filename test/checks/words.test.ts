/** The words of the glossary: names that were given up do not come back. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../../src");
const FILES = (readdirSync(SRC, { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), "utf8") }));

/** What is given up, and what is said in its place. */
const RETIRED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Position|(?:initial|starting|check)Positions?)\b/, "configuration"],
  [/\b(?:keptNames|keptAtFirst)\b|\bkept facts?\b/i, "variable"],
  [/\bobserved facts?\b/i, "input"],
  [/\b(?:Refusal|refuse\(workflow)\b/, "guard"],
  [
    /\b(?:Bell|openBell|Patience|openPatience|patiently|Errand|errand(?:Prompt|Text|Of))\b/,
    "signal, retry policy, purpose",
  ],
  [
    /\b(?:MergeTrains|openPlaces|Worked|AnyAdvance|attemptOnce|commitCame)\b/,
    "queue, slots, cache entry, transaction",
  ],
  [/\bgone on with\b|\bgoes on with\b/, "resumed"],
  [/expected a text\b/, "expected a string"],
];

it.each(RETIRED)("%s is not said in src: it is called %s", (word, instead) => {
  expect(FILES.length).toBeGreaterThan(400);
  const found = FILES.flatMap(({ name, text }) =>
    text.split("\n").flatMap((line, at) => (word.test(line) ? [`${name}:${at + 1}: ${line.trim()}`] : [])),
  );
  expect(found, instead).toEqual([]);
});
