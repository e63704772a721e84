/** A task's state in its table, and what the loop must know to resume: `.pawl/runs/<id>.json`. */
import type { PawlError } from "../../../core/error.ts";
import {
  LOOP_RUNS,
  type LoopEvidence,
  type LoopWork,
  loopDonePath,
  loopRunPath,
  parseLoopRecord,
} from "../../../core/loop-record.ts";
import type { ProjectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import { accepts, fields, object } from "../../../core/state-json.ts";
import type { Strength } from "../../../core/strength.ts";
import { initialConfiguration } from "../../../engine/decide.ts";
import type { Facts } from "../../../engine/workflow.ts";
import type { AgentTexts } from "../../../runtime/agent-order.ts";
import type { Nearing } from "../../../runtime/module.ts";
import { checkState } from "../../../runtime/run-log/read.ts";
import { NOTHING_SPENT, type Spent } from "../../../scheduler/budget.ts";
import type { AgentCost } from "../../../scheduler/costs.ts";
import { isOpenStep, type Task, type TaskStatus } from "../../../tasks-file/task.ts";
import { type LifeOrder, type LifeRef, loadLife, tableOf } from "./life.ts";
import { asHeldError, TASK_RUNS } from "./run-kind.ts";
import { isOneOf, OVER, type OwnState, type TaskEvent, type TaskState } from "./table.ts";

export interface TaskRun {
  readonly version: 1;
  readonly task: string;
  readonly title: string;
  /** The life with which it began; null or absent: Bloom's own table. */
  readonly life?: LifeRef | null;
  /** Of its table. */
  readonly state: TaskState | OwnState;
  readonly kept: Facts;
  /** The rule whose commands are next; null: the task was not taken yet. */
  readonly row: string | null;
  /** When the state began, ISO 8601. */
  readonly since: string;
  /** Why it waits, is blocked, or tries again. */
  readonly reason: string | null;
  /** Earliest time of the next attempt (backoff). */
  readonly after: string | null;
  /** The whole backoff in milliseconds; null or absent: not known. */
  readonly wait?: number | null;
  /** The purpose of the agent's run. */
  readonly purpose: Purpose;
  /** The prompt of the life's row that sent the task's agent back to work; null or absent: none did. */
  readonly ordered?: string | null;
  /** The order that an agent of its life has; null or absent: none. */
  readonly order?: LifeOrder | null;
  /** What the agents of its life said last: agent → field → text. */
  readonly said?: AgentTexts;
  /** The sessions of its life's agents that each order resumes. */
  readonly sessions?: Readonly<Record<string, { readonly id: string; readonly agent: string }>>;
  /** What the next prompt says besides the purpose: the failed command, the answer, the interjection. */
  readonly message: string | null;
  /** Its last delivery failed because the remote or the forge could not be reached. */
  readonly away?: boolean;
  /** Failures in a row, by what failed. */
  readonly tries: Readonly<Partial<Record<TryKind, number>>>;
  /** The agent has finished the work of a task without steps. */
  readonly workDone: boolean;
  /** The agent's session, and the agent, folder and machine that it is bound to. */
  readonly session: {
    readonly id: string;
    readonly agent: string;
    readonly folder: string;
    /** The machine that has it; absent: only this machine works on the tasks. */
    readonly host?: string | undefined;
  } | null;
  /** A person marked the task done as it is while its agent was at work. */
  readonly dropped?: true;
  /** A person cancelled the task while a worker held it. */
  readonly cancelled?: true | undefined;
  /**
   * Runs of agents and commands that began and whose end is not recorded yet: their processes may be alive.
   */
  readonly underway: readonly string[];
  /** The agent's run among these, and since when; null or absent: none. */
  readonly agentRun?: { readonly run: string; readonly since: string } | null;
  /** The number of runs so far, which names the next one. */
  readonly runs: number;
  /** The steps that need no more verification: done before this run began, or verified since. */
  readonly checked: readonly string[];
  /** Spent by all of its agent's runs. Only a person at a terminal resets it (`ready`, `todo`, `reset`). */
  readonly spent: Spent;
  /** The costs of its agent's runs, by purpose. */
  readonly costs: readonly RunCost[];
  /** The budget limit nearest to exhaustion, if 80 % or more is spent; null or absent: none. */
  readonly nearing?: Nearing | null;
  /** The results that the loop itself observed, newest last. */
  readonly evidence: readonly LoopEvidence[];
  /** Where its work is, once it is committed. */
  readonly work: LoopWork | null;
  /**
   * The folder with the files of a worktree that lost its `.git`, until its agent knows; null or absent:
   * none.
   */
  readonly lost?: string | null;
  readonly pullRequest: PullRequest | null;
  /** The agents that rest, of which the first to be free continues it; null or absent: it waits for none. */
  readonly rest?: readonly string[] | null;
  /**
   * The step (or the task without steps) that its session knows, so the next prompt does not repeat it in
   * full.
   */
  readonly toldIn?: { readonly session: string; readonly what: string } | null | undefined;
  /**
   * How often its pull request came back, and which reviews its agent has received; null or absent: never.
   */
  readonly returned?: { readonly rounds: number; readonly reviews: readonly string[] } | null;
  /** The check that fails on its target itself; null or absent: none is known. */
  readonly red?: RedTarget | null;
  /** The target's present state is merged into the workspace before its next agent or verification. */
  readonly takesTarget?: boolean;
  /**
   * Why there is nothing to commit, as the agent or a person declared; null or absent: a commit is expected.
   */
  readonly nothing?: string | null;
  /** What its agent was refused permission for in its last run. */
  readonly refused?: readonly string[];
  /** Its agent ended well, changed nothing and left the step open. */
  readonly idle?: boolean;
  /** The agent that works in place of its own, whose account is limited or refused; null or absent: none. */
  readonly standIn?: string | null;
  /** An agent ran for it, so a commit is expected. */
  readonly asked?: boolean;
  /** The branch's commit when its first agent began, if no target separates the task's own commits. */
  readonly began?: string | null;
  /** An earlier life of the task was completed, so this one need not produce anything new. */
  readonly landed?: boolean;
  /** People's verdicts at its gate, the oldest first. */
  readonly verdicts: readonly TaskVerdict[];
  /** Since when it has waited to merge; null or absent: it does not wait. */
  readonly queued?: string | null;
  /** The status that the loop wrote to tasks.yaml last. A person set any other status found there. */
  readonly status: TaskStatus;
}

/** The costs of its agent's runs for a step, or for another purpose. */
export interface RunCost extends AgentCost {
  /** Null: for no step. For an order: the name of its agent. */
  readonly step: string | null;
  readonly purpose: Purpose;
}

export interface RedTarget {
  readonly repo: string;
  readonly into: string;
  /** The failed command; null: the setup of the checkout. */
  readonly command: string | null;
  /** The target's commit that failed last. */
  readonly commit: string;
  /** The target's first commit that is known to fail. */
  readonly since: string;
  /** A person let the task continue anyway: from now on the failure counts as the task's own. */
  readonly own?: true;
}

export interface TaskVerdict {
  readonly time: string;
  readonly approved: boolean;
  readonly notes: string;
  readonly by: string;
  readonly strength: Strength;
  /** The commit that was judged; null: none was known. */
  readonly commit: string | null;
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  /** It was closed without a merge: a person who resumes the task wants a new one. */
  readonly closed?: true;
  /** The commit of the branch that the forge merged. */
  readonly landed?: string;
}

/** Why the run is in its state. A run at a checkpoint has no other reason than the checkpoint. */
export function reasonOf({ kept: variables, reason, state, task }: TaskRun): string {
  if (reason !== null) return reason;
  return state === "waiting_for_human" && variables.awaits === "approval" ? `\`bloom approve ${task}\`` : "";
}

export type Purpose =
  | "step"
  | "mark"
  | "repair"
  | "commit"
  | "resolve"
  | "repair-merge"
  | "nothing"
  | "pull-request"
  | "rework"
  /** What a row of its life orders: the text `ordered` is its prompt. */
  | "order";

export type TryKind =
  | "nothing"
  | "agent"
  | "mark"
  | "verify"
  | "commit"
  | "push"
  | "merge"
  | "pr"
  | "git"
  | "remote";

/** An event on a task, and why. */
export interface TaskOutcome {
  readonly event: TaskEvent;
  readonly reason?: string;
}

export function isOver({ state }: Pick<TaskRun, "state">): boolean {
  return isOneOf(OVER, state);
}

const KEPT_EVIDENCE = 200;

export function closedSteps({ steps }: Pick<Task, "steps">): readonly string[] {
  return steps.flatMap((step) => (isOpenStep(step) ? [] : [step.id]));
}

/**
 * `before`: the run of the task's previous life. Its evidence, verdicts, number of runs, costs and spending
 * carry over.
 */
export function newRun(
  { id, title, status, steps }: Pick<Task, "id" | "title" | "status" | "steps">,
  time: string,
  before: TaskRun | null = null,
  life: LifeRef | null = null,
): TaskRun {
  return {
    version: 1,
    task: id,
    title,
    ...(life && { life }),
    state: "ready",
    kept: initialConfiguration(tableOf({ life }), {}).variables,
    row: null,
    since: time,
    reason: null,
    after: null,
    purpose: "step",
    message: null,
    tries: {},
    workDone: false,
    session: null,
    underway: [],
    runs: before?.runs ?? 0,
    checked: closedSteps({ steps }),
    spent: before?.spent ?? NOTHING_SPENT,
    costs: before?.costs ?? [],
    evidence: before?.evidence ?? [],
    verdicts: before?.verdicts ?? [],
    work: null,
    pullRequest: null,
    began: before?.began ?? null,
    landed: before !== null && (before.state === "done" || before.landed === true),
    status,
  };
}

export function renderRun(run: TaskRun): string {
  const evidence = run.evidence.slice(-KEPT_EVIDENCE);
  return `${JSON.stringify({ ...run, evidence }, null, 2)}\n`;
}

/** The task's run, or null if it has none. Throws `state-unreadable` and `state-tampered`. */
export function loadRun(view: View, task: string): Promise<TaskRun | null> {
  return loadChecked(view, loopRunPath(task));
}

/** The kept run of a finished task, or null. Throws `state-unreadable` and `state-tampered`. */
export function loadDoneRun(view: View, task: string): Promise<TaskRun | null> {
  return loadChecked(view, loopDonePath(task));
}

async function loadChecked(view: View, path: ProjectPath): Promise<TaskRun | null> {
  const text = await view.read(path);
  if (text === null) return null;
  const run = parseRun(path, text);
  await loadLife(view, run, path);
  await checkState(view, TASK_RUNS, `bloom:${run.task}`, { path, text });
  return run;
}

/** The task's run as its file says, even if its log does not confirm it; null: none. */
export async function findRun(view: View, task: string): Promise<TaskRun | null> {
  const path = loopRunPath(task);
  const text = await view.read(path);
  if (text === null) return null;
  const run = parseRun(path, text);
  await loadLife(view, run, path);
  return run;
}

const LONGEST_NAME = 80;

/**
 * The name of a task's nth run, or of another one: unique in the project, and a valid id even if the task's
 * id is long.
 */
export function nameOfRun(task: string, n: number | string): string {
  if (task.length <= LONGEST_NAME) return `${task}.${n}`;
  let sum = 0;
  for (const character of task) sum = (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0;
  return `${task.slice(0, LONGEST_NAME)}-${sum.toString(36)}.${n}`;
}

export interface Runs {
  readonly runs: ReadonlyMap<string, TaskRun>;
  /** The tasks whose run was edited, each with the error. They are held until a person decides. */
  readonly held: ReadonlyMap<string, PawlError>;
}

/** The runs of these tasks that have one. */
export async function loadRuns(view: View, tasks: Iterable<string>): Promise<Runs> {
  const runs = new Map<string, TaskRun>();
  const held = new Map<string, PawlError>();
  for (const task of tasks)
    try {
      const run = await loadRun(view, task);
      if (run) runs.set(task, run);
    } catch (thrown) {
      held.set(task, asHeldError(thrown));
    }
  return { runs, held };
}

/** The ids of the tasks with a run that is not over. */
export async function listRuns(view: View): Promise<readonly string[]> {
  return (await view.list(LOOP_RUNS)).flatMap(({ name, kind }) =>
    kind === "file" && name.endsWith(".json") ? [name.slice(0, -".json".length)] : [],
  );
}

export interface Underway {
  readonly task: string;
  /** Of agents and commands. */
  readonly runs: readonly string[];
}

/**
 * The tasks whose run says that agents or commands are under way. Ignores unreadable runs; their reader reports them.
 */
export async function listUnderway(view: View): Promise<readonly Underway[]> {
  const started: Underway[] = [];
  for (const task of await listRuns(view)) {
    const run = await findRun(view, task).catch(() => null);
    if (run !== null && run.underway.length > 0) started.push({ task, runs: run.underway });
  }
  return started;
}

const list = accepts(Array.isArray, "a list");
const RUN = fields({ kept: object, spent: object, costs: list, verdicts: list });

function parseRun(path: ProjectPath, json: string): TaskRun {
  return parseLoopRecord<TaskRun>(path, json, RUN);
}
