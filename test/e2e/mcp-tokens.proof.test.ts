import { resolve } from "node:path";
import { expect, test } from "vitest";
import { CAPS, measureTokens } from "../../bench/tokens.ts";
import { clientThatShows } from "../rig/client.ts";
import { promise } from "../rig/promise.ts";

const MAIN = resolve(import.meta.dirname, "../../src/main.ts");

test.each(["data", "text"] as const)(
  "the tools and a life of one task cost a model no more tokens than promised, for a client that shows it the %s",
  { timeout: 120_000 },
  async (part) => {
    promise("mcp.tokens");
    const { tools, life } = await measureTokens(MAIN, clientThatShows(part));
    expect(tools.count).toBeGreaterThan(20);
    expect(life.calls).toBeGreaterThan(40);
    expect(tools.tokens).toBeLessThanOrEqual(CAPS.tools);
    expect(life.tokens).toBeLessThanOrEqual(CAPS.life);
  },
);
