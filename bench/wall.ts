/**
 * What the wall costs: `node bench/wall.ts [--rounds 10] [--work 1]`.
 *
 * Measured: one `pawl run --once` over a task of two steps, verified, merged and cleaned up, without and with the wall in
 * turns; an agent is the scripted one, which waits WORK seconds in each step, commits one file and marks the step. One second
 * is what Claude Code needs for such a step where its model answers at once.
 * Not measured: a model's time, which a wall does not change; large homes; reading through bind mounts (the kernel's own).
 */
import { parseArgs } from "node:util";
import { bloomProject } from "../test/rig/bloom-project.ts";
import setup from "../test/rig/global-setup.ts";
import { takeTurns } from "./measure.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "10" }, work: { type: "string", default: "1" } },
});

const step = (id: string) => `  - id: ${id}
    instruction: |
      RUN: sleep ${values.work}; echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}
      RUN: bloom step done ${id}
`;
const tasks = `tasks:
- id: T1
  title: Two steps
  repo: .
  merge_into: main
  verify: ["test -f s1.txt"]
  steps:
${step("s1")}${step("s2")}`;

async function time(sandbox: "none" | "bwrap"): Promise<number> {
  using project = bloomProject({ tasks, project: { sandbox } });
  const begun = performance.now();
  const ran = await project.run();
  const took = performance.now() - begun;
  if (ran.of("task:completed").length !== 1 || ran.of("step:assumed_done").length > 0)
    throw new Error(`the task was not done as it should be: ${ran.err}${JSON.stringify(ran.events.at(-1))}`);
  return took;
}

await setup();
const { bwrap, none } = await takeTurns(Number(values.rounds), {
  none: () => time("none"),
  bwrap: () => time("bwrap"),
});
const shown = (one: { readonly median: number; readonly least: number }) =>
  `${one.median.toFixed(0)} ms (least ${one.least.toFixed(0)})`;
const more = (part: "median" | "least") => `${((bwrap[part] / none[part] - 1) * 100).toFixed(1)} %`;
process.stdout.write(
  `two steps without the wall ${shown(none)}, with it ${shown(bwrap)}: ${more("median")} longer (least: ${more("least")}; target 10 %)\n`,
);
