/** One loop over a project in memory, in virtual time: a test writes what is there, lets time pass, and looks. */
import { parseDocument } from "yaml";
import { newId } from "../../../src/adapters/clock/new-id.ts";
import type { BloomHappening } from "../../../src/core/bloom-event.ts";
import type { PawlEvent } from "../../../src/core/event.ts";
import type { AgentEnd, AgentFailure, AgentOrder, Agents } from "../../../src/core/ports/agents.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../src/core/settings.ts";
import { advance, type Runtime } from "../../../src/runtime/run-transaction.ts";
import type { Task } from "../../../src/tasks-file/task.ts";
import { type LoopEnd, runLoop } from "../../../src/workflows/bloom/scheduler/loop.ts";
import { stepDone } from "../../../src/workflows/bloom/verbs/step.ts";
import { memoryCommands } from "./memory-agents.ts";
import { memoryCache, openMemoryDisk } from "./memory-disk.ts";
import { openMemoryGit } from "./memory-git.ts";
import { type Process, Simulator } from "./simulator.ts";

export interface Stage {
  /** What the loop has told, in order. */
  readonly told: readonly (BloomHappening | PawlEvent)[];
  /** What was stored as events, in order. */
  readonly stored: readonly StoredEvent[];
  /** The runs of agents, in the order in which they were started. */
  readonly runs: readonly StageRun[];
  /** How often the project was looked at. */
  looks(): number;
  read(path: string): string | null;
  tasks(): readonly Task[];
  /** A person's editor. */
  save(path: string, text: string): void;
  pass(milliseconds: number): Promise<void>;
  /** Lets time pass only as far as it must. */
  until(holds: () => boolean): Promise<void>;
  stop(): void;
  /** How it ended; null: it goes on. */
  ended(): LoopEnd | Error | null;
}

export interface StoredEvent {
  readonly type: string;
  readonly taskId?: string;
  readonly stepId?: string;
}

export interface StageRun {
  readonly run: string;
  readonly prompt: string;
  readonly resumed: boolean;
  /** The loop's answer to the agent's own `bloom step done ID`. */
  stepDone(id: string): Promise<unknown>;
}

/** How a run fails; nothing: it ends well. */
export interface Failing {
  readonly reason: AgentFailure;
  readonly detail: string;
}

export interface StageOptions {
  readonly tasks: string;
  readonly once?: true;
  readonly settings?: Partial<Settings["bloom"]>;
  /** What the agent of a run does. */
  readonly agent?: (run: StageRun) => Promise<Failing | undefined>;
}

const SEED = 1;

export function openStage({ tasks, once, settings, agent = async () => undefined }: StageOptions): Stage {
  const simulator = new Simulator(SEED);
  const disk = openMemoryDisk(simulator);
  const git = openMemoryGit(simulator, disk);
  const loop: Process = { name: "loop", alive: true };
  const told: (BloomHappening | PawlEvent)[] = [];
  const stored: StoredEvent[] = [];
  disk.onEvent = (event) => void stored.push(event);
  const runs: StageRun[] = [];
  const stop = new AbortController();
  let looks = 0;
  let end: LoopEnd | Error | null = null;
  disk.files.set("tasks.yaml", tasks);
  const store = disk.storeOf(loop);
  const runtime: Runtime = {
    store: {
      ...store,
      view() {
        looks += 1;
        return store.view();
      },
    },
    outside: {} as Runtime["outside"],
    settings: async () => ({ ...DEFAULT_SETTINGS, bloom: { ...DEFAULT_SETTINGS.bloom, ...settings } }),
    now: () => simulator.now(),
    newId,
    cache: memoryCache(disk.files),
  };
  const byAgent = (order: AgentOrder): Runtime => ({
    ...runtime,
    store: disk.storeOf({ name: order.run, alive: true }),
  });
  const begin = (order: AgentOrder): StageRun => {
    const caller = { channel: "agent", task: order.task ?? "" } as const;
    const run = {
      run: order.run,
      prompt: order.prompt,
      resumed: order.session.type === "resume",
      stepDone: (id: string) => advance(byAgent(order), stepDone, { id }, caller),
    };
    runs.push(run);
    return run;
  };
  const agents = scriptedAgents(simulator, async (order) => {
    const failed = await agent(begin(order));
    if (failed === undefined && order.folder.startsWith(BRANCHES))
      git.commit(order.folder.slice(BRANCHES.length));
    return failed;
  });
  runLoop({
    ports: {
      agents,
      commands: memoryCommands(simulator)(loop),
      worktrees: git.worktreesOf(loop),
      pullRequests: undefined as never,
      setups: undefined as never,
      root: "/root" as never,
      environment: {},
    },
    claims: disk.claimsOf(loop),
    watch: disk.watchOf(loop),
    clock: simulator.clock(loop),
    runtime,
    name: loop.name,
    agents: 2,
    mergeTrain: 4,
    once: once === true,
    show: (event) => told.push(event),
    stop: stop.signal,
  }).then(
    (ended) => {
      end = ended;
    },
    (error: Error) => {
      end = error;
    },
  );
  const runUntil = (isOver: () => boolean) =>
    simulator.run({ isOver, eachStep() {}, atRest() {}, isPatient: true });
  return {
    told,
    stored,
    runs,
    looks: () => looks,
    read: (path) => disk.files.get(path) ?? null,
    tasks: () => parseDocument(disk.files.get("tasks.yaml") ?? "").toJS().tasks as readonly Task[],
    save: disk.save,
    async pass(milliseconds) {
      let over = false;
      simulator.after({ name: "test", alive: true }, milliseconds, "", () => {
        over = true;
      });
      await runUntil(() => over);
    },
    until: runUntil,
    stop: () => stop.abort(),
    ended: () => end,
  };
}

const BRANCHES = "/worktrees/";
const WORKS_MILLISECONDS = 100;

/** Each works for a moment, and then does it all. */
function scriptedAgents(
  simulator: Simulator,
  act: (order: AgentOrder) => Promise<Failing | undefined>,
): Agents {
  return {
    start(order, hear) {
      const session = order.session.id ?? `session-${order.run}`;
      hear({ type: "session", id: session });
      const ended = new Promise<AgentEnd>((resolve) => {
        simulator.after({ name: order.run, alive: true }, WORKS_MILLISECONDS, "works", async () => {
          const failed = await act(order);
          const end = { ...END, session: failed?.reason === "bad-session" ? null : session };
          resolve(failed ? { ...end, outcome: "failed", ...failed } : { ...end, outcome: "succeeded" });
        });
      });
      return { run: order.run, ended, stop: () => ended };
    },
    endLeftovers: async () => 0,
    takeCalls: async () => {},
    spentBy: async () => null,
    missing: () => null,
    survey: async () => [],
    tryOut: () => Promise.reject(new Error("no agent is tried out here")),
  };
}

const END = {
  text: "",
  usage: null,
  exit: { code: 0, signal: null },
  duration: 1,
  leftovers: { ended: 0, alive: 0 },
  output: ".pawl/agents/x" as AgentEnd["output"],
} as const;
