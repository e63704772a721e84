/**
 * What the live export of OpenTelemetry costs by itself: `node bench/telemetry-part.ts [--tasks 24] [--rounds 5]`.
 *
 * Measured: the processor time of a loop's part in the export, which starts a process beside it and hands its events over, and
 * of that process, which does the rest, over the events of TASKS tasks of one step, five of them in half a second, with a
 * receiver on loopback in a third process. It shows what `telemetry.ts` cannot on a busy machine, where the loop's own time
 * varies by more than the export costs. The medians of ROUNDS, each in a process of its own, of the built program.
 */
import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "../scripts/bundle.ts";
import { Collector } from "../test/rig/collector.ts";
import { useScratchStateHome } from "../test/rig/state-home.ts";

const ROOT = resolve(import.meta.dirname, "..");

if (process.send) await receive();
else await measure();

async function receive(): Promise<void> {
  const { url } = await Collector.open();
  process.send?.(url);
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: { tasks: { type: "string", default: "24" }, rounds: { type: "string", default: "5" } },
  });
  process.once("exit", useScratchStateHome());
  // Beside the sources, where external packages can be found.
  const out = join(ROOT, ".rig/bench");
  const programs = {
    "telemetry-loop": "bench/telemetry-loop.ts",
    "export-telemetry": "src/app/telemetry/export.ts",
  };
  await bundle(programs, out);
  const receiver = fork(import.meta.filename);
  const [url] = await once(receiver, "message");
  const rounds = Array.from({ length: Number(values.rounds) }, () => {
    const words = [join(out, "telemetry-loop.js"), String(url), values.tasks, join(ROOT, "dist")];
    return JSON.parse(spawnSync(process.execPath, words, { encoding: "utf8" }).stdout);
  });
  const median = (name: "own" | "beside") =>
    rounds
      .map((round) => round[name] as number)
      .toSorted((a, b) => a - b)
      [Math.floor(rounds.length / 2)]?.toFixed(1);
  process.stdout.write(
    `${values.tasks} tasks: ${median("own")} ms of the loop, ${median("beside")} ms of the process beside it\n`,
  );
  receiver.kill();
}
