/**
 * Cold commands by the clock, each against `node -e 0` in turns with it: `node bench/cold.ts [ROUNDS]`, after `npm run build`.
 *
 * Measured: from the start of the process to its end, in projects that `pawl init` set up: `status`, `list`, `lumos` and
 * `step done` with one task, and `step done` with 1,000 tasks of which a person has edited one since the last command.
 * Medians of ROUNDS (default 25). Needs a machine that does nothing else: `figures.ts` takes processor time, which the work of
 * others hardly touches, but which also counts what V8's threads do meanwhile.
 * Not measured: the first start after an install, when the compile cache is empty and the disk cold.
 */
import { execFileSync } from "node:child_process";
import { MAIN, takeTurns, timeToEnd } from "./measure.ts";
import { editOf, setUp } from "./project.ts";

const ROUNDS = Number(process.argv[2] ?? 25);
const THOUSAND = 1000;

const small = setUp("one");
const large = setUp("thousand", { tasks: THOUSAND });
const run =
  (folder: string, ...args: readonly string[]) =>
  () =>
    timeToEnd([MAIN, ...args], folder);
const floor = () => timeToEnd(["-e", "0"], small);

const { before, after, ...commands } = await takeTurns(ROUNDS, {
  before: floor,
  status: run(small, "status"),
  list: run(small, "list"),
  lumos: run(small, "lumos"),
  "step done": run(small, "step", "done", "T0-a"),
  "step done, 1,000 tasks, one edited": async () => {
    execFileSync("bash", ["-c", editOf(THOUSAND)], { cwd: large });
    return run(large, "step", "done", "T0-a")();
  },
  after: floor,
});
const least = (before.median + after.median) / 2;
process.stdout.write(`node -e 0: ${least.toFixed(1)} ms\n`);
for (const [name, { median }] of Object.entries(commands)) {
  const aim = name.includes("edited") ? 3 : 1.6;
  process.stdout.write(
    `${name.padEnd(36)} ${median.toFixed(1)} ms, ${(median / least).toFixed(2)} ×; the aim is ${aim} ×\n`,
  );
}
