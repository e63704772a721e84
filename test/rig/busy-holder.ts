/** A process that takes a run's lock again and again, without a pause, and counts in a file: `node busy-holder.ts ROOT RUN COUNTS`. */
import { appendFileSync } from "node:fs";
import { openStore } from "../../src/adapters/files/store.ts";
import { stateOf } from "./state-home.ts";

const [root = "", run = "", counts = ""] = process.argv.slice(2);
const store = openStore({ root, state: stateOf(root) });
const asleep = new Int32Array(new SharedArrayBuffer(4));
process.stdout.write("begins\n");
for (;;) {
  await using _lock = await store.hold(run);
  appendFileSync(counts, ".");
  Atomics.wait(asleep, 0, 0, 10);
}
