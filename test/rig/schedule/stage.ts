/** One loop over a project in memory, in virtual time: a test writes what is there, lets time pass, and looks. */
import { newId } from "../../../src/adapters/clock/new-id.ts";
import type { BloomHappening } from "../../../src/core/bloom-event.ts";
import type { PawlEvent } from "../../../src/core/event.ts";
import { DEFAULT_SETTINGS } from "../../../src/core/settings.ts";
import type { Runtime } from "../../../src/runtime/run-transaction.ts";
import { type LoopEnd, runLoop } from "../../../src/workflows/bloom/scheduler/loop.ts";
import { memoryAgents, memoryCommands } from "./memory-agents.ts";
import { memoryCache, openMemoryDisk } from "./memory-disk.ts";
import { openMemoryGit } from "./memory-git.ts";
import { type Process, Simulator } from "./simulator.ts";

export interface Stage {
  /** What the loop has told, in order. */
  readonly told: readonly (BloomHappening | PawlEvent)[];
  /** Runs of agents that were started. */
  readonly started: readonly string[];
  /** How often the project was looked at. */
  looks(): number;
  read(path: string): string | null;
  /** A person's editor. */
  save(path: string, text: string): void;
  pass(milliseconds: number): Promise<void>;
  /** Lets time pass only as far as it must. */
  until(holds: () => boolean): Promise<void>;
  stop(): void;
  /** How it ended; null: it goes on. */
  ended(): LoopEnd | Error | null;
}

const SEED = 1;

export function openStage({ tasks, once = false }: { tasks: string; once?: boolean }): Stage {
  const simulator = new Simulator(SEED);
  const disk = openMemoryDisk(simulator);
  const git = openMemoryGit(simulator, disk);
  const loop: Process = { name: "loop", alive: true };
  const told: (BloomHappening | PawlEvent)[] = [];
  const started: string[] = [];
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
    settings: async () => DEFAULT_SETTINGS,
    now: () => simulator.now(),
    newId,
    cache: memoryCache(disk.files),
  };
  const agents = memoryAgents({
    simulator,
    git,
    failing: 0,
    idle: 0,
    running: new Map(),
    onStart: (_, { run }) => void started.push(run),
    died: disk.died,
    sayDone: async () => {},
  });
  runLoop({
    ports: {
      agents: agents(loop),
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
    once,
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
    started,
    looks: () => looks,
    read: (path) => disk.files.get(path) ?? null,
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
