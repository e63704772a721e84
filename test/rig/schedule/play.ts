/**
 * Plays one random schedule of the work loop to its end, and says what must not be.
 *
 * S1  No agent is started for a task without its lease, nor beside another one of the same task.
 * S2  No agent is started for a task, and nothing of it is merged, after it was completed, unless a person began it anew.
 * S3  Each completed task is merged once, and told as merged once.
 *     What is completed has a commit of its own. A target moves only onto a merge of what it was at, verified in a slot
 *     that no other merge had meanwhile.
 * S4  At the end every task is completed or rests with a reason. A task waits for its target only while that fails by itself, and
 *     has spent no try on it; what a target breaks, no agent is asked to repair.
 * S5  Where everything waits for time and something could begin in a free place, a wake-up was lost.
 * S6  After its stop a loop starts no agent.
 * S7  An agent whose task a person took back, blocked or began anew works no longer than until everything waits for time.
 * S8  A limit of an account blocks no task and spends no try.
 */
import { newId } from "../../../src/adapters/clock/new-id.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../src/core/settings.ts";
import { type Runtime, runTransaction } from "../../../src/runtime/transaction/run-transaction.ts";
import { ACCOUNTS, activeRests, restsIn } from "../../../src/scheduler/agent-rest.ts";
import { parseTasks } from "../../../src/tasks-file/parse.ts";
import { eachTask, type Task } from "../../../src/tasks-file/task.ts";
import { takeable, waitingFor } from "../../../src/workflows/bloom/pick.ts";
import { schedulingStatuses } from "../../../src/workflows/bloom/run/scheduling-status.ts";
import type { TaskRun } from "../../../src/workflows/bloom/run/task-run.ts";
import { runLoop } from "../../../src/workflows/bloom/scheduler/loop.ts";
import { reset } from "../../../src/workflows/bloom/verbs/person.ts";
import { block, done, ready, todo } from "../../../src/workflows/bloom/verbs/status.ts";
import { LIMIT, memoryAgents, memoryCommands } from "./memory-agents.ts";
import { memoryCache, openMemoryDisk, withStatus } from "./memory-disk.ts";
import { openMemoryGit } from "./memory-git.ts";
import { type Process, Simulator } from "./simulator.ts";

export interface Schedule {
  readonly seed: number;
  readonly tasks: number;
  readonly loops: number;
  /** Of each loop. */
  readonly agents: number;
  /** Merges that are under way at once. */
  readonly mergeTrain: number;
  readonly crashes: number;
  readonly stops: number;
  /** What persons do to tasks. */
  readonly edits: number;
  /** How often the wall clock is set. */
  readonly jumps: number;
  readonly failing: number;
  /** Of agents that end well and did nothing. */
  readonly idle: number;
  readonly conflicts: number;
  /** Whether the target fails its check at first, and is mended in the middle. */
  readonly isRed: boolean;
  /** How often a check fails by chance that would pass. */
  readonly flaky: number;
  /** How often an agent's account becomes limited, for some minutes. */
  readonly limits: number;
  /** A second agent takes over while the first one rests. */
  readonly hasStandIn: boolean;
}

export interface Played {
  readonly faults: readonly string[];
  readonly trace: readonly string[];
  readonly steps: number;
}

/** What needs no agent any more needs no place for one. */
const DELIVERED: ReadonlySet<string> = new Set(["pushing", "merging", "opening_pr", "cleaning"]);
const MAX_STEPS = 20_000;

/** What a seed stands for. */
export function scheduleOf(seed: number): Schedule {
  const { below, chance } = chances(seed);
  const calm = chance(0.3);
  return {
    seed,
    tasks: 2 + below(5),
    loops: chance(0.5) ? 1 : 2 + below(2),
    agents: 1 + below(4),
    mergeTrain: 1 + below(4),
    crashes: calm ? 0 : below(3),
    stops: calm ? 0 : below(2),
    edits: calm || chance(0.5) ? 0 : 1 + below(4),
    jumps: calm ? 0 : below(3),
    failing: calm ? 0 : 0.1,
    idle: calm ? 0 : 0.1,
    conflicts: chance(0.3) ? 1 : 0,
    isRed: chance(0.3),
    flaky: calm ? 0 : 0.05,
    limits: chance(0.5) ? 0 : 1 + below(4),
    hasStandIn: chance(0.5),
  };
}

