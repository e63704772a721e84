import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { REPORT, renderReport } from "../scripts/api-report.ts";

it("The library declares in public what its report says; `npx node scripts/api-report.ts` writes it anew", async () => {
  const report = await renderReport();
  expect(report.match(/^export /gm)?.length).toBeGreaterThan(80);
  expect(report).toBe(readFileSync(REPORT, "utf8"));
});
