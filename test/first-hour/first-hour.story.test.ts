/** The first hour, played as the pages say; the counts may not grow. */
import { expect, it } from "vitest";
import { promise } from "../rig/promise.ts";
import { playFirstHour } from "./play.ts";

it("takes what README and quickstart say, for all three workflows, and no more than was promised", {
  timeout: 600_000,
}, async () => {
  promise("first-hour.played");
  const { alfred, commands, docsWords, outcome, readmeLines, shown, wordsRead } = await playFirstHour();
  expect(outcome.bloom).toContain("Merge ROUND");
  expect(outcome.bloom).not.toContain("SALE");
  expect(outcome.bloom).not.toContain("net / 2");
  expect(outcome.spells).toContain("GATHER_EDITING_CONTEXT");
  expect(outcome.alfred).toMatch(/alfred:TS-02 .*\n +done\n/);
  expect(commands).toBeLessThanOrEqual(15);
  expect(shown).toBeLessThanOrEqual(30);
  expect(readmeLines).toBeLessThanOrEqual(120);
  expect(docsWords).toBeLessThanOrEqual(40_000);
  expect(wordsRead).toBeLessThanOrEqual(6_000);
  expect(alfred.length).toBe(2);
  for (const { calls, verdicts } of alfred) {
    expect(calls).toBeLessThanOrEqual(9);
    expect(verdicts).toBeLessThanOrEqual(2);
  }
});
