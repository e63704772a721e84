/**
 * Random schedules of the work loop, on demand: `npx node test/schedules.ts [--runs 2000] [--from 1]`. Exits 1 on the first
 * that has a fault, with its seed and what happened.
 */
import { parseArgs } from "node:util";
import { play, scheduleOf } from "./rig/schedule/play.ts";
import { shrink } from "./rig/schedule/shrink.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "2000" }, from: { type: "string", default: "1" } },
});
const from = Number(values.from);
const to = from + Number(values.runs) - 1;
const begun = performance.now();
let steps = 0;
for (let seed = from; seed <= to; seed++) {
  const played = await play(scheduleOf(seed));
  steps += played.steps;
  if (played.faults.length === 0) continue;
  process.stdout.write(`${await shrink(scheduleOf(seed))}\n`);
  process.exit(1);
}
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
process.stdout.write(
  `${to - from + 1} schedules of the work loop, ${steps} steps, no fault (${seconds} s)\n`,
);
