import { describe, expect, it } from "vitest";
import { promise } from "./rig/promise.ts";
import { play, scheduleOf } from "./rig/schedule/play.ts";
import { shrink } from "./rig/schedule/shrink.ts";

/** Always the same ones, so that a failure here is one everywhere; `npm run proofs schedules` plays more. */
const RUNS = 25;

describe("the work loop under random schedules", () => {
  it("runs, merges and completes each task once, whoever is killed, stopped or edits meanwhile", async () => {
    promise("bloom.each-once");
    for (let seed = 1; seed <= RUNS; seed++) {
      const { faults } = await play(scheduleOf(seed));
      if (faults.length > 0) expect.fail(await shrink(scheduleOf(seed)));
    }
  });
});
