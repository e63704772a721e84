/** Agents and commands that take virtual time: an agent commits or fails, may say that it is done, and may outlive its loop. */
import type { AgentEnd, AgentOrder, Agents } from "../../../src/core/ports/agents.ts";
import {
  type CommandEnd,
  type CommandOrder,
  type Commands,
  lastingOutput,
} from "../../../src/core/ports/commands.ts";
import type { MemoryGit } from "./memory-git.ts";
import type { Process, Simulator } from "./simulator.ts";

export interface AgentWorld {
  readonly simulator: Simulator;
  readonly git: MemoryGit;
  /** How often an agent fails, by chance. */
  readonly failing: number;
  /** How often it ends well and has done nothing. */
  readonly idle: number;
  /** When the limit of an agent's account ends; null: it has none. */
  limitOf(agent: string): Date | null;
  /** Runs that are alive: run → task. */
  readonly running: Map<string, string>;
  onStart(task: string, order: AgentOrder, by: Process): void;
  /** Its processes are gone, in the middle of whatever they did. */
  died(process: Process): void;
  /** The agent says by a command of its own that its task is done. */
  sayDone(task: string, process: Process): Promise<void>;
}

const END = {
  session: "session",
  text: "",
  usage: null,
  exit: { code: 0, signal: null },
  duration: 1,
  leftovers: { ended: 0, alive: 0 },
  output: ".pawl/agents/x" as AgentEnd["output"],
} as const;

/** What an agent says whose account is limited. */
export const LIMIT = "the account's limit is reached";

export function memoryAgents(world: AgentWorld): (process: Process) => Agents {
  const { simulator, git, running } = world;
  const ending = new Map<string, (end: AgentEnd) => void>();
  const processes = new Map<string, Process>();

  const end = (run: string, result: AgentEnd) => {
    const own = processes.get(run);
    if (own) world.died(own);
    running.delete(run);
    ending.get(run)?.(result);
    ending.delete(run);
  };

  const work = async (order: AgentOrder, task: string, own: Process) => {
    if (simulator.chance(world.failing))
      return end(order.run, { ...END, outcome: "failed", reason: "model-error", detail: "by chance" });
    const limit = world.limitOf(order.agent);
    if (limit !== null) {
      simulator.say(`agent ${order.run}: ${order.agent} is limited`);
      const limited = { words: LIMIT, resets: limit.toISOString() };
      return end(order.run, { ...END, outcome: "failed", reason: "rate-limit", detail: LIMIT, limited });
    }
    const branch = order.folder.agentPath.split("/").slice(2).join("/");
    const isIdle = simulator.chance(world.idle) && !order.prompt.includes("## Conflicts with");
    if (order.prompt.includes("## Conflicts with")) git.join(branch, "main");
    else if (!isIdle) git.commit(branch);
    simulator.say(`agent ${order.run}: ${isIdle ? "does nothing" : "commits"}`);
    if (simulator.chance(0.5)) await world.sayDone(task, own);
    await simulator.step(own, "");
    end(order.run, { ...END, outcome: "succeeded" });
  };

  return (process) => ({
    start(order) {
      const task = order.environment?.BLOOM_TASK ?? "";
      const own: Process = { name: `agent ${order.run}`, alive: true };
      world.onStart(task, order, process);
      running.set(order.run, task);
      processes.set(order.run, own);
      const ended = new Promise<AgentEnd>((resolve) => {
        ending.set(order.run, (result) => {
          if (process.alive) resolve(result);
        });
      });
      const pace = 50 + simulator.below(2000);
      simulator.after(own, pace, "works", () => void work(order, task, own));
      return {
        run: order.run,
        ended,
        async stop(reason) {
          await simulator.step(process, `stops agent ${order.run}`);
          // The supervisor of a slow loop may have ended it a moment before.
          const how = simulator.chance(0.3) ? "signalled" : "stopped";
          if (running.has(order.run))
            end(order.run, { ...END, outcome: "failed", reason: how, detail: reason });
          return ended;
        },
      };
    },
    async endLeftovers(run) {
      await simulator.step(process, "");
      const was = running.has(run);
      if (was) end(run, { ...END, outcome: "failed", reason: "signalled", detail: "a leftover" });
      return was ? 1 : 0;
    },
    takeCalls: async () => {},
    spentBy: async () => null,
    sessionOf: async () => null,
    lastSignOf: async () => null,
    accountOf: () => null,
    missing: () => null,
    survey: async () => [],
    tryOut: () => Promise.reject(new Error("no agent is tried out here")),
  });
}

export interface CommandWorld {
  readonly simulator: Simulator;
  readonly files: Map<string, string>;
  /** What it prints where it fails. */
  readonly says?: string;
  readonly begun?: (order: CommandOrder) => void;
  /** How the command ends there; nothing: well. */
  readonly exit?: (order: CommandOrder) => number;
}

export function memoryCommands({
  begun,
  exit,
  files,
  says = "",
  simulator,
}: CommandWorld): (process: Process) => Commands {
  const end: CommandEnd = {
    exit: 0,
    signal: null,
    ended: "itself",
    duration: 1,
    tail: "",
    output: ".pawl/commands/x" as CommandEnd["output"],
    leftovers: { ended: 0, alive: 0 },
  };
  return (process) => ({
    run: (order) => {
      begun?.(order);
      if (order.acts === "lasting") files.set(lastingOutput(order.run), "");
      const output = `.pawl/commands/${order.run}` as CommandEnd["output"];
      let tell = (_: CommandEnd) => {};
      const ended = new Promise<CommandEnd>((resolve) => {
        tell = resolve;
      });
      simulator.after(process, 10 + simulator.below(300), "verifies", () => {
        const code = exit?.(order) ?? 0;
        const told = { ...end, exit: code, tail: code === 0 ? "" : says, output };
        files.set(`${output}/end.json`, JSON.stringify({ ...told, folder: order.folder.agentPath }));
        tell(told);
      });
      return {
        ended,
        stop: async () => {
          tell({ ...end, exit: null, ended: "stopped" });
          return ended;
        },
      };
    },
  });
}
