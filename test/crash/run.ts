/**
 * The crash proof: `node test/crash/run.ts [--simulated | --real | --for-mutants] [SHAPE]`. Prints how many points were
 * tried; exits 1 on any exception.
 */
import { forge } from "./forgeries.ts";
import { type Report, simulate } from "./simulation.ts";

const FULL = { samples: 20, pairs: 150, failures: 10 };
const FOR_MUTANTS = { samples: 6, pairs: 60, failures: 1 };

const flags = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const shape = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
const forMutants = flags.includes("--for-mutants");
const report: Report = { points: new Map(), failures: [], excused: 0 };
const say = (line: string) => process.stdout.write(`${line}\n`);

const start = performance.now();
if (!flags.includes("--real")) {
  await forge(report);
  await simulate(forMutants ? FOR_MUTANTS : FULL, report, shape);
}
if (!flags.includes("--simulated") && !forMutants) {
  const { tryForReal } = await import("./real.ts");
  await tryForReal(report);
}
const total = [...report.points.values()].reduce((sum, count) => sum + count, 0);
for (const [kind, count] of report.points) say(`${String(count).padStart(8)}  ${kind}`);
say(`${String(report.excused).padStart(8)}  a person's saves within the documented window, left out`);
for (const failure of report.failures) say(`✗ ${failure}`);
const seconds = Math.round((performance.now() - start) / 1000);
say(`${total} points tried, ${report.failures.length} failed (${seconds} s)`);
process.exitCode = report.failures.length === 0 && total > 0 ? 0 : 1;
