/** `pawl worker list`: lists the project's workers, and ends one of them. */
import { setTimeout } from "node:timers/promises";
import { PawlError } from "../../../core/error.ts";
import type { WorkerState, WorkerStatus, Workers } from "../../../core/ports/workers.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { withProjectOnDatabase } from "../database/database.ts";
import type { Answer, Run } from "../line/command.ts";
import { ago, counted } from "../terminal/amounts.ts";
import { refuseAgent } from "../terminal/person.ts";
import { renderTable } from "../terminal/table.ts";
import { clean, type Terminal } from "../terminal/terminal.ts";

export const workers: Run = async (host) =>
  withProjectOnDatabase(host, async ({ workers: all }) => {
    const [list, spent] = [await all.list(), await all.spentToday()];
    return {
      text: renderWorkers(list, spent, host.terminal, new Date()),
      data: { workers: list, spentToday: spent },
    };
  });

/** Whether a person gave the label. The others name agents that the machine lacks; status names those that a task needs. */
function isGiven(label: string): boolean {
  return !label.startsWith("-");
}

/** The table omits workers that ended longer ago. */
const DAY = 86_400_000;

export function renderWorkers(
  all: readonly WorkerStatus[],
  spent: number,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
  now: Date,
): string {
  const shown = all.filter(({ seen, state }) => !hasEnded(state) || now.getTime() - Date.parse(seen) < DAY);
  const hidden = all.length - shown.length;
  const rows = shown.map(({ atWork, capacity, host, labels, name, seen, state }) => [
    ...[name, host, state, `${atWork} of ${capacity}`, labels.filter(isGiven).join(", "), ago(seen, now)],
  ]);
  const lines = [
    ...(rows.length === 0
      ? ["There are no workers. `pawl worker` starts one on this machine."]
      : renderTable(
          [["NAME", "HOST", "STATE", "AT WORK", "LABELS", "SEEN"], ...rows],
          columns,
          clean,
          paint,
        )),
    ...(hidden > 0 ? [paint.dim(`${counted(hidden, "worker")} ended more than a day ago.`)] : []),
    `Agents have spent ${spent.toFixed(2)} USD today, in UTC.`,
  ];
  return `${lines.join("\n")}\n`;
}

function hasEnded(state: WorkerState): boolean {
  return state === "gone" || state === "drained";
}

export const drainWorker: Run = async (host, call) => {
  const name = String(call.arguments.name);
  refuseAgent(host, "drain a worker", `pawl worker drain ${name}`);
  return withProjectOnDatabase(host, async ({ workers: all }) => {
    const before = await all.drain(name);
    if (before === null) throw missingWorkerError(name, await all.list());
    if (call.options.wait === true) return whenDrained(all, name, before);
    const text =
      before === "working"
        ? `${name} takes no new tasks, and ends when its own are done. \`pawl worker list\` shows how far it is.\n`
        : `${name} ${hasEnded(before) ? "has ended already" : "drains already"}.\n`;
    return { text, data: { worker: name, before } };
  });
};

const PAUSE_MILLISECONDS = 1000;

/**
 * Waits until the worker has drained: its tasks are done, or handed back. Or until it is gone: it died, and other
 * workers take its tasks when their leases expire.
 */
async function whenDrained(all: Pick<Workers, "list">, name: string, before: WorkerState): Promise<Answer> {
  for (;;) {
    const state = (await all.list()).find((each) => each.name === name)?.state ?? "gone";
    const data = { worker: name, before, state };
    if (state === "drained") return { text: `${name} has drained: it has no more work.\n`, data };
    if (state === "gone")
      return { text: `${name} is gone: it ended before it had drained.\n`, data, exit: 1 };
    await setTimeout(PAUSE_MILLISECONDS);
  }
}

function missingWorkerError(name: string, all: readonly WorkerStatus[]): PawlError {
  const near = nearest(
    name,
    all.map((each) => each.name),
  );
  return new PawlError(
    "worker-missing",
    `No worker is called ${JSON.stringify(name)}.`,
    near === null ? "`pawl worker list` lists them." : `Use ${near}; \`pawl worker list\` lists them.`,
  );
}
