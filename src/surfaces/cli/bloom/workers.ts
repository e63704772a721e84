/** `pawl workers`: lists the project's workers, and ends one of them. */
import { PawlError } from "../../../core/error.ts";
import type { WorkerSeen } from "../../../core/ports/workers.ts";
import { nearest } from "../../../core/text/nearest.ts";
import { withProjectOnDatabase } from "../database/database.ts";
import type { Run } from "../line/command.ts";
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

/** The table omits workers that ended longer ago. */
const DAY = 86_400_000;

export function renderWorkers(
  all: readonly WorkerSeen[],
  spent: number,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
  now: Date,
): string {
  const shown = all.filter(({ seen, state }) => state !== "gone" || now.getTime() - Date.parse(seen) < DAY);
  const hidden = all.length - shown.length;
  const rows = shown.map(({ atWork, capacity, host, labels, name, seen, state }) => [
    ...[name, host, state, `${atWork} of ${capacity}`, labels.join(", "), ago(seen, now)],
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

export const drainWorker: Run = async (host, call) => {
  const name = String(call.arguments.name);
  refuseAgent(host, "drain a worker", `pawl workers drain ${name}`);
  return withProjectOnDatabase(host, async ({ workers: all }) => {
    const before = await all.drain(name);
    if (before === null) throw missing(name, await all.list());
    const text =
      before === "working"
        ? `${name} takes no new tasks, and ends when its own are done. \`pawl workers\` shows how far it is.\n`
        : `${name} ${before === "gone" ? "has ended already" : "drains already"}.\n`;
    return { text, data: { worker: name, before } };
  });
};

function missing(name: string, all: readonly WorkerSeen[]): PawlError {
  const near = nearest(
    name,
    all.map((each) => each.name),
  );
  return new PawlError(
    "worker-missing",
    `No worker is called ${JSON.stringify(name)}.`,
    near === null ? "`pawl workers` lists them." : `Use ${near}; \`pawl workers\` lists them.`,
  );
}
