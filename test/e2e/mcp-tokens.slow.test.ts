import { resolve } from "node:path";
import { expect, test } from "vitest";
import { CAPS, measureTokens } from "../../bench/tokens.ts";

const MAIN = resolve(import.meta.dirname, "../../src/main.ts");

test("the tools and a life of one task cost a model no more tokens than promised", {
  timeout: 120_000,
}, async () => {
  const { tools, life } = await measureTokens(MAIN);
  expect(tools.count).toBeGreaterThan(20);
  expect(life.calls).toBeGreaterThan(40);
  expect(tools.tokens).toBeLessThanOrEqual(CAPS.tools);
  expect(life.tokens).toBeLessThanOrEqual(CAPS.life);
});
