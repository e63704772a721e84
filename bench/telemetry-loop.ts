/**
 * A loop's part in the live export, by itself: started by `telemetry-part.ts` with the receiver's address and a count of tasks.
 * Prints the milliseconds of processor time that it took of this process, and of the one beside it.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openEventLog } from "../src/adapters/events/event-log.ts";
import { openTelemetry } from "../src/app/telemetry.ts";
import { EVENTS, type PawlEvent } from "../src/core/event.ts";
import { projectPath } from "../src/core/path.ts";

const TOGETHER = 5;
const [url = "", tasks = "", home = ""] = process.argv.slice(2);

/** Prints the process's own milliseconds at its end. */
const REPORT = `data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.error("CPU "+(user+system)/1e3)})`;

const root = mkdtempSync(join(tmpdir(), "pawl-bench-"));
const file = join(root, EVENTS);
mkdirSync(resolve(file, ".."), { recursive: true });
writeFileSync(file, "");
writeFileSync(join(root, "pawl.yaml"), "");
let beside = Number.NaN;
// The loop has it for its agents.
await import("node:child_process").then(({ spawnSync }) => spawnSync("true"));
const begun = cpu();
const telemetry = openTelemetry({
  ...{ root, home, version: () => "0.0.0", newId: () => "bench", workflows: { shipped: {} } as never },
  environment: {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    NODE_OPTIONS: `--import ${JSON.stringify(REPORT)}`,
  },
  log: async () => openEventLog(file),
  warn: (line) => {
    beside = Number(/^CPU (.*)/.exec(line)?.[1]);
  },
});
await telemetry.loop();
for (let task = 0; task < Number(tasks); task += TOGETHER) {
  const events = Array.from({ length: Math.min(TOGETHER, Number(tasks) - task) }, (_, at) =>
    life(task + at),
  ).flat();
  const changes = events.map((event) => ({
    ...{ type: "append" as const, path: projectPath(EVENTS), id: event.id },
    text: `${JSON.stringify(event)}\n`,
  }));
  appendFileSync(file, changes.map(({ text }) => text).join(""));
  for (const change of changes) telemetry.saw([change]);
  await sleep(500);
}
await telemetry.close();
const own = cpu() - begun;
process.stdout.write(JSON.stringify({ own, beside }));
rmSync(root, { recursive: true });

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
