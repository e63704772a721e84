/** The crash proof on the simulated machine, thinned out: each shape a test of its own, so that the first fault ends the mutant. */
import { expect, it } from "vitest";
import { forge } from "../crash/forgeries.ts";
import { SHAPES } from "../crash/shapes.ts";
import { type Report, simulate } from "../crash/simulation.ts";

const EFFORT = { samples: 1, pairs: 10, failures: 1, every: 47 };

const newReport = (): Report => ({ points: new Map(), failures: [], excused: 0 });

for (const shape of SHAPES)
  it(`holds its promises through crashes: ${shape.name}`, async () => {
    const report = newReport();
    await simulate(EFFORT, report, [shape]);
    expect(report.failures).toEqual([]);
  });

it("does nothing of what a forged journal says", async () => {
  const report = newReport();
  await forge(report);
  expect(report.failures).toEqual([]);
});