function chances(seed: number): { below(limit: number): number; chance(share: number): boolean } {
  const simulator = new Simulator(seed ^ 0x5eed);
  return { below: (limit) => simulator.below(limit), chance: (share) => simulator.chance(share) };
}

/** Smaller ones that may show the same fault, simplest first. */
export function smaller(schedule: Schedule): readonly Schedule[] {
  const cut = (
    ["edits", "crashes", "stops", "jumps", "conflicts", "failing", "idle", "flaky", "limits"] as const
  ).flatMap((key) => (schedule[key] > 0 ? [{ ...schedule, [key]: 0 }] : []));
  const fewer = (["tasks", "loops", "agents", "mergeTrain"] as const).flatMap((key) =>
    schedule[key] > 1 ? [{ ...schedule, [key]: schedule[key] - 1 }] : [],
  );
  return [...(schedule.isRed ? [{ ...schedule, isRed: false }] : []), ...cut, ...fewer];
}

const AGENTS = ["one", "two"] as const;
const MINUTE = 60_000;

function settingsOf({ hasStandIn }: Schedule): Settings {
  const [agent, ...others] = AGENTS;
  const stand_ins = hasStandIn ? others : [];
  return {
    ...DEFAULT_SETTINGS,
    bloom: { ...DEFAULT_SETTINGS.bloom, agent, stand_ins, backoff: { first: 1, limit: 4 } },
  };
}

/** `mostSteps`: what takes more than these never ends. */
export async function play(schedule: Schedule, { mostSteps = MAX_STEPS } = {}): Promise<Played> {
  const world = openWorld(schedule, mostSteps);
  try {
    await world.simulator.run(world);
    world.judgeEnd();
  } catch (error) {
    world.fault((error as Error).stack ?? String(error));
  }
  return { faults: world.faults, trace: world.simulator.trace, steps: world.simulator.steps };
}

interface RunningLoop {
  readonly process: Process;
  readonly stop: AbortController;
  ended: boolean;
}

