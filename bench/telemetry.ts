/**
 * What the live export of OpenTelemetry costs the loop: `node bench/telemetry.ts [--tasks 12] [--work 1] [--rounds 3]`.
 *
 * Measured: the processor time of the loop's own process, without what it starts, over `pawl run --once` on TASKS tasks of one
 * repository, each with an agent of WORK seconds, verified and merged; without and with `OTEL_EXPORTER_OTLP_ENDPOINT`, in
 * turns, with a receiver on loopback in this process. The medians of ROUNDS. Not measured: a receiver far away.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { bloomProject } from "../test/rig/bloom-project.ts";
import { Collector } from "../test/rig/collector.ts";
import setup from "../test/rig/global-setup.ts";
import { MAIN } from "../test/rig/project.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "12" },
    work: { type: "string", default: "1" },
    rounds: { type: "string", default: "3" },
  },
});
const tasks = Array.from(
  { length: Number(values.tasks) },
  (_, n) => `- id: T${n}
  title: Task ${n}
  repo: .
  merge_into: main
  verify: ["true"]
  instructions: |
    RUN: sleep ${values.work}
    RUN: echo ${n} > f${n}.txt; git add -A; git commit -qm T${n}
`,
).join("");

/** Prints the process's own seconds at its end. */
const REPORT = `data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.error("CPU "+(user+system)/1e6)})`;

await setup();
const collector = await Collector.open();
const seconds: { without: number[]; with: number[] } = { without: [], with: [] };
for (let round = 0; round < Number(values.rounds); round++) {
  seconds.without.push(await loop({}));
  seconds.with.push(await loop({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }));
}
const spans = collector.spans.length / Number(values.rounds);
await collector[Symbol.asyncDispose]();
const median = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
const [without, exporting] = [median(seconds.without), median(seconds.with)];
process.stdout.write(
  `${values.tasks} tasks of ${values.work} s: ${without.toFixed(2)} s of the loop's own CPU without, ` +
    `${exporting.toFixed(2)} s with the export of ${spans} spans: ${((exporting / without - 1) * 100).toFixed(1)} %\n` +
    `  without: ${seconds.without.join(", ")}\n  with:    ${seconds.with.join(", ")}\n`,
);

function loop(more: Readonly<Record<string, string>>): Promise<number> {
  const project = bloomProject({ tasks: `tasks:\n${tasks}` });
  const child = spawn(process.execPath, ["--import", REPORT, MAIN, "run", "--json", "--once"], {
    cwd: project.root,
    env: { ...project.environment, ...more },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) =>
    child.on("close", () => {
      project[Symbol.dispose]();
      resolve(Number(/CPU ([\d.]+)/.exec(errors)?.[1] ?? Number.NaN));
    }),
  );
}
