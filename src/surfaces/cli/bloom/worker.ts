/** `pawl worker`: the work loop as one worker among several machines, until a signal or an order ends it. */
import { hostname, platform } from "node:os";
import { setTimeout } from "node:timers/promises";
import { agentNames } from "../../../core/agent-needs.ts";
import { DatabaseAway, PawlError } from "../../../core/error.ts";
import { checkId } from "../../../core/id.ts";
import type { LoopPorts } from "../../../core/ports/loop.ts";
import type { LoopEnd } from "../../../core/ports/loop-end.ts";
import type { Registration, WorkerEntry, WorkerOrder } from "../../../core/ports/workers.ts";
import type { Project } from "../../../runtime/project.ts";
import { openHeartbeat } from "../../../scheduler/heartbeat.ts";
import { checkedSettings } from "../../../workflows/bloom/govern.ts";
import { parseLabels, without } from "../../../workflows/bloom/labels.ts";
import type { LoopSetup } from "../../../workflows/bloom/scheduler/loop.ts";
import type { Answer, Call, Host, Run } from "../line/command.ts";
import { warnOfTasksFile } from "../line/warn.ts";
import { beginLoop } from "../project/policy.ts";
import { agreeToNew } from "../project/trust.ts";
import type { Screen } from "./run-screen.ts";
import {
  endAnswer,
  endLines,
  parseAgents,
  runWith,
  screenOf,
  stageOnSignal,
  whileAnswering,
} from "./work-loop.ts";

export const worker: Run = async (host, call) => {
  const project = await host.projects.open();
  await warnOfTasksFile(host, project);
  return whileAnswering(host, call, project, () => work(project, host, call));
};

async function work(project: Project, host: Host, call: Call): Promise<Answer> {
  const screen = screenOf(host, call.json, false);
  const { bloom, outside, own, registration } = await whenReached(screen, () => begin(project, host, call));
  const [drain, stop] = [new AbortController(), new AbortController()];
  const signals = stageOnSignal(screen, [
    { controller: drain, says: `${DRAINS} The next signal hands them back.` },
    {
      controller: stop,
      says: "Stopping the agents and handing the tasks back. The next signal quits at once.",
    },
  ]);
  const atWork = openCount();
  const orders = new Set<WorkerOrder>();
  const heartbeat = openHeartbeat({
    ...{ registration, drain, stop, clock: outside.clock, atWork: atWork.count },
    onOrder(order) {
      orders.add(order);
      screen.say(wordsOf(order, own.name));
    },
  });
  screen.say(`Worker ${own.name} takes up to ${own.capacity} at once, with ${own.labels.join(", ")}.`);
  try {
    const end = await runWith(project, outside, screen, {
      ...{ name: own.name, agents: own.capacity, mergeTrain: bloom.merge_train, once: false },
      worker: { name: null, only: null, labels: own.labels },
      ...{ stop: stop.signal, drain: drain.signal },
      onEvent(event) {
        atWork.onEvent(event);
        // `pawl worker list` then lists this worker as draining.
        if (event.type === "loop:outgrown") drain.abort();
      },
    });
    return answerOf(end, {
      own,
      host,
      call,
      isStopped: stop.signal.aborted,
      isReplaced: orders.has("replaced"),
    });
  } finally {
    screen.close();
    signals.forget();
    await heartbeat.close();
  }
}

/** Retries until the database answers, and shows the pause. */
async function whenReached<T>(screen: Screen, act: () => Promise<T>): Promise<T> {
  for (let hasReported = false; ; hasReported = true) {
    try {
      const result = await act();
      if (hasReported) screen.show({ type: "loop:resumed" });
      return result;
    } catch (thrown) {
      if (thrown instanceof DatabaseAway) {
        const { code, message: reason } = thrown;
        if (!hasReported) screen.show({ type: "loop:paused", code, reason, fix: WAITS });
        await setTimeout(PAUSE_MILLISECONDS);
        continue;
      }
      screen.close();
      throw thrown;
    }
  }
}

const WAITS = "This worker begins as soon as the database answers; Ctrl-C ends it.";
const PAUSE_MILLISECONDS = 1000;

async function begin(project: Project, host: Host, call: Call) {
  const { agents, bloom } = await checkedSettings(project.runtime);
  const entry = entryOf(call, host, bloom.agents);
  await agreeToNew(project, host);
  await beginLoop(project, host);
  const outside = await project.openLoop();
  try {
    // Its own report, so that others do not wait for it in vain.
    const lacks = agentNames(agents).filter((name) => outside.ports.agents.missing(name) !== null);
    const registration = { ...entry, labels: [...entry.labels, ...lacks.map(without)] };
    return { bloom, own: entry, outside, registration: await register(outside, registration) };
  } catch (thrown) {
    outside.close?.();
    throw thrown;
  }
}

const DRAINS = "Draining: this worker takes no new tasks, and ends when its own are done.";

function wordsOf(order: Exclude<WorkerOrder, "go-on">, name: string): string {
  if (order === "replaced")
    return `Another process works under the name ${name} now. This one stops its agents and ends.`;
  return order === "outgrown"
    ? `The database needs a newer Pawl. ${DRAINS}`
    : `A person asked for it. ${DRAINS}`;
}

const PLATFORMS: Readonly<Record<string, string>> = { darwin: "macos", win32: "windows" };

function entryOf({ options }: Call, { version }: Host, agents: number): WorkerEntry {
  const labels = parseLabels(String(options.labels ?? ""));
  const name =
    options.name ??
    (hostname()
      .replace(/[^A-Za-z0-9_-]+/g, "-")
      .replace(/^[_-]+/, "") ||
      "worker");
  return {
    ...{ version, host: hostname(), name: checkId(name, "worker's name") },
    labels: [...new Set([PLATFORMS[platform()] ?? platform(), ...labels])].sort(),
    capacity: parseAgents(options.agents) ?? agents,
  };
}

async function register({ workers }: LoopPorts, entry: WorkerEntry): Promise<Registration> {
  if (workers === undefined)
    throw new PawlError(
      "usage",
      "`pawl worker` needs a database, and this project keeps Bloom's work in files.",
      "Run `pawl run`. For several machines, set `stores: {bloom: postgres}` in pawl.yaml.",
    );
  const registration = await workers.register(entry);
  if (registration !== null) return registration;
  const other = (await workers.list()).find(({ name }) => name === entry.name);
  throw new PawlError(
    "worker-name-taken",
    `Another worker is called ${entry.name}${other ? `: it works on ${other.host}, and was seen ${other.seen}` : ""}. Nothing was begun.`,
    "Choose another name with --name. A worker that died frees its name after 15 seconds; in its own checkout at once.",
  );
}

/** Counts the tasks that are being worked on. */
function openCount(): { count(): number; readonly onEvent: LoopSetup["show"] } {
  const tasks = new Set<string>();
  return {
    count: () => tasks.size,
    onEvent(event) {
      if (event.type === "task:claimed") tasks.add(event.taskId);
      if (event.type === "task:released") tasks.delete(event.taskId);
    },
  };
}

interface Ended {
  readonly own: WorkerEntry;
  readonly host: Host;
  readonly call: Call;
  readonly isStopped: boolean;
  readonly isReplaced: boolean;
}

function answerOf(end: LoopEnd, { call, host, isReplaced, isStopped, own }: Ended): Answer {
  const text = `Worker ${own.name} has ended.\n${endLines(end, host).join("\n")}\n`;
  const data = { type: "loop:ended", worker: own.name, ...end };
  const exit = isReplaced ? 1 : isStopped ? 130 : undefined;
  return endAnswer({ text, data, exit }, call.json === true, host);
}
