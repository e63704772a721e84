/** A work loop over a project in memory, in virtual time: a test writes what is there, lets time pass, and looks. */
import { parseDocument } from "yaml";
import { newId } from "../../../src/adapters/clock/new-id.ts";
import type { BloomEvent } from "../../../src/core/bloom-event.ts";
import type { PawlEvent } from "../../../src/core/event.ts";
import type {
  AgentEnd,
  AgentEvent,
  AgentFailure,
  AgentOrder,
  Agents,
  AgentUsage,
  DeferredCall,
  Limited,
  PermissionQuestion,
  QuotaWindow,
} from "../../../src/core/ports/agents.ts";
import type { CommandOrder } from "../../../src/core/ports/commands.ts";
import type { Cap, Held, LeaseManager, Wanted } from "../../../src/core/ports/leases.ts";
import type { EndedItem, LoopPorts, OpenDriver } from "../../../src/core/ports/loop.ts";
import type { LoopEnd } from "../../../src/core/ports/loop-end.ts";
import type { Policies } from "../../../src/core/ports/policies.ts";
import type { PullRequests } from "../../../src/core/ports/pull-requests.ts";
import type { Change, View } from "../../../src/core/ports/store.ts";
import type { Saved, WorkDone, Worktrees } from "../../../src/core/ports/worktrees.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../src/core/settings.ts";
import type { Reply, Transaction } from "../../../src/runtime/module.ts";
import { type Runtime, runTransaction } from "../../../src/runtime/transaction/run-transaction.ts";
import { isNoTasksFile } from "../../../src/tasks-file/load.ts";
import type { Task } from "../../../src/tasks-file/task.ts";
import type { Worker } from "../../../src/workflows/bloom/pick.ts";
import { runLoop } from "../../../src/workflows/bloom/scheduler/loop.ts";
import { stepDone } from "../../../src/workflows/bloom/verbs/step.ts";
import { memoryCommands } from "./memory-agents.ts";
import { memoryCache, openMemoryDisk } from "./memory-disk.ts";
import { type MemoryGit, openMemoryGit } from "./memory-git.ts";
import { type Process, Simulator } from "./simulator.ts";

export interface Stage {
  /** What the loops have told, in order. */
  readonly told: readonly (BloomEvent | PawlEvent)[];
  /** What was stored as events, in order. */
  readonly stored: readonly StoredEvent[];
  /** The runs of agents, in the order in which they were started. */
  readonly runs: readonly StageRun[];
  /** How often the project was looked at. */
  looks(): number;
  read(path: string): string | null;
  tasks(): readonly Task[];
  /** Where the task's run stands. */
  state(id: string): string | undefined;
  /** A person's editor. */
  save(path: string, text: string): void;
  /** A person's verb; what it asks is answered with yes. */
  person<Input>(verb: Transaction<Input, unknown, unknown, Reply>, input: Input): Promise<Reply>;
  pass(milliseconds: number): Promise<void>;
  /** Lets time pass only as far as it must. */
  until(holds: () => boolean): Promise<void>;
  stop(): void;
  drain(): void;
  /** The lease on a task can no longer be renewed. */
  loseLease(what: string): void;
  /** The loop's process is killed; its agents live on. */
  kill(): void;
  /** How the last loop ended; null: it goes on. */
  ended(): LoopEnd | Error | null;
  /** To the end of the loop that runs; throws what it throws. */
  end(): Promise<LoopEnd>;
  /** Another loop, to its end. */
  again(): Promise<LoopEnd>;
  readonly git: MemoryGit;
  /** Leases, by the task or place that is held. */
  readonly leases: Map<string, Process>;
  /** Milliseconds since the beginning. */
  elapsed(): number;
  /** The clock that the loop has. */
  now(): Date;
  /** What was told of that type, in order. */
  of<Type extends string>(type: Type): readonly Extract<BloomEvent | PawlEvent, { readonly type: Type }>[];
}

export interface StoredEvent {
  readonly type: string;
  readonly taskId?: string;
  readonly stepId?: string;
}

export interface StageRun {
  /** The variables that its agent gets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly run: string;
  readonly task: string;
  readonly agent: string;
  readonly prompt: string;
  readonly resumed: boolean;
  /** Why it is told to stop; settles only then. */
  readonly stopped: Promise<string>;
  /** A verb that the agent calls itself. */
  call<Input>(verb: Transaction<Input, unknown, unknown, Reply>, input: Input): Promise<Reply>;
  /** The loop's answer to the agent's own `bloom step done ID`. */
  stepDone(id: string): Promise<unknown>;
  /** What it may not do unasked. */
  mayIt(question: PermissionQuestion): Promise<"allow" | "refuse">;
  /** It has made so many calls of its model so far, for so many dollars. */
  spend(turns: number, usd?: number): void;
  works(milliseconds: number): Promise<void>;
  /** What its account has used by now. */
  tellQuota(windows: readonly QuotaWindow[]): void;
}

