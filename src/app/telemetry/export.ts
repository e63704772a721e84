/**
 * Exports a loop's commits: `export-telemetry ROOT HOME VERSION`, a separate program. Each line of its input
 * is a list of events. Its input ends with the loop: then it sends the rest, and ends.
 */
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { openLive } from "../../adapters/telemetry/live.ts";
import { readEnvironment } from "../../config/config.ts";
import { attempt } from "../../core/attempt.ts";
import type { PawlEvent } from "../../core/event.ts";
import { ENDING_SIGNALS } from "../../surfaces/ending-signals.ts";
import { WORKFLOWS } from "../../workflows/index.ts";
import { allWorkflows, openProject } from "../open-project.ts";

const [root = "", home = "", version = ""] = process.argv.slice(2);
// A Ctrl-C reaches it too, but it must outlive the loop's last events.
for (const signal of ENDING_SIGNALS) process.on(signal, () => {});
attempt(() => setPriority(10), undefined);
await exportAll();
process.exit();

async function exportAll(): Promise<void> {
  const environment = readEnvironment();
  const asShipped = { root, home, environment, workflows: WORKFLOWS };
  const workflows = await allWorkflows(root, asShipped, openProject);
  const project = await openProject({ ...asShipped, workflows });
  const live = openLive({
    ...{ environment, version, workflows, isEnding: false },
    instance: project.runtime.newId(),
    log: project.eventLog,
    warn: (line) => void process.stderr.write(`${line}\n`),
  });
  // Tracing must not disturb the work.
  for await (const line of createInterface({ input: process.stdin }))
    await live.take(JSON.parse(line) as readonly PawlEvent[]).catch(() => {});
  await live.close();
  await project.close();
}
