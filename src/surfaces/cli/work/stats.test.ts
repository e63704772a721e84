import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import type { CostRow } from "../../../runtime/reports/costs.ts";
import { statsOf } from "../../../runtime/reports/stats.ts";
import { paintOf } from "../terminal/terminal.ts";
import { widthOf } from "../terminal/text-width.ts";
import { renderStats } from "./stats.ts";

const ROW: CostRow = {
  ...{ day: "2026-01-01", task: "checkout-tax-of-all-countries", agent: "claude", cause: "first try" },
  ...{
    usd: 1234.5,
    tokens: 12_345_678,
    minutes: 1000,
    runs: 11,
    withoutUsd: 0,
    withoutTokens: 0,
    accepted: true,
  },
};
const WAIT = {
  ...{ run: "checkout-tax-of-all-countries", gate: "g", verdict: "v" },
  ...{ from: "2026-01-01T00:00:00Z", to: "2026-01-01T03:00:00Z" },
};
const shown = (rows: readonly CostRow[], waits: readonly (typeof WAIT)[] = []) =>
  renderStats(statsOf(rows, waits, "task"), { columns: 60, paint: paintOf(false) });

describe("the stats on a terminal", () => {
  it("fit 60 columns, figures under each other, however long a name is", () => {
    promise("stats.honest");
    const text = shown(
      [ROW, { ...ROW, task: "日本語のとても長い名前のタスク", usd: 0.001, cause: "retry" }],
      [WAIT],
    );
    for (const line of text.split("\n")) expect(widthOf(line), line).toBeLessThanOrEqual(60);
    expect(text).toContain("$1234.50, $56.11 per accepted step");
    expect(text).toContain("1 gate waited 3.0h for a person");
    const [heading = "", ...rows] = text.trimEnd().split("\n").slice(-3);
    expect(rows.map((row) => widthOf(row))).toEqual([widthOf(heading), widthOf(heading)]);
  });

  it("mark what is more than was reported, and what was not reported at all", () => {
    promise("stats.honest");
    const silent = { ...ROW, usd: null, tokens: null, withoutUsd: 11, withoutTokens: 11 };
    const text = shown([ROW, silent, { ...silent, task: "T2" }]);
    expect(text).toContain("$1234.50+");
    expect(text).toMatch(/^T2 +– +– /m);
    expect(text.replace(/\s+/g, " ")).toContain("; 22 of 33 runs reported none");
    expect(shown([silent])).toContain("no agent reported any");
  });

  it("say so if nothing is known", () => expect(shown([])).toMatch(/^Nothing to count yet/));
});