/** How a run fails; nothing: it ends well. */
export interface Failing {
  readonly reason: AgentFailure;
  readonly detail: string;
  readonly limited?: Limited;
}

export interface StageOptions {
  /** `signalled`: the supervisor of the loop, which was slow, ends an agent a moment before the loop does. */
  readonly stoppedAs?: "stopped" | "signalled";
  readonly tasks: string;
  readonly once?: true;
  readonly noWait?: true;
  /** Of the simulator, before it gives up. */
  readonly mostSteps?: number;
  readonly settings?: Partial<Settings["bloom"]>;
  readonly environment?: Partial<Settings["task_environment"]>;
  /** Where branches are pushed to, and pull requests are opened. */
  readonly forge?: PullRequests;
  /** What governs the open runs, kept outside the project. */
  readonly policies?: Policies;
  /** By agent name, this machine's accounts. */
  readonly accounts?: () => Readonly<Record<string, string>>;
  /** Names of agents that are not installed. */
  readonly missing?: readonly string[];
  readonly agents?: number;
  readonly worker?: Worker;
  /** What the loop works on besides tasks; then the project need not have any. */
  readonly others?: readonly OpenDriver[];
  /** What agents left in their outboxes, by run; `own`: with the run's capability. */
  readonly deferred?: Readonly<
    Record<string, readonly { readonly call: DeferredCall; readonly own: boolean }[]>
  >;
  /** Model calls that a run is known to have made, though nobody heard its end. */
  readonly spent?: Readonly<Record<string, number>>;
  /** Sessions that are found in the output of runs, by run. */
  readonly sessions?: Readonly<Record<string, { readonly id: string; readonly folder: string }>>;
  /** When runs last gave a sign of life. */
  readonly lastSigns?: Readonly<Record<string, string>>;
  /** What goes wrong where a lease is taken or a worktree made; nothing: it goes well. */
  readonly fault?: (at: "lease" | "worktree", what: string) => Error | undefined;
  /** Other machines work on the tasks, too. */
  readonly shared?: {
    /** What the remote answers where a branch is saved; nothing: it has it. */
    readonly save?: (branch: string, order: { readonly hurried: boolean }) => Saved | undefined;
    /** What this machine lacks. */
    readonly missing?: () => Error | undefined;
    /** Whether the target was taken from whoever publishes a merge. */
    readonly overtaken?: () => boolean;
    /** This machine; default: `here`. */
    readonly host?: () => string;
    /** What a commit of work on a task meets; nothing: the lease is still held. */
    readonly late?: (lease: string) => Error | undefined;
    /** What earlier sessions have done. */
    readonly done?: WorkDone;
    /** The cap over all machines that is reached for a task; nothing: none. */
    readonly cap?: (task: string, wanted: Wanted) => Cap | undefined;
    /** What is to be left to other machines. */
    readonly held?: () => readonly Held[];
  };
  /** How a command ends in a folder, the nth time there; nothing: well. */
  readonly exit?: (command: string, folder: string, n: number) => number | undefined;
  /** A command begins or ends, the nth time in its folder. */
  readonly onCommand?: (isBegun: boolean, n: number, order: CommandOrder) => void;
  /** Why a person must first agree to what a task starts; nothing: they have. */
  readonly lacksTrust?: LoopPorts["lacksTrust"];
  /** Whether agents have a wall. Absent: nobody asks what ended the tasks. */
  readonly isWalled?: boolean;
  /** What the agent of a run does. */
  readonly agent?: (run: StageRun) => Promise<Failing | undefined>;
}

/** What a verdict asks about the work: nothing is known here. */
const NO_GIT = {
  between: async () => null,
  commits: async () => ({ kind: "unavailable", reason: "the branches are in memory" }),
};
const NO_FILES = { missing: async () => [] };

const SEED = 1;
const MAX_STEPS = 10_000;