function openWorld(schedule: Schedule, mostSteps: number) {
  const simulator = new Simulator(schedule.seed);
  const disk = openMemoryDisk(simulator);
  const git = openMemoryGit(simulator, disk);
  const cache = memoryCache(disk.files);
  const faults: string[] = [];
  const fault = (what: string) => void faults.push(what);
  const loops: RunningLoop[] = [];
  const running = new Map<string, string>();
  const completed = new Set<string>();
  /** Runs of agents whose task a person has spoken of since. */
  const overruled = new Set<string>();
  const touched = new Set<string>();
  const merges = new Map<string, number>();
  const toldMerges = new Map<string, number>();
  const starts = new Map<string, number>();
  const settings = settingsOf(schedule);
  /** By agent: until when its account is limited, in milliseconds. */
  const limits = new Map<string, number>();
  const limitOf = (agent: string) => {
    const end = limits.get(agent) ?? 0;
    return end > simulator.now().getTime() ? new Date(end) : null;
  };
  let died = 0;
  let edited = false;
  const left = {
    limits: schedule.limits,
    crashes: schedule.crashes,
    stops: schedule.stops,
    edits: schedule.edits,
    jumps: schedule.jumps,
  };
  const ids = Array.from({ length: schedule.tasks }, (_, n) => `T${n}`);
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

  const person: Process = { name: "person", alive: true };

  /** Runs of agents whose end was not told. */
  const openRuns = new Set<string>();

  disk.files.set("tasks.yaml", tasksText(simulator, ids));
  for (const id of ids.slice(0, schedule.conflicts)) git.conflicting.add(`bloom/${id}`);
  let isMended = !schedule.isRed;
  if (schedule.isRed) git.breaks.add(git.heads.get("main") as string);

  const runtimeOf = (process: Process): Runtime => ({
    store: disk.storeOf(process),
    outside: {} as Runtime["outside"],
    settings: async () => settings,
    now: () => simulator.now(),
    newId,
    cache,
  });

  disk.onEvent = (event, by) => {
    if (event.type === "task:completed" && event.taskId) {
      if (completed.has(event.taskId)) fault(`${event.taskId} is completed twice`);
      completed.add(event.taskId);
    }
    if (event.type === "task:retried" && "reason" in event && String(event.reason).includes(LIMIT))
      fault(`the limit of an account spent a try of ${event.taskId}`);
    if (by === person && event.taskId) overrule(event.taskId);
    if (event.type === "merge:completed" && event.taskId) count(toldMerges, event.taskId);
    if (event.type === "agent:started" && "run" in event) openRuns.add(String(event.run));
    if (event.type === "agent:ended" && "run" in event && !openRuns.delete(String(event.run)))
      fault(`the end of ${event.run} is told twice, or without its beginning`);
    if (event.type !== "run:advanced") simulator.say(`${by.name}: ${event.type} ${event.taskId ?? ""}`);
  };
  git.onPublish = ({ branch }, by) => {
    const task = branch.slice("bloom/".length);
    count(merges, task);
    if (completed.has(task)) fault(`${task} is merged after it was completed`);
    if (disk.leases.get(task) !== by) fault(`${task} is merged by ${by.name}, which has not its lease`);
  };
  git.onFault = fault;
  const agents = memoryAgents({
    simulator,
    git,
    failing: schedule.failing,
    idle: schedule.idle,
    limitOf,
    running,
    onStart(task, { prompt, run }, by) {
      // A person who says that it goes on all the same makes the failure its own.
      if (/^## A check fail/m.test(prompt) && !touched.has(task))
        fault(`agent ${run} is asked to repair what no task has broken`);
      simulator.say(`${by.name}: starts agent ${run}`);
      count(starts, task);
      if (disk.leases.get(task) !== by) fault(`agent ${run} is started without the lease of ${task}`);
      if ([...running.values()].includes(task))
        fault(`agent ${run} is started beside another one of ${task}`);
      if (completed.has(task)) fault(`agent ${run} is started after ${task} was completed`);
      const loop = loops.find(({ process }) => process === by);
      if (loop?.stop.signal.aborted) fault(`agent ${run} is started after the stop of ${by.name}`);
      const own = [...running.keys()].length + 1;
      const most = schedule.agents * loops.filter(({ ended }) => !ended).length;
      if (died === 0 && own > most) fault(`${own} agents work at once, at most ${most} may`);
    },
    died: disk.died,
    async sayDone(task, process) {
      await runTransaction(runtimeOf(process), done, { id: task }, { channel: "agent", task });
    },
  });
  const commands = memoryCommands({
    simulator,
    files: disk.files,
    says: "one test\nof main\nfails",
    exit: ({ folder }) => (git.isRed(folder.agentPath) || isFlaky(folder.agentPath) ? 1 : 0),
  });
  /** Never twice in a row: that would be no chance. */
  const failedLast = new Set<string>();
  const isFlaky = (folder: string) => {
    const fails = !failedLast.delete(folder) && simulator.chance(schedule.flaky);
    if (fails) failedLast.add(folder);
    return fails;
  };

  const startLoop = () => {
    const process: Process = { name: `loop ${loops.length + 1}`, alive: true };
    const loop: RunningLoop = { process, stop: new AbortController(), ended: false };
    loops.push(loop);
    edited = false;
    simulator.say(`${process.name} begins`);
    runLoop({
      ports: {
        agents: agents(process),
        commands: commands(process),
        worktrees: git.worktreesOf(process),
        pullRequests: undefined as never,
        setups: undefined as never,
        freePorts: disk.freePorts,
        root: { agentPath: "/root" },
        environment: {},
      },
      leaseManager: disk.claimsOf(process),
      watch: disk.watchOf(process),
      clock: simulator.clock(process),
      runtime: runtimeOf(process),
      name: process.name,
      agents: schedule.agents,
      mergeTrain: schedule.mergeTrain,
      once: true,
      show: (event) => {
        if (event.type === "task:failed") fault(`${event.taskId} failed in ${process.name}: ${event.reason}`);
      },
      stop: loop.stop.signal,
    }).then(
      () => {
        simulator.say(`${process.name} ended`);
        loop.ended = true;
      },
      (error: Error) => {
        fault(`${process.name} threw: ${error.stack}`);
        loop.ended = true;
      },
    );
  };
  for (let n = 0; n < schedule.loops; n++) startLoop();

  const mend = () => {
    isMended = true;
    edited = true;
    simulator.say("person: mends main");
    git.commit("main");
    git.mends.add(git.heads.get("main") as string);
  };
  const alive = () => loops.filter(({ ended, process }) => !ended && process.alive);
  let busy = 0;

  const edit = () => {
    const id = simulator.pick(ids);
    const [name, act] = simulator.pick([
      ["ready", () => runTransaction(runtimeOf(person), ready, { id }, { channel: "terminal" })],
      ["todo", () => runTransaction(runtimeOf(person), todo, { id }, { channel: "terminal" })],
      ["block", () => runTransaction(runtimeOf(person), block, { id }, { channel: "terminal" })],
      ["reset", () => runTransaction(runtimeOf(person), reset, { id }, { channel: "terminal" })],
      ["writes ready_for_agent", async () => saveStatus(id, "ready_for_agent")],
      ["writes todo", async () => saveStatus(id, "todo")],
    ] as const);
    simulator.say(`person: ${name} ${id}`);
    touched.add(id);
    busy += 1;
    edited = true;
    // From here on it may be completed, and merged, once more.
    completed.delete(id);
    Promise.resolve(act()).then(
      () => {
        completed.delete(id);
        edited = true;
        busy -= 1;
      },
      (error: Error) => fault(`the person's ${name} ${id} threw: ${error.stack}`),
    );
  };
  const overrule = (id: string) => {
    for (const [run, task] of running) if (task === id) overruled.add(run);
  };
  const saveStatus = (id: string, status: string) => {
    overrule(id);
    disk.save("tasks.yaml", withStatus(disk.files.get("tasks.yaml") as string, id, status));
  };

  const standing = () => {
    const parsed = parseTasks(disk.files.get("tasks.yaml") as string);
    if (!parsed.ok) throw new Error("tasks.yaml cannot be read");
    const tasks = parsed.file.tasks;
    const runs = new Map<string, TaskRun>();
    for (const { task } of eachTask(tasks)) {
      const text = disk.files.get(`.pawl/runs/${task.id}.json`);
      if (text !== undefined) runs.set(task.id, JSON.parse(text));
    }
    const now = simulator.now().toISOString();
    const rests = restsIn(JSON.parse(disk.files.get(ACCOUNTS) ?? '{"rests":[],"quotas":[]}'), now);
    return { tasks, runs, rests, states: schedulingStatuses(tasks, runs, now, rests) };
  };

  return {
    simulator,
    faults,
    fault,
    isOver() {
      if (faults.length > 0) return true;
      if (busy > 0 || alive().length > 0) return false;
      // A loop may have ended before the person's last word.
      if (!isMended) {
        mend();
        startLoop();
      } else if (edited) startLoop();
      return alive().length === 0;
    },
    eachStep() {
      if (simulator.steps > mostSteps) throw new Error("it does not come to an end");
      if (left.crashes > 0 && simulator.chance(0.004)) {
        const loop = alive()[0];
        if (loop) {
          left.crashes -= 1;
          died += 1;
          const victim = simulator.pick(alive());
          simulator.say(`${victim.process.name} is killed`);
          disk.died(victim.process);
          startLoop();
        }
      }
      if (left.stops > 0 && simulator.chance(0.003) && alive().length > 0) {
        left.stops -= 1;
        const loop = simulator.pick(alive());
        simulator.say(`${loop.process.name} is told to stop`);
        loop.stop.abort();
        startLoop();
      }
      if (left.edits > 0 && alive().length > 0 && simulator.chance(0.01)) {
        left.edits -= 1;
        edit();
      }
      if (!isMended && simulator.chance(0.005)) mend();
      if (left.limits > 0 && simulator.chance(0.01)) {
        left.limits -= 1;
        const agent = simulator.pick(AGENTS);
        const minutes = 1 + simulator.below(90);
        simulator.say(`the account of ${agent} is limited for ${minutes} min`);
        limits.set(agent, simulator.now().getTime() + minutes * MINUTE);
      }
      if (left.jumps > 0 && simulator.chance(0.005)) {
        left.jumps -= 1;
        const hours = simulator.pick([-1, 1]);
        simulator.say(`the clock is set by ${hours} h`);
        simulator.jump(hours * 3_600_000);
      }
    },
    atRest() {
      // What a dead or a stopping owner held is found by time alone: nobody tells of a lease.
      if (simulator.isDueWithin(1) || died > 0 || loops.some(({ stop }) => stop.signal.aborted)) return;
      for (const run of overruled)
        if (running.has(run)) fault(`agent ${run} works on, though a person said otherwise of its task`);
      const { tasks, runs, rests, states } = standing();
      // Who rests is asked again at the time that it named, also where the account is free before.
      const agents = AGENTS.slice(0, schedule.hasStandIn ? 2 : 1);
      const resting = activeRests(rests, simulator.now().toISOString());
      if (limits.size > 0 && agents.every((agent) => resting.has(agent) || limits.has(agent))) return;
      const free = alive().filter(({ process, stop }) => {
        const own = [...disk.leases].filter(
          ([what, by]) => by === process && !what.startsWith("@") && !DELIVERED.has(states.get(what) ?? ""),
        );
        return !stop.signal.aborted && own.length < schedule.agents;
      });
      if (free.length === 0) return;
      // A wait that is over because the clock was set is noticed when it would have been over.
      const could = takeable(tasks, states).filter(({ id }) => !disk.leases.has(id) && !runs.get(id)?.after);
      if (could.length > 0)
        fault(`${could.map(({ id }) => id).join(", ")} could begin, and nobody does before time goes on`);
    },
    judgeEnd() {
      if (faults.length > 0) return;
      const { tasks, states } = standing();
      for (const { task } of eachTask(tasks))
        judgeTask(task, states.get(task.id), waitingFor(tasks, task.id, states) !== null);
      for (const { underway } of standing().runs.values()) for (const run of underway) openRuns.delete(run);
      if (openRuns.size > 0) fault(`the end of ${[...openRuns].join(", ")} is told nowhere`);
      if (running.size > 0 && died === 0)
        fault(`agents outlive the loops: ${[...running.keys()].join(", ")}`);
    },
  };

  /** Why it does not go on; empty: it does, or it is over. */
  function reasonsOf(id: string): string {
    const { state = "", reason = "" } = standing().runs.get(id) ?? {};
    return ["blocked", "budget_exhausted"].includes(state) ? (reason ?? "") : "";
  }

  function judgeTask(task: Task, state: string | undefined, waits: boolean): void {
    const { id } = task;
    if (reasonsOf(id).includes(LIMIT)) fault(`the limit of an account blocks ${id}`);
    const count = merges.get(id) ?? 0;
    const told = toldMerges.get(id) ?? 0;
    if (task.status === "done") {
      if (!git.isIn(`bloom/${id}`, "main")) fault(`${id} is done, and main has not its work`);
      if (!touched.has(id) && count !== 1) fault(`${id} is done, and was merged ${count} times`);
      if (!touched.has(id) && told !== 1) fault(`the merge of ${id} was told ${told} times`);
    } else if (!["blocked", "waiting_for_human", "budget_exhausted"].includes(state ?? task.status))
      if (!waits) fault(`${id} rests as ${task.status} (${state})`);
    const most =
      1 + (schedule.failing > 0 || schedule.idle > 0 ? 12 : 0) + schedule.conflicts * 3 + schedule.limits * 4;
    if (died === 0 && schedule.stops === 0 && !touched.has(id) && (starts.get(id) ?? 0) > most)
      fault(`${id} had ${starts.get(id)} runs of agents`);
  }
}

function tasksText(simulator: Simulator, ids: readonly string[]): string {
  const items = ids.map((id, n) => {
    const depends = n > 0 && simulator.chance(0.25) ? `, depends_on: [T${simulator.below(n)}]` : "";
    const verify = simulator.chance(0.5) ? ", verify: [check]" : "";
    return `- {id: ${id}, title: Task ${n}, instructions: do it, repo: ., merge_into: main${verify}${depends}}\n`;
  });
  return `tasks:\n${items.join("")}`;
}
