/**
 * The resident memory of `pawl mcp` after many calls: `node bench/memory.ts [CALLS]` (Linux only).
 *
 * Measured: after each third of CALLS (default 6,000) of one kind on one server, in a project that `pawl init` set up: calls
 * that only read, moves of Alfred's planning, casts of Spells. Beside it, how much of that is the process's own: the rest are
 * pages of Node's program, which all processes share.
 * Not measured: calls with large artifacts, servers that rest for hours, other systems.
 */
import { readFileSync } from "node:fs";
import { MAIN, speakTo } from "./measure.ts";
import { type Call, casts, make, plans } from "./moves.ts";
import { setUp } from "./project.ts";

const CALLS = Number(process.argv[2] ?? 6000);
const LIMIT = 100;

/** Megabytes. */
function memoryOf(pid: number | undefined): { readonly resident: number; readonly own: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [resident = Number.NaN, own = Number.NaN] = ["VmRSS", "RssAnon"].map(
    (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024,
  );
  return { resident, own };
}

function* reads(): Generator<Call, never> {
  for (;;) for (const name of ["get_next_task", "lumos"]) yield { name, input: {}, isMove: false };
}

const walks = {
  "calls that only read": { calls: reads(), folder: setUp("memory") },
  "moves of Alfred's planning": plans(),
  "casts of Spells": casts(),
};
for (const [name, { calls, folder }] of Object.entries(walks)) {
  const server = await speakTo([MAIN, "mcp"], folder);
  const shown: string[] = [];
  for (let count = 1; count <= CALLS; count++) {
    await make(server, calls.next().value);
    if (count % Math.ceil(CALLS / 3) !== 0) continue;
    const { resident, own } = memoryOf(server.child.pid);
    shown.push(`after ${count} ${resident.toFixed(0)} MB (${own.toFixed(0)} its own)`);
  }
  process.stdout.write(`${name}: ${shown.join(", ")}; the aim is ${LIMIT} MB\n`);
  await server.end();
}