export function openStage(options: StageOptions): Stage {
  const { tasks, settings, forge, missing = [], agent = async () => undefined } = options;
  const simulator = new Simulator(SEED);
  const disk = openMemoryDisk(simulator);
  const git = openMemoryGit(simulator, disk, { remote: forge !== undefined });
  const told: (BloomEvent | PawlEvent)[] = [];
  const stored: StoredEvent[] = [];
  disk.onEvent = (event) => void stored.push(event);
  const runs: StageRun[] = [];
  let loop: Process;
  let stop = new AbortController();
  let drain = new AbortController();
  const losing = new Map<string, AbortController>();
  let looks = 0;
  let end: LoopEnd | Error | null = null;
  disk.files.set("tasks.yaml", tasks);
  const runtimeOf = (process: Process): Runtime => ({
    store: disk.storeOf(process),
    outside: { policies: options.policies, git: NO_GIT, files: NO_FILES } as unknown as Runtime["outside"],
    settings: async () => ({
      ...DEFAULT_SETTINGS,
      bloom: { ...DEFAULT_SETTINGS.bloom, ...settings },
      task_environment: { ...DEFAULT_SETTINGS.task_environment, ...options.environment },
    }),
    now: () => simulator.now(),
    newId,
    cache: memoryCache(disk.files),
  });
  const begin = (
    order: AgentOrder,
    hear: (event: AgentEvent) => void,
    stopped: Promise<string>,
  ): StageRun => {
    const process: Process = { name: order.run, alive: true };
    const runtime = runtimeOf(process);
    const caller = { channel: "agent", task: order.task ?? "" } as const;
    const call: StageRun["call"] = async (verb, input) =>
      (await runTransaction(runtime, verb, input, caller)).reply;
    const run: StageRun = {
      run: order.run,
      task: order.task ?? "",
      agent: order.agent,
      prompt: order.prompt,
      environment: order.environment ?? {},
      resumed: order.session.type === "resume",
      stopped,
      call,
      stepDone: (id) => call(stepDone, { id }),
      mayIt: async (question) => (await order.ask?.(question)) ?? "refuse",
      spend(turns, usd = Number.NaN) {
        const usage = { ...UNKNOWN, turns, usd: Number.isNaN(usd) ? null : usd };
        spent.set(order.run, usage);
        hear({ type: "usage", usage });
      },
      tellQuota: (windows) => void quotas.set(order.run, windows),
      works: (milliseconds) => new Promise((go) => void simulator.after(process, milliseconds, "works", go)),
    };
    runs.push(run);
    return run;
  };
  /** How often each command ran in each folder. */
  const times = new Map<string, number>();
  const begun = (order: CommandOrder) => {
    const { command, folder } = order;
    const at = `${command} ${folder.agentPath}`;
    times.set(at, (times.get(at) ?? 0) + 1);
    options.onCommand?.(true, times.get(at) ?? 1, order);
  };
  const exitOf = (order: CommandOrder) => {
    const { command, folder } = order;
    const n = times.get(`${command} ${folder.agentPath}`) ?? 1;
    options.onCommand?.(false, n, order);
    return options.exit?.(command, folder.agentPath, n) ?? 0;
  };
  const spent = new Map<string, AgentUsage>();
  const quotas = new Map<string, readonly QuotaWindow[]>();
  const scripted = scriptedAgents(
    simulator,
    () => loop,
    { quotas, stoppedAs: options.stoppedAs ?? "stopped" },
    async (order, hear, stopped) => {
      const failed = await agent(begin(order, hear, stopped));
      if (failed === undefined && order.folder.agentPath.startsWith(BRANCHES))
        git.commit(order.folder.agentPath.slice(BRANCHES.length));
      return failed;
    },
  );
  const outboxes = new Map(Object.entries(options.deferred ?? {}));
  const agents: Agents = {
    ...scripted,
    async takeCalls(run, take) {
      const calls = outboxes.get(run) ?? [];
      outboxes.delete(run);
      for (const { call, own } of calls) await take(call, own);
    },
    sessionOf: async (run) => options.sessions?.[run] ?? null,
    lastSignOf: async (run) => options.lastSigns?.[run] ?? null,
    accountOf: (name) => options.accounts?.()[name] ?? null,
    async spentBy(run) {
      const turns = options.spent?.[run];
      return turns === undefined ? (spent.get(run) ?? null) : { ...UNKNOWN, turns };
    },
    missing: (name) => (missing.includes(name) ? `${name} is not installed` : null),
  };
  let loops = 0;
  let epochs = 0;
  const startLoop = () => {
    loops += 1;
    loop = { name: loops === 1 ? "loop" : `loop ${loops}`, alive: true };
    const runtime = runtimeOf(loop);
    const { store } = runtime;
    const view = () => {
      looks += 1;
      return store.view();
    };
    const check = (at: "lease" | "worktree", what: string) => {
      const error = options.fault?.(at, what);
      if (error) throw error;
    };
    const leaseManager = disk.claimsOf(loop);
    const take: LeaseManager["take"] = async (what, owner) => {
      check("lease", what);
      const lease = await leaseManager.take(what, owner);
      epochs += 1;
      if (lease === null || !options.shared) return lease;
      const lost = new AbortController();
      losing.set(what, lost);
      return { ...lease, epoch: epochs, lost: lost.signal };
    };
    const worktrees = sharedBy(options.shared, git.worktreesOf(loop));
    stop = new AbortController();
    drain = new AbortController();
    end = null;
    runLoop({
      ports: {
        agents,
        commands: memoryCommands({ simulator, files: disk.files, begun, exit: exitOf })(loop),
        worktrees: {
          ...worktrees,
          async ensure(order) {
            check("worktree", order.branch);
            return worktrees.ensure(order);
          },
        },
        pullRequests: forge ?? (undefined as never),
        setups: undefined as never,
        freePorts: disk.freePorts,
        root: { agentPath: "/root" },
        ...(options.shared && { host: options.shared.host?.() ?? "here" }),
        environment: {},
      },
      leaseManager: {
        ...leaseManager,
        take,
        ...(options.shared && sharedClaims(options.shared, take)),
      },
      watch: disk.watchOf(loop),
      clock: simulator.clock(loop),
      runtime: { ...runtime, store: { ...store, view } },
      ...(options.lacksTrust && { lacksTrust: options.lacksTrust }),
      ...(options.isWalled !== undefined && {
        isWalled: options.isWalled,
        endedHere: async (items: readonly EndedItem[]) =>
          new Set(
            items.flatMap(({ id }) =>
              stored.some((event) => event.type === "task:completed" && event.taskId === id) ? [id] : [],
            ),
          ),
      }),
      ...(options.shared && {
        fenced: (lease: string) => ({
          ...store,
          view,
          async commit(read: View, changes: readonly Change[]) {
            const error = options.shared?.late?.(lease);
            if (error) throw error;
            return store.commit(read, changes);
          },
        }),
      }),
      name: loop.name,
      agents: options.agents ?? 2,
      mergeTrain: 4,
      once: options.once === true,
      noWait: options.noWait === true,
      ...(options.worker && { worker: options.worker }),
      ...(options.others && { others: options.others, hasTasks: !isNoTasksFile(options.tasks) }),
      show(event) {
        if (!event.type) throw new Error(`an event without a type: ${JSON.stringify(event)}`);
        told.push(event);
      },
      stop: stop.signal,
      drain: drain.signal,
    }).then(
      (ended) => {
        end = ended;
      },
      (error: Error) => {
        end = error;
      },
    );
  };
  startLoop();
  const eachStep = () => {
    if (simulator.steps > (options.mostSteps ?? MAX_STEPS)) throw new Error("it does not come to an end");
  };
  const runUntil = (isOver: () => boolean) =>
    simulator.run({ isOver, eachStep, atRest() {}, isPatient: true });
  const toEnd = async () => {
    await runUntil(() => end !== null);
    if (end instanceof Error) throw end;
    return end as unknown as LoopEnd;
  };
  /** A person's call goes on only while the others do. */
  const meanwhile = async <T>(act: Promise<T>): Promise<T> => {
    let over = false;
    const ends = () => {
      over = true;
    };
    act.then(ends, ends);
    await runUntil(() => over);
    return act;
  };
  return {
    told,
    stored,
    runs,
    git,
    leases: disk.leases,
    elapsed: () => simulator.elapsed(),
    now: () => simulator.now(),
    looks: () => looks,
    read: (path) => disk.files.get(path) ?? null,
    tasks: () => parseDocument(disk.files.get("tasks.yaml") ?? "").toJS().tasks as readonly Task[],
    state: (id) => JSON.parse(disk.files.get(`.pawl/runs/${id}.json`) ?? "{}").state,
    save: disk.save,
    person: async (verb, input) =>
      (await meanwhile(runTransaction(runtimeOf(PERSON), verb, input, { channel: "terminal" }, "vouched")))
        .reply,
    async pass(milliseconds) {
      let over = false;
      simulator.after({ name: "test", alive: true }, milliseconds, "", () => {
        over = true;
      });
      await runUntil(() => over);
    },
    until: (holds) =>
      runUntil(() => {
        const isOver = holds();
        if (!isOver && end !== null) throw end instanceof Error ? end : new Error("the loop has ended");
        return isOver;
      }),
    stop: () => stop.abort(),
    drain: () => drain.abort(),
    loseLease: (what) => losing.get(what)?.abort(),
    kill: () => disk.died(loop),
    ended: () => end,
    end: toEnd,
    again() {
      startLoop();
      return toEnd();
    },
    of: <Type extends string>(type: Type) =>
      told.filter(
        (event): event is Extract<BloomEvent | PawlEvent, { readonly type: Type }> => event.type === type,
      ),
  };
}

