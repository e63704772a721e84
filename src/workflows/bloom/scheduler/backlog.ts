/** Answers the work loop's questions about Bloom's tasks. */

import type { Backlog, Candidate, Hold, RunWork } from "../../../core/ports/driver.ts";
import { rootLease } from "../../../core/ports/leases.ts";
import type { LoopPorts } from "../../../core/ports/loop.ts";
import type { LoopEnd, WaitsForTarget } from "../../../core/ports/loop-end.ts";
import { type AgentRest, firstToEnd, listResting, restLeft } from "../../../scheduler/agent-rest.ts";
import { branchOf, eachTask, findTask, type Task } from "../../../tasks-file/task.ts";
import { wantedFor } from "../caps.ts";
import { governTask, pinOf } from "../govern.ts";
import { serves } from "../labels.ts";
import { apart } from "../overlap.ts";
import { ANY_WORKER, heldByCancelled, isClosed, isDone, type Worker } from "../pick.ts";
import { awaitsMerge, waitLeft } from "../run/scheduling-status.ts";
import { DELIVERED } from "../run/table.ts";
import { reasonOf } from "../run/task-run.ts";
import type { Picked } from "../run/transactions.ts";
import type { MergeWatch } from "./merge-watch.ts";
import { agentFor, lackOfAgent, missingAgentError, restsFor } from "./missing-agents.ts";
import type { Pins } from "./pins.ts";
import type { TargetWatch } from "./target-watch.ts";
import { type Begins, trustError } from "./work-on.ts";

export interface BacklogSetup extends Pick<LoopPorts, "clock" | "lacksTrust" | "ports"> {
  readonly pins: Pins;
  readonly targets: TargetWatch;
  readonly merges: MergeWatch;
  readonly once: boolean;
  readonly noWait?: boolean;
  readonly worker?: Worker;
  /** Works on a leased task until it is idle. */
  readonly work: (task: Task, begins: Begins, hold: Hold) => Promise<void>;
}

export function backlogOf(setup: BacklogSetup, picked: Picked): Backlog {
  const { file, settings } = picked;
  return {
    outgrown: picked.movedByOthers,
    unwritable: picked.unwritable,
    exclusive: picked.exclusive.map((name) => `@exclusive:${name}`),
    *candidates(isLeftAlone, atWork) {
      const moved = new Set(setup.targets.moved(picked));
      const open = [...moved, ...picked.candidates].filter(({ id }) => !isLeftAlone(id));
      const active = () => atWork().flatMap((id) => findTask(file.tasks, id) ?? []);
      for (const task of apart(open, active))
        if (restsFor(picked, task) === null)
          yield candidateFor(setup, picked, task, { isTargetMoved: moved.has(task) });
    },
    missingAgentError: ({ agent, why }, tasks) => missingAgentError(tasks, agent, why, settings.command),
    waiting: () => waitingNow(picked),
    wakesIn: (isLeftAlone) => wakesIn(setup, picked, isLeftAlone),
    ask() {
      const all = [setup.merges.checkDue(picked), setup.targets.checkDue(picked)].flatMap((due) => due ?? []);
      return all.length === 0 ? null : Math.min(...all);
    },
    end: (untrusted) => endOf(picked, untrusted, setup.worker),
  };
}

function candidateFor(setup: BacklogSetup, picked: Picked, task: Task, begins: Begins): Candidate {
  const { ports, pins } = setup;
  const { runs, settings } = picked;
  const run = runs.get(task.id);
  return {
    ...workFor(setup, task, begins),
    isServedBy: (labels) => serves(labels, task, settings),
    lacksAgent: () => lackOfAgent(ports.agents, picked, task),
    async lacksTrust() {
      const governed = governTask(task, pinOf(await pins.of(task.id))).task;
      return trustError(setup, governed, run);
    },
    // A task that is only pushed or merged needs no agent.
    wanted: () => (run !== undefined && DELIVERED.has(run.state) ? null : wantedFor(task, run, settings)),
  };
}

export function workFor(
  { ports, work }: Pick<BacklogSetup, "ports" | "work">,
  task: Task,
  begins: Begins,
): RunWork {
  return {
    run: task.id,
    folder: folderName(task, ports.host),
    work: (hold) => work(task, begins, hold),
  };
}

