/** Random schedules of the work loop, each a test of its own, so that the first that goes wrong ends the mutant. */
import { expect, it } from "vitest";
import { play, scheduleOf } from "../rig/schedule/play.ts";

const SCHEDULES = 12;
/** None of them takes half as many. */
const MOST_STEPS = 2_500;

for (let seed = 1; seed <= SCHEDULES; seed++)
  it(`ends schedule ${seed} without a fault`, async () => {
    expect((await play(scheduleOf(seed), { mostSteps: MOST_STEPS })).faults).toEqual([]);
  });