/** Leases that other machines take, too, under caps. */
function sharedClaims(
  { cap, held }: NonNullable<StageOptions["shared"]>,
  take: LeaseManager["take"],
): Pick<LeaseManager, "isShared" | "reserve" | "held" | "sweep"> {
  return {
    isShared: true,
    // What dead owners left runs out by itself.
    sweep: async () => {},
    ...(cap && {
      reserve: async (what, owner, wanted) => cap(what, wanted) ?? (await take(what, owner)),
    }),
    ...(held && { held: async () => held() }),
  };
}

/** Worktrees of a remote that answers as the test says. */
function sharedBy(shared: StageOptions["shared"], own: Worktrees): Worktrees {
  if (shared === undefined) return own;
  return {
    ...own,
    done: async (worktree, since) => shared.done ?? own.done(worktree, since),
    under: (lease) => ({
      ...own.under(lease),
      done: async (worktree, since) => shared.done ?? own.done(worktree, since),
      async ensure(order) {
        const missing = shared.missing?.();
        if (missing) throw missing;
        return own.ensure(order);
      },
      save: async ({ branch }, order) => shared.save?.(branch, order) ?? { kind: "saved", commit: "c" },
      publishMerge: async (order, merge) => {
        if (order.lease === undefined) throw new Error("a merge without a lease on its target");
        return shared.overtaken?.() ? { kind: "overtaken", by: "another" } : own.publishMerge(order, merge);
      },
    }),
  };
}

