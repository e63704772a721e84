/** Random schedules of the work loop, each a test of its own, so that the first that goes wrong ends the mutant. */
import { expect, it } from "vitest";
import { play, scheduleOf } from "../rig/schedule/play.ts";
import { Simulator } from "../rig/schedule/simulator.ts";

const SCHEDULES = 12;
/** None of them takes half as many. */
const MAX_STEPS = 2_500;

// A mutant that waits for ever is found by this, long before the runner's own time limit.
Simulator.patience = 100_000;

for (let seed = 1; seed <= SCHEDULES; seed++)
  it(`ends schedule ${seed} without a fault`, async () => {
    expect((await play(scheduleOf(seed), { mostSteps: MAX_STEPS })).faults).toEqual([]);
  });
