/**
 * A worker that has nothing to do: `node bench/idle-worker.ts [SECONDS]`, after `npm run build`.
 *
 * Measured: how many transactions a second a real `pawl worker` asks of the database, counted on the wire, and how much of a core
 * it takes, over SECONDS (default 60) after it has settled; with a backlog in which nothing can be taken.
 * Not measured: workers at work; the processor time of the server.
 */
import { readFileSync } from "node:fs";
import { setTimeout as rest } from "node:timers/promises";
import { openCutProxy } from "../test/rig/cut-proxy.ts";
import { machines } from "../test/rig/machines.ts";
import { useScratchStateHome } from "../test/rig/state-home.ts";

const SECONDS = Number(process.argv[2] ?? 60);
const SETTLED_MS = 10_000;
const TICKS_PER_SECOND = 100;
const TASKS = "tasks:\n- id: T1\n  title: held\n  status: blocked\n  repo: .\n";

function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

process.once("exit", useScratchStateHome());
const both = await machines({ tasks: TASKS });
const proxy = await openCutProxy(both.url);
const worker = both.one.workerBy(proxy.url, "idle");
await rest(SETTLED_MS);
if (worker.pid === undefined || worker.exitCode !== null) throw new Error("The worker has ended.");
const [transactions, used] = [proxy.transactions, processorSeconds(worker.pid)];
await rest(SECONDS * 1000);
const each = (proxy.transactions - transactions) / SECONDS;
const share = (100 * (processorSeconds(worker.pid) - used)) / SECONDS;
process.stdout.write(
  `An idle worker: ${each.toFixed(2)} transactions/s (aim 2), ${share.toFixed(2)} % of a core (aim 1)\n`,
);
both[Symbol.dispose]();
// It ends the database, too.
process.exit(0);
