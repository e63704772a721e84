/** Looks over and over whether each agent that is alive works under a lease of its worker. */
import { existsSync, readFileSync } from "node:fs";
import type { Cluster } from "./database.ts";

interface Agent {
  readonly task: string;
  readonly worker: string;
  readonly pid: string;
  /** Tells the process from a later one with its number. */
  readonly began: string;
}

export interface AgentWatch {
  /** How often it looked, and at how many agents in all. */
  readonly looks: number;
  readonly seen: number;
  readonly faults: readonly { readonly fault: string; readonly task: string }[];
  /** The task of a worker's agent, as it was seen last, and for how many milliseconds it was seen alive. */
  atWork(worker: string): { readonly task: string; readonly milliseconds: number } | null;
  close(): Promise<void>;
}

/** What an agent does first, so that it is found. */
export function agentSays(file: string): string {
  const parent = "p=$(cut -d ' ' -f 4 /proc/$$/stat)";
  return `${parent}; echo "ID \${PAWL_PROJECT##*/} $p $(cut -d ' ' -f 22 /proc/$p/stat)" >> ${file}`;
}

/** `say`: hears each fault at the moment when it is seen. */
export function watchAgents(file: string, { ask }: Cluster, say: (line: string) => void): AgentWatch {
  /** Each with what was seen first. */
  const faults = new Map<string, string>();
  const note = (fault: string, task: string, seenWith = "") => {
    if (faults.has(fault)) return;
    faults.set(fault, task);
    say(`✗ ${fault}${seenWith}`);
  };
  let looks = 0;
  let seen = 0;
  let isOver = false;
  let last: readonly Agent[] = [];
  const since = new Map<string, number>();
  const look = async () => {
    const before = agentsIn(file).filter(isAlive);
    const all = await ask<{ what: string; holder: string | null; epoch: string; left: number }>(
      "select what, holder, epoch, extract(epoch from until - clock_timestamp())::float as left from pawl.lease",
    );
    const leases = all.filter(({ holder, left }) => holder !== null && left > 0);
    // Who was alive before and after was alive at the moment that the database showed.
    const alive = before.filter(isAlive);
    last = alive;
    for (const { pid } of alive) if (!since.has(pid)) since.set(pid, performance.now());
    looks += 1;
    seen += alive.length;
    for (const agent of alive) {
      const lease = leases.find(({ what }) => what === agent.task);
      if (!lease?.holder?.startsWith(`${agent.worker} `)) {
        const row = all.find(({ what }) => what === agent.task);
        note(
          `the agent ${agent.pid} of ${agent.worker} is alive, the lease of ${agent.task} is ${lease?.holder ?? "nobody"}'s`,
          agent.task,
          `; the lease: ${row ? `${row.holder ?? "released"}, epoch ${row.epoch}, ${row.left.toFixed(1)} s left` : "none"}`,
        );
      }
      const workers = alive.filter(({ task }) => task === agent.task).map(({ worker }) => worker);
      if (workers.length > 1)
        note(`several agents are alive at ${agent.task}: of ${workers.join(", ")}`, agent.task);
    }
  };
  const over = (async () => {
    while (!isOver) {
      // Nothing can be seen while no server runs.
      await look().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    get looks() {
      return looks;
    },
    get seen() {
      return seen;
    },
    get faults() {
      return [...faults].map(([fault, task]) => ({ fault, task }));
    },
    atWork(worker) {
      const agent = last.find((each) => each.worker === worker);
      if (agent === undefined) return null;
      return { task: agent.task, milliseconds: performance.now() - (since.get(agent.pid) ?? 0) };
    },
    async close() {
      isOver = true;
      await over;
    },
  };
}

function agentsIn(file: string): readonly Agent[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [task = "", worker = "", pid = "", began = ""] = line.split(" ");
      return { task, worker, pid, began };
    });
}

function isAlive({ began, pid }: Agent): boolean {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields[0] !== "Z" && fields[0] !== "X" && fields[19] === began;
  } catch {
    return false;
  }
}
