/**
 * What the wall costs a task of two steps: `node bench/wall.ts [ROUNDS]`.
 *
 * Measured: `pawl run --once` over one task, verified, merged and cleaned up, without and with the wall in turns, medians of ROUNDS
 * (default 6). An agent is the scripted one, which works for a second in each step, commits one file and marks the step: as long
 * as Claude Code needs where its model answers at once.
 * Not measured: a model's time, which a wall does not change; large home folders; reading through bind mounts (the kernel's own).
 */
import { bloomProject } from "../test/rig/bloom-project.ts";
import setup from "../test/rig/global-setup.ts";
import { ms, show, takeTurns, timed } from "./measure.ts";

const ROUNDS = Number(process.argv[2] ?? 6);

const step = (id: string) => `  - id: ${id}
    instruction: |
      RUN: sleep 1; echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}
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

async function runOnce(sandbox: "none" | "bwrap"): Promise<number> {
  using project = bloomProject({ tasks, project: { sandbox } });
  return await timed(async () => {
    const ran = await project.run();
    if (ran.of("task:completed").length !== 1 || ran.of("step:assumed_done").length > 0)
      throw new Error(
        `The task was not done as it should be: ${ran.err}${JSON.stringify(ran.events.at(-1))}`,
      );
  });
}

await setup();
const { without, within } = await takeTurns(ROUNDS, {
  without: () => runOnce("none"),
  within: () => runOnce("bwrap"),
});
show("a task of two steps, without the wall", ms(without));
show("with the wall", `${ms(within)}  +${((within / without - 1) * 100).toFixed(1)} %`, "+10 %");
