/** One target, in a thread of its own, so that an input that never ends can be told. */
import { mkdirSync, rmSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { PawlError } from "../../src/core/error.ts";
import { chance, mutate } from "./mutate.ts";
import type { Finding, Order } from "./run.ts";
import { TARGETS } from "./targets.ts";

const LIMIT_MICROSECONDS = 2_000_000;
const MAX_FINDINGS = 5;

const { target: name, seed, first, milliseconds, scratch, progress } = workerData as Order;
const target = TARGETS.find((one) => one.name === name);
if (target === undefined) throw new Error(`no target ${name}`);
const seeds = target.seeds.map((each) => Buffer.from(each as string));
const at = new Int32Array(progress);
let found = 0;
const postFinding = (finding: Finding) => {
  found++;
  parentPort?.postMessage(finding);
};

const end = performance.now() + milliseconds;
for (let index = first; performance.now() < end && found < MAX_FINDINGS; index++) {
  Atomics.store(at, 0, index);
  const bytes = mutate(seeds, chance(seed + index * 7919));
  const begun = process.threadCpuUsage();
  try {
    await target.run(bytes, scratch);
  } catch (thrown) {
    if (!(thrown instanceof PawlError) || thrown.code === "internal")
      postFinding({
        at: index,
        what: `${describe(thrown)}\n      on ${JSON.stringify(bytes.toString().slice(0, 300))}`,
      });
  }
  const { user, system } = process.threadCpuUsage(begun);
  if (user + system > LIMIT_MICROSECONDS)
    postFinding({
      at: index,
      what: `took ${Math.round((user + system) / 1000)} ms for ${bytes.length} bytes`,
    });
  if (index % 500 === 499) {
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch);
  }
}

function describe(thrown: unknown): string {
  return thrown instanceof Error
    ? (thrown.stack ?? thrown.message).split("\n").slice(0, 3).join(" ")
    : String(thrown);
}
