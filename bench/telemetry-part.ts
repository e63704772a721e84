/**
 * What the live export of OpenTelemetry costs by itself: `node bench/telemetry-part.ts [--tasks 24]`.
 *
 * Measured: the processor time of the export's own part over the events of TASKS tasks of one step, five of them between two
 * looks at the log, with a receiver on loopback in another process: to open it, to read and send, to close it. It shows what
 * `telemetry.ts` cannot on a busy machine, where the loop's own time varies by more than the export costs. Not measured: the
 * loading of the modules, some 9 ms of the built program.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
// The loop has it for its agents.
import "node:crypto";
import { openEventLog } from "../src/adapters/events/event-log.ts";
import { openLive } from "../src/adapters/telemetry/live.ts";
import type { PawlEvent } from "../src/core/event.ts";
import { Collector } from "../test/rig/collector.ts";

const TOGETHER = 5;

if (process.send) await receive();
else await measure();

async function receive(): Promise<void> {
  const { url } = await Collector.open();
  process.send?.(url);
}

async function measure(): Promise<void> {
  const { values } = parseArgs({ options: { tasks: { type: "string", default: "24" } } });
  const count = Number(values.tasks);
  const receiver = fork(import.meta.filename);
  const [url] = await once(receiver, "message");
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = String(url);
  const folder = mkdtempSync(join(tmpdir(), "pawl-bench-"));
  const file = join(folder, "events.jsonl");
  writeFileSync(file, "");
  const begun = cpu();
  const live = openLive({
    ...{ environment: process.env, version: "0.0.0", instance: "bench", isEnding: false },
    workflows: { shipped: {} } as never,
    log: async () => openEventLog(file),
    warn: (line) => void process.stderr.write(`${line}\n`),
  });
  const opened = cpu();
  for (let task = 0; task < count; task += TOGETHER) {
    const events = Array.from({ length: Math.min(TOGETHER, count - task) }, (_, at) =>
      life(task + at),
    ).flat();
    appendFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    await live.take(events);
    await sleep(500);
  }
  const sent = cpu();
  await live.close();
  const all = cpu() - begun;
  const [open, take, close] = [opened - begun, sent - opened, begun + all - sent].map((each) =>
    each.toFixed(1),
  );
  process.stdout.write(
    `${count} tasks: ${all.toFixed(1)} ms (open ${open}, read and send ${take}, close ${close}), ` +
      `${(all / count).toFixed(2)} ms a task\n`,
  );
  receiver.kill();
  rmSync(folder, { recursive: true });
}

function cpu(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1000;
}

function life(task: number): readonly PawlEvent[] {
  const run = `T${task}.1`;
  const figures = { outcome: "succeeded", reason: null, detail: "done", duration: 1000, usd: 0.001 };
  const events = [
    { type: "task:claimed", worker: "bench", takenOver: false },
    { type: "worktree:ensured", repo: ".", branch: "b", from: "main" },
    { type: "step:started", stepId: "s", stepIndex: 0, totalSteps: 1 },
    { type: "agent:started", agent: "scripted", run, purpose: "step", permission: "all", resumed: false },
    { type: "agent:ended", run, ...figures, inputTokens: 100, outputTokens: 10, turns: 1 },
    { type: "session:opened", session: "x", agent: "scripted" },
    { type: "step:completed", stepId: "s", duration: 1 },
    { type: "check:passed", command: "true", duration: 10 },
    { type: "git:committed", commit: "abc" },
    { type: "merge:completed", branch: "b", into: "main" },
  ];
  const time = new Date().toISOString();
  return events.map(
    (each, at) => ({ id: `e${task}.${at}`, time, taskId: `T${task}`, ...each }) as unknown as PawlEvent,
  );
}
