/**
 * Exports a loop's commits: `export-telemetry ROOT HOME VERSION`, a separate program. Each line of its input
 * is a list of events. Its input ends with the loop: then it sends the rest, and ends.
 */
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { openLive } from "../adapters/telemetry/live.ts";
import { readEnvironment } from "../config/config.ts";
import { attempt } from "../core/attempt.ts";
import type { PawlEvent } from "../core/event.ts";
import type { Project } from "../runtime/project.ts";
import { ENDING_SIGNALS } from "../surfaces/ending-signals.ts";
import { withProject } from "./with-project.ts";

const [root = "", home = "", version = ""] = process.argv.slice(2);
// A Ctrl-C reaches it too, but it must outlive the loop's last events.
for (const signal of ENDING_SIGNALS) process.on(signal, () => {});
attempt(() => setPriority(10), undefined);
const environment = readEnvironment();
await withProject({ root, home, environment }, exportAll);
process.exit();

async function exportAll({ eventLog, runtime, workflows }: Project): Promise<void> {
  const live = openLive({
    ...{ environment, version, workflows, isEnding: false },
    instance: runtime.newId(),
    log: eventLog,
    warn: (line) => void process.stderr.write(`${line}\n`),
  });
  // Tracing must not disturb the work.
  for await (const line of createInterface({ input: process.stdin }))
    await live.take(JSON.parse(line) as readonly PawlEvent[]).catch(() => {});
  await live.close();
}
