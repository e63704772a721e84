import { resolve } from "node:path";
import { expect, test } from "vitest";
import { CAPS, measureTokens, totalOf } from "../../bench/tokens.ts";

const MAIN = resolve(import.meta.dirname, "../../src/main.ts");

test("the tools, a life of one task and a cycle of Spells cost a model no more tokens than promised", {
  timeout: 120_000,
}, async () => {
  const { tools, alfred, spells } = await measureTokens(MAIN);
  expect(tools.count).toBeGreaterThan(20);
  expect(alfred.length).toBeGreaterThan(40);
  expect(spells.length).toBeGreaterThan(12);
  expect(tools.tokens).toBeLessThanOrEqual(CAPS.tools);
  expect(totalOf(alfred)).toBeLessThanOrEqual(CAPS.alfred);
  expect(totalOf(spells)).toBeLessThanOrEqual(CAPS.spells);
});