/** A branch is the same on all machines. */
function folderName(task: Task, host: string | undefined): string {
  if (task.repo === undefined) return rootLease(host);
  return `@${task.repo.replace(/^\.\//, "")}:${branchOf(task)}`;
}

/** Milliseconds until the first task that backs off, or waits for an agent that rests, may be tried again. */
function wakesIn(
  { clock, noWait, once }: BacklogSetup,
  picked: Picked,
  isLeftAlone: (id: string) => boolean,
): number | null {
  const { candidates, rests, runs, states, scope } = picked;
  const now = clock.now().toISOString();
  const isGivenUp = (id: string, rest: AgentRest | null) =>
    once && scope.has(id) && rest !== null && (noWait === true || rest.mend !== undefined);
  const backing = [...runs.values()].flatMap((run) => {
    if (states.get(run.task) !== "backing_off" || isLeftAlone(run.task)) return [];
    const rest = run.state === "agent_rests" ? firstToEnd(run.rest, rests) : null;
    return isGivenUp(run.task, rest) ? [] : [waitLeft(run, now, rests)];
  });
  const waiting = candidates.flatMap((task) => {
    const rest = isLeftAlone(task.id) ? null : restsFor(picked, task);
    return rest === null || isGivenUp(task.id, rest) ? [] : [restLeft(rest, task.id, now)];
  });
  const all = [...backing, ...waiting];
  return all.length === 0 ? null : Math.min(...all);
}

function waitingNow({ runs, states, scope }: Picked): ReturnType<Backlog["waiting"]> {
  return [...runs.values()].flatMap((run) =>
    scope.has(run.task) && states.get(run.task) === "waiting_for_human"
      ? [{ run: run.task, reason: reasonOf(run) }]
      : [],
  );
}

function endOf(
  picked: Picked,
  untrusted: ReadonlyMap<string, unknown>,
  { only }: Worker = ANY_WORKER,
): LoopEnd {
  const { candidates, file, resting, states, runs } = picked;
  const root = only === null ? null : findTask(file.tasks, only);
  const tasks = eachTask(root ? [root] : file.tasks).map(({ task }) => task);
  const open = tasks.filter((task) => !isClosed(task));
  const stuck = heldByCancelled(file.tasks, states);
  const waits = (task: Task) => {
    const run = runs.get(task.id);
    if (untrusted.has(task.id)) return true;
    return states.get(task.id) === "waiting_for_human" || (run !== undefined && awaitsMerge(run));
  };
  return {
    done: tasks.filter(isDone).map(({ id }) => id),
    cancelled: tasks.filter(({ status }) => status === "cancelled").map(({ id }) => id),
    open: open.map(({ id }) => id),
    blocked: open.filter(({ id, status }) => status === "blocked" || stuck.has(id)).map(({ id }) => id),
    waiting: open.filter(waits).map(({ id }) => id),
    red: redIn(open, states, runs),
    resting: listResting(open, resting, {
      agentFor: (task) => agentFor(picked, task),
      waitsFor(task) {
        const run = runs.get(task.id);
        if (run?.state === "agent_rests") return firstToEnd(run.rest, resting)?.agent ?? null;
        return candidates.some(({ id }) => id === task.id) ? (restsFor(picked, task)?.agent ?? null) : null;
      },
    }),
    byHand: open.filter(({ id, status }) => status === "in_progress" && !runs.has(id)).map(({ id }) => id),
  };
}

/** Groups the tasks by what they wait for. */
function redIn(
  open: readonly Task[],
  states: Picked["states"],
  runs: Picked["runs"],
): readonly WaitsForTarget[] {
  const runsByAgent = new Map<string, string[]>();
  for (const { id } of open) {
    const run = states.get(id) === "target_red" ? runs.get(id) : undefined;
    if (run) runsByAgent.set(reasonOf(run), [...(runsByAgent.get(reasonOf(run)) ?? []), id]);
  }
  return [...runsByAgent].map(([reason, tasks]) => ({ reason, tasks }));
}
