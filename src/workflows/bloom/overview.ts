/** The runs of tasks, and the tasks of tasks.yaml that have no run yet. */
import { PawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import type { BloomSettings } from "../../core/settings.ts";
import type { OpenQuestion, OverviewContext, RunOverview } from "../../runtime/module.ts";
import { type OverviewFacts, recalled } from "../../runtime/reports/overview-context.ts";
import { unreadableRun } from "../../runtime/reports/unreadable-run.ts";
import { loggedVerdicts, verdictsIn } from "../../runtime/run-log/read.ts";
import {
  activeRests,
  agentOf,
  awaitedRest,
  firstToEnd,
  listAccounts,
  loadAccounts,
  type Rests,
  restReason,
  restsIn,
  shownRest,
} from "../../scheduler/agent-rest.ts";
import { totalOf } from "../../scheduler/costs.ts";
import { loadTasks } from "../../tasks-file/load.ts";
import { eachTask, type PlacedTask, type Task } from "../../tasks-file/task.ts";
import { type HeldEnvironment, loadEnvironments } from "./environment.ts";
import { heldTasks } from "./lease.ts";
import { heldByCancelled, isClosed, openPhase, type Waits, waitsIn } from "./pick.ts";
import { loadQuestions } from "./question.ts";
import { ruleOf } from "./run/life.ts";
import { personsEvent } from "./run/persons-event.ts";
import { schedulingStatuses } from "./run/scheduling-status.ts";
import { loadRecorded, type OthersRun, sharedTasks } from "./run/shared.ts";
import { isOver, listRuns, loadRun, type TaskRun } from "./run/task-run.ts";
import { openUntaken, type Untaken } from "./untaken.ts";

/**
 * Lists a task once: by its run, if it has one that tasks.yaml does not overrule. Leaves out tasks that are
 * done, unless a question of theirs is open, and runs whose task is no longer in tasks.yaml.
 */
export async function overview(view: View, context: OverviewContext): Promise<readonly RunOverview[]> {
  const tasks = (await readTasks(view, context)) ?? [];
  const all = new Set(await listRuns(view));
  // A run's status depends on the run alone; a task without a run depends on other tasks.
  const kept = context.only !== undefined && all.has(context.only) ? new Set([context.only]) : all;
  const runs = new Map<string, TaskRun>();
  const faults = new Map<string, PawlError>();
  for (const { task } of eachTask(tasks)) {
    if (!kept.has(task.id)) continue;
    try {
      const run = await recalled(context, `bloom:${task.id}`, view, (readView) => loadRun(readView, task.id));
      if (run) runs.set(task.id, run);
    } catch (error) {
      if (!(error instanceof PawlError)) throw error;
      faults.set(task.id, error);
    }
  }
  const others = await othersIn(view, tasks, runs, faults);
  const accounts = await loadAccounts(view);
  const rests = restsIn(accounts, context.time);
  const statuses = schedulingStatuses(tasks, runs, context.time, rests);
  const waits = waitsIn(tasks, statuses);
  const stuck = heldByCancelled(tasks, statuses);
  const phase = openPhase(tasks);
  const questions = await openQuestions(view);
  const held = runs.size === 0 ? new Set() : await heldTasks(context.leases, context.time);
  const settings = (await context.settings()).bloom;
  const untaken = await openUntaken(context.workers, settings);
  const environments = new Map((await loadEnvironments(view)).map((each) => [each.task, each]));
  const inUse = [...environments.values()].filter(({ exclusive }) => exclusive.length > 0);
  const whole = { waits, phase, untaken, inUse, settings, resting: activeRests(rests, context.time) };
  const begun: RunOverview[] = [];
  const unbegun: RunOverview[] = [];
  for (const placed of eachTask(tasks)) {
    const { task } = placed;
    const run = runs.get(task.id);
    const fault = faults.get(task.id);
    const theirs = others.runs.get(task.id);
    if (fault) begun.push(unreadableRun(`bloom:${task.id}`, task.id, fault, decideOn(fault)));
    else if (theirs && !isOver(theirs.run) && speaksFor(theirs.run, task)) begun.push(ofOthers(theirs, task));
    else if (run && !isOver(run) && speaksFor(run, task))
      begun.push({
        ...ofRun(run, task, { isHeld: held.has(task.id), untaken, rests }),
        ...environmentOf(environments.get(task.id)),
        ...questions(task.id),
        ...others.aside.get(task.id),
        ...(await recalled(context, `bloom:${task.id} logged`, view, (readView) =>
          loggedVerdicts(readView, `bloom:${task.id}`),
        )),
      });
    else if (isOpen(task) && !(run && isOver(run)))
      unbegun.push({
        ...(stuck.has(task.id) ? ofStuck(task, stuck.get(task.id)) : ofTask(placed, whole)),
        ...questions(task.id),
      });
    else begun.push(...ofTaskWithQuestions(task, questions(task.id)));
  }
  const listed = [...begun, ...unbegun];
  const known = listAccounts(accounts, context.time);
  context.addFacts?.({
    ...(known.length > 0 && { accounts: known }),
    ...(listed.length === 0 && endedIn(tasks)),
  });
  return listed;
}

/** How many of the tasks are done, in words; empty: none. */
function endedIn(tasks: readonly Task[]): Pick<OverviewFacts, "ended"> {
  const done = eachTask(tasks).filter(({ task }) => task.status === "done").length;
  if (done === 0) return {};
  return { ended: done === 1 ? "one task is done, none is open" : `${done} tasks are done, none is open` };
}

/** A finished task with a question of its agent that is still open. */
function ofTaskWithQuestions(
  { id, status, title }: Task,
  questions: Pick<RunOverview, "questions">,
): readonly RunOverview[] {
  const [first] = questions.questions ?? [];
  if (!first) return [];
  const base = { run: `bloom:${id}`, title, state: status, since: first.since };
  return [
    {
      ...byHand(base, `answer its question: ${first.text}`, first.command),
      waitsFor: "question",
      ...questions,
    },
  ];
}

interface Others {
  /** The runs that moved in another checkout; this checkout's own then no longer counts. */
  readonly runs: ReadonlyMap<string, OthersRun>;
  /** The branches beside this checkout's own run. */
  readonly aside: ReadonlyMap<string, Pick<RunOverview, "aside">>;
}

async function othersIn(
  view: View,
  tasks: readonly Task[],
  runs: Map<string, TaskRun>,
  faults: Map<string, PawlError>,
): Promise<Others> {
  const found = new Map<string, OthersRun>();
  const aside = new Map<string, Pick<RunOverview, "aside">>();
  for (const { id } of await sharedTasks(view, tasks)) {
    if (faults.has(id)) continue;
    try {
      const { aside: beside, others } = await loadRecorded(view, id, runs.has(id));
      if (beside.length > 0) aside.set(id, { aside: beside });
      if (others === null) continue;
      found.set(id, others);
      runs.delete(id);
    } catch (thrown) {
      if (!(thrown instanceof PawlError)) throw thrown;
      faults.set(id, thrown);
    }
  }
  return { runs: found, aside };
}

function ofOthers({ elsewhere, run, steps }: OthersRun, task: Task): RunOverview {
  const { waitsFor: _, ...shown } = ofRun(run, task, { isHeld: false, untaken: null, rests: new Map() });
  const verdicts = verdictsIn(steps);
  return {
    ...shown,
    command: `pawl adopt bloom:${task.id}`,
    ...(verdicts.length > 0 ? { verdicts } : {}),
    elsewhere,
  };
}

/** The open questions, by task. */
async function openQuestions(view: View): Promise<(task: string) => Pick<RunOverview, "questions">> {
  const open = (await loadQuestions(view)).filter(({ answer }) => answer === null);
  return (task) => {
    const ofTask = open.filter((each) => each.task === task);
    if (ofTask.length === 0) return {};
    const questions = ofTask.map(
      ({ asked, id, text }): OpenQuestion => ({ id, text, since: asked, command: `pawl answer ${id} "…"` }),
    );
    return { questions };
  };
}

/** Whether the run still shows the task's state: no person has set another status in tasks.yaml since. */
function speaksFor(run: TaskRun, task: Task): boolean {
  const takenInHand = task.status === "in_progress" && run.status === "blocked";
  return !takenInHand && personsEvent(task, run) === null;
}

/** Null: there is no tasks file. */
export async function readTasks(view: View, context: OverviewContext): Promise<readonly Task[] | null> {
  const { cache } = context;
  try {
    const { file, cacheEntries } = await loadTasks(view, {
      settings: await context.settings(),
      ...(cache ? { cache } : {}),
    });
    for (const { kind, source, value } of cacheEntries) cache?.put(kind, source, value);
    return file.tasks;
  } catch (error) {
    if (error instanceof PawlError && error.code === "tasks-missing") return null;
    throw error;
  }
}

/** Its own work is not done, and it has work of its own. */
function isOpen(task: Task): boolean {
  return task.status !== "done" && !isClosed(task);
}

/** A task that depends on a cancelled one, until a person decides. */
function ofStuck({ id, status, title }: Task, why = ""): RunOverview {
  const base = { run: `bloom:${id}`, title, state: status, since: null };
  const next = `${why}: edit its \`depends_on\`, cancel it too, or put that back with \`pawl task todo\``;
  return { ...byHand(base, next, `pawl show ${id}`), waitsFor: "blocked" };
}

function environmentOf(held: HeldEnvironment | undefined): Pick<RunOverview, "environment"> {
  if (!held) return {};
  const { exclusive, name, ports, slot } = held;
  return { environment: { name, slot, ports, exclusive } };
}

interface Whole {
  /** The environments of other tasks that hold exclusive resources. */
  readonly inUse: readonly HeldEnvironment[];
  readonly waits: Waits;
  readonly phase: number | null;
  readonly untaken: Untaken | null;
  readonly settings: BloomSettings;
  readonly resting: Rests;
}

function ofTask(
  { task, parent }: PlacedTask,
  { inUse, phase, resting, settings, untaken, waits }: Whole,
): RunOverview {
  const base = { run: `bloom:${task.id}`, title: task.title, state: task.status, since: null };
  switch (task.status) {
    case "in_progress":
      return byHand(base, "a person works on it", `pawl task done ${task.id}`);
    case "blocked":
      return {
        ...byHand(base, "read its notes, then let it continue", `pawl task ready ${task.id}`),
        waitsFor: "blocked",
      };
    case "done_pending_merge":
      return { ...base, awaits: "nobody", next: "`pawl run` merges it" };
    default: {
      const reason = waits(task, parent);
      if (reason !== null) return { ...base, awaits: "nobody", next: reason };
      if (task.status === "todo" && phase !== null && (task.phase ?? phase) > phase)
        return { ...base, awaits: "nobody", next: `phase ${phase} comes first` };
      const [holder] = inUse;
      if (holder)
        return {
          ...base,
          awaits: "nobody",
          next: `waits for ${holder.exclusive.join(", ")}, which ${holder.task} has`,
        };
      const rest = awaitedRest(task, agentOf(task, undefined, settings), settings, resting);
      if (rest) return { ...base, awaits: "nobody", next: restReason(rest), rest: shownRest(rest) };
      const worker = task.status === "assigned" && task.agent_name ? ` --agent ${task.agent_name}` : "";
      const next = untaken?.(task) ?? `\`pawl run${worker}\` gives it to one`;
      return { ...base, awaits: "agent", next };
    }
  }
}

function byHand(
  base: Omit<RunOverview, "awaits" | "next" | "command">,
  next: string,
  command: string,
): RunOverview {
  return { ...base, awaits: "human", next, command };
}

interface RunContext {
  readonly isHeld: boolean;
  readonly untaken: Untaken | null;
  readonly rests: Rests;
}

function ofRun(run: TaskRun, task: Task, { isHeld, rests, untaken }: RunContext): RunOverview {
  const { id, title } = task;
  const { state, since, reason } = run;
  const near = run.nearing ? { nearing: run.nearing } : {};
  const cost = run.runs === 0 ? {} : { cost: totalOf(run.costs) };
  const awaited = firstToEnd(run.rest, rests);
  const rest = awaited ? { rest: shownRest(awaited) } : {};
  const base = { run: `bloom:${id}`, title, state, since, ...near, ...cost, ...rest };
  const why = reason === null ? "" : ` (${reason})`;
  const resume = `not running; ${untaken?.(task, run) ?? "resume with `pawl run`"}${why}`;
  switch (state) {
    case "waiting_for_human":
      return run.kept.awaits === "approval"
        ? {
            ...base,
            awaits: "human",
            waitsFor: "gate",
            next: `${run.reason === null ? "" : `${run.reason}: `}approve it, or send it back`,
          }
        : {
            ...byHand(base, `answer its question: ${reason ?? ""}`, `pawl task questions ${id}`),
            waitsFor: "question",
          };
    case "blocked":
    case "budget_exhausted":
      return {
        ...byHand(base, `${reason ?? state} (\`bloom show ${id}\` tells more)`, `pawl task ready ${id}`),
        waitsFor: hasFailed(run) ? "failed" : "blocked",
      };
    case "target_red":
      return { ...base, awaits: "nobody", next: reason ?? state, ...targetOf(run) };
    case "agent_rests":
      return { ...base, awaits: "nobody", next: awaited ? restReason(awaited) : (reason ?? state) };
    case "opening_pr":
      return run.pullRequest
        ? { ...base, awaits: "human", next: `merge ${run.pullRequest.url}` }
        : { ...base, awaits: "nobody", next: isHeld ? "open its pull request" : resume };
    case "working":
      return { ...base, awaits: "agent", next: isHeld ? (reason ?? "work on the current step") : resume };
    default:
      return {
        ...base,
        awaits: "nobody",
        next: isHeld ? (reason ?? `the loop continues (${state})`) : resume,
      };
  }
}

function targetOf({ red }: TaskRun): Pick<RunOverview, "target"> {
  if (!red) return {};
  const { command, into, repo, since } = red;
  return { target: { repo, into, command, since } };
}

/** Whether a check of its work stopped it, in its workspace or on the merged result. */
function hasFailed(run: TaskRun): boolean {
  const event = ruleOf(run)?.on;
  return event === "verify_failed" || event === "merge_unverified";
}

/** What a person can do about a run that cannot be trusted or read. */
function decideOn({ code, fix }: PawlError): Pick<RunOverview, "command" | "next"> {
  return { next: fix, ...(code === "state-tampered" ? { command: "pawl repair" } : {}) };
}