const PERSON: Process = { name: "person", alive: true };
const UNKNOWN: AgentUsage = { usd: null, inputTokens: null, outputTokens: null, turns: null };

const BRANCHES = "/worktrees/";
const WORKS_MILLISECONDS = 100;

type Act = (
  order: AgentOrder,
  hear: (event: AgentEvent) => void,
  stopped: Promise<string>,
) => Promise<Failing | undefined>;

/** Each works for a moment, and then does it all; one that is stopped ends at once, whatever it is at. */
function scriptedAgents(
  simulator: Simulator,
  ownerNow: () => Process,
  {
    quotas,
    stoppedAs,
  }: {
    readonly quotas: ReadonlyMap<string, readonly QuotaWindow[]>;
    readonly stoppedAs: "stopped" | "signalled";
  },
  act: Act,
): Agents {
  const running = new Map<string, (reason: string) => void>();
  return {
    start(order, given) {
      const owner = ownerNow();
      const session = order.session.id ?? `session-${order.run}`;
      const begun = simulator.elapsed();
      let usage: AgentUsage | null = null;
      const hear = (event: AgentEvent) => {
        if (event.type === "usage") usage = event.usage;
        given(event);
      };
      hear({ type: "session", id: session });
      let tellStop = (_: string) => {};
      const stopped = new Promise<string>((resolve) => {
        tellStop = resolve;
      });
      running.set(order.run, tellStop);
      const ended = new Promise<AgentEnd>((resolve) => {
        const over = (failed: Failing | undefined) => {
          running.delete(order.run);
          if (!owner.alive) return;
          const told = quotas.get(order.run);
          const quota = told ? { quota: told } : {};
          const duration = Math.round(simulator.elapsed() - begun);
          const ownSession = failed?.reason === "bad-session" ? null : session;
          const end = { ...END, ...quota, usage, duration, session: ownSession };
          resolve(failed ? { ...end, outcome: "failed", ...failed } : { ...end, outcome: "succeeded" });
        };
        void stopped.then((detail) => over({ reason: stoppedAs, detail }));
        simulator.after({ name: order.run, alive: true }, WORKS_MILLISECONDS, "works", () => {
          void act(order, hear, stopped).then(over);
        });
      });
      return {
        run: order.run,
        ended,
        stop(reason) {
          tellStop(reason);
          return ended;
        },
      };
    },
    async endLeftovers(run) {
      const end = running.get(run);
      end?.("a leftover");
      return running.delete(run) ? 1 : 0;
    },
    takeCalls: async () => {},
    spentBy: async () => null,
    sessionOf: async () => null,
    lastSignOf: async () => null,
    accountOf: () => null,
    missing: () => null,
    survey: async () => [],
    tryOut: () => Promise.reject(new Error("no agent is tried out here")),
  };
}

const END = {
  text: "",
  exit: { code: 0, signal: null },
  leftovers: { ended: 0, alive: 0 },
  output: ".pawl/agents/x" as AgentEnd["output"],
} as const;
