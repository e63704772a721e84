/**
 * The crash proof: `node test/crash/run.ts [--simulated | --real | --for-mutants] [--part K/N] [SHAPE]`. Prints how many points
 * were tried; exits 1 on any exception. With --part, it tries each Nth shape, from the Kth on.
 */
import { parseArgs } from "node:util";
import { forge } from "./forgeries.ts";
import { SHAPES } from "./shapes.ts";
import { type Report, simulate } from "./simulation.ts";

const FULL = { samples: 20, pairs: 150, failures: 10 };
const FOR_MUTANTS = { samples: 6, pairs: 60, failures: 1 };

const { values, positionals } = parseArgs({
  options: {
    simulated: { type: "boolean", default: false },
    real: { type: "boolean", default: false },
    "for-mutants": { type: "boolean", default: false },
    part: { type: "string", default: "1/1" },
  },
  allowPositionals: true,
});
const forMutants = values["for-mutants"];
const [part = 1, parts = 1] = values.part.split("/").map(Number);
const shapes = SHAPES.filter(({ name }) => name.includes(positionals[0] ?? "")).filter(
  (_, index) => index % parts === part - 1,
);
if (shapes.length === 0) throw new Error("There is no such shape.");
const report: Report = { points: new Map(), failures: [], excused: 0 };
const say = (line: string) => process.stdout.write(`${line}\n`);

const start = performance.now();
if (!values.real) {
  await forge(report);
  await simulate(forMutants ? FOR_MUTANTS : FULL, report, shapes);
}
if (!values.simulated && !forMutants) {
  const { tryForReal } = await import("./real.ts");
  await tryForReal(report, shapes);
}
const total = [...report.points.values()].reduce((sum, count) => sum + count, 0);
for (const [kind, count] of report.points) say(`${String(count).padStart(8)}  ${kind}`);
say(`${String(report.excused).padStart(8)}  a person's saves within the documented window, left out`);
for (const failure of report.failures) say(`✗ ${failure}`);
const seconds = Math.round((performance.now() - start) / 1000);
say(`${total} points tried, ${report.failures.length} failed (${seconds} s)`);
process.exitCode = report.failures.length === 0 && total > 0 ? 0 : 1;
