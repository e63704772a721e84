/**
 * Ends the runs of a dead loop: `end-runs MARK [MILLISECONDS]`, a separate program that the loop's supervisor
 * starts. Every process of the loop's runs has the loop's tag beside its run's. With a time, counted from its
 * own start, the loop is frozen, and other workers will soon have its tasks; until that time, USR2 ends this
 * program.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { END_TIMES, endTree, LOST_TIMES } from "../process-tree.ts";

const [mark = "", time] = process.argv.slice(2);
if (time !== undefined) {
  await sleep(Math.max(0, Number(time) - performance.now()));
  process.on("SIGUSR2", () => {});
}
if (mark !== "") await endTree({ mark }, time === undefined ? END_TIMES : LOST_TIMES);
