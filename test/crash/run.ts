import { type Report, simulate } from "./simulation.ts";

const report: Report = { points: new Map(), failures: [], excused: 0 };
const start = Date.now();
const forMutants = process.argv.includes("--for-mutants");
const effort = forMutants
  ? { samples: 6, pairs: 40, failures: 1 }
  : { samples: 20, pairs: 150, failures: 10 };
await simulate(effort, report, forMutants ? undefined : process.argv[2]);
const say = (line: string) => process.stdout.write(`${line}\n`);
for (const [kind, count] of report.points) say(`${String(count).padStart(8)}  ${kind}`);
say(`excused ${report.excused}; ${Date.now() - start} ms`);
for (const failure of report.failures) say(`  ✗ ${failure}`);
process.exitCode = report.failures.length === 0 ? 0 : 1;
