/** A task's position in its table, and what the loop must know to resume: `.pawl/runs/<id>.json`. */
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
import type { Facts } from "../../../engine/workflow.ts";
import type { Nearing } from "../../../runtime/module.ts";
import { isOpenStep, type Task, type TaskStatus } from "../../../tasks-file/task.ts";
import { checkRun, heldBy } from "./recorded.ts";
import { OVER, type TaskEvent, type TaskState } from "./table.ts";

export interface TaskRun {
  readonly version: 1;
  readonly task: string;
  readonly title: string;
  readonly state: TaskState;
  readonly kept: Facts;
  /** The rule whose commands are next; null: it was not claimed yet. */
  readonly row: string | null;
  /** When the state began. */
  readonly since: string;
  /** Why it waits, is blocked, or tries again. */
  readonly reason: string | null;
  /** Earliest next attempt (backoff, or the end of its agent's rest). */
  readonly after: string | null;
  /** The whole backoff in milliseconds; null or absent: not known. */
  readonly wait?: number | null;
  /** What the agent's run is for. */
  readonly purpose: Purpose;
  /** What the next prompt says besides the purpose: the failing command, the answer, the interjection. */
  readonly message: string | null;
  /** Failures in a row, by what failed. */
  readonly tries: Readonly<Partial<Record<TryKind, number>>>;
  /** The task without steps was done by its agent. */
  readonly workDone: boolean;
  /** The agent's session, and what it is bound to. */
  readonly session: {
    readonly id: string;
    readonly agent: string;
    readonly folder: string;
    /** The machine that has it; absent: this one alone works on the tasks. */
    readonly host?: string | undefined;
  } | null;
  /** A person marked the task done as it is, while its agent was at work. */
  readonly dropped?: true;
  /** A person cancelled the task while a worker held it. */
  readonly cancelled?: true | undefined;
  /** Runs of agents and commands that began and whose end is not reported yet: their processes may be alive. */
  readonly underway: readonly string[];
  /** Of these, the agent's, and since when; null or absent: none is. */
  readonly agentRun?: { readonly run: string; readonly since: string } | null;
  /** Runs so far; names the next one. */
  readonly runs: number;
  /** The steps that need no more verification: done before this run began, or verified since. */
  readonly checked: readonly string[];
  /** Spent by all of its agent's runs; only a person at a terminal resets it (`ready`, `todo`, `reset`). */
  readonly spent: { readonly usd: number; readonly turns: number; readonly milliseconds: number };
  /** What the runs of its agent have cost, by what they were for. */
  readonly costs: readonly RunCost[];
  /** The limit of its budget of which most is spent, once that is four fifths. Null or absent: none is. */
  readonly nearing?: Nearing | null;
  /** What the loop itself saw, newest last. */
  readonly evidence: readonly LoopEvidence[];
  /** Where its work is, once it is committed. */
  readonly work: LoopWork | null;
  /** Where the files of a worktree are that lost its `.git`, until its agent knows. */
  readonly lost?: string | null;
  readonly pullRequest: PullRequest | null;
  /** Why its agent rests, from then until it has worked again; null or absent: it does not. */
  readonly rest?: AgentRest | null;
  /** The step (or the task without steps) that its session knows: it is not told again in full. */
  readonly toldIn?: { readonly session: string; readonly what: string } | null | undefined;
  /** How often its pull request came back, and the reviews that its agent has received; null or absent: never. */
  readonly returned?: { readonly rounds: number; readonly reviews: readonly string[] } | null;
  /** The check that its target fails by itself; null or absent: none is known. */
  readonly red?: RedTarget | null;
  /** Its next agent or verification begins with the target's present state in the workspace. */
  readonly takesTarget?: boolean;
  /** Why there is nothing to commit, as the agent or a person declared; null or absent: work is expected. */
  readonly nothing?: string | null;
  /** What its agent was not allowed to do in its last run. */
  readonly refused?: readonly string[];
  /** Its agent ended well, changed nothing and left the step open. */
  readonly idle?: boolean;
  /** Who works on it in place of its agent, whose account is limited or refused; null or absent: nobody. */
  readonly standIn?: string | null;
  /** The rest of the agent that it went on without; null or absent: it waited. */
  readonly passed?: AgentRest | null;
  /** An agent ran for it, so there must be work to see. */
  readonly asked?: boolean;
  /** Where the branch was when its first agent began, if no target separates the task's own commits. */
  readonly began?: string | null;
  /** The task was completed in an earlier life: this one need not produce anything new. */
  readonly landed?: boolean;
  /** What people decided at its gate, the oldest first. */
  readonly verdicts: readonly TaskVerdict[];
  /** Since when it has been waiting to merge; null or absent: it is not waiting. */
  readonly queued?: string | null;
  /** The status in tasks.yaml as the loop wrote it: any other status there is a person's word. */
  readonly status: TaskStatus;
}

/** What the runs of its agent have cost for a step, or for another purpose. */
export interface RunCost {
  /** Null: no step. */
  readonly step: string | null;
  readonly purpose: Purpose;
  readonly runs: number;
  /** Null: no agent has reported it. */
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly milliseconds: number;
}

/** The agent's account is limited, or refused. */
export interface AgentRest {
  readonly agent: string;
  /** What it says, and what a person can do about it. */
  readonly words: string;
  /** Since its first rest in a row. */
  readonly since: string;
  /** When its task goes on: at the reset, or at the next try where no reset is known. */
  readonly until: string;
  /** The agent named that time. */
  readonly isKnown: boolean;
  /** Only a person can mend it: a wrong key, no credit. Absent: it passes. */
  readonly mend?: string;
  /** Rests in a row. */
  readonly count: number;
}

export interface RedTarget {
  readonly repo: string;
  readonly into: string;
  /** Null: the setup of the checkout. */
  readonly command: string | null;
  /** The target's commit that failed last. */
  readonly commit: string;
  /** The first commit of the target that was seen to fail. */
  readonly since: string;
  /** A person let the task go on all the same: from now on the failure is the task's own. */
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
  /** It was seen closed and not merged: a person who resumes the task wants another. */
  readonly closed?: true;
  /** The commit of the branch that the forge merged. */
  readonly landed?: string;
}

/** Why it is in its state. A checkpoint's only reason is that it is one. */
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
  | "pull-request";

export type TryKind = "nothing" | "agent" | "mark" | "verify" | "commit" | "push" | "merge" | "pr" | "git";

/** An event on a task, and why. */
export interface TaskOutcome {
  readonly event: TaskEvent;
  readonly reason?: string;
}

export function isOver({ state }: Pick<TaskRun, "state">): boolean {
  return OVER.includes(state);
}

const KEPT_EVIDENCE = 200;

export const NOTHING_SPENT: TaskRun["spent"] = { usd: 0, turns: 0, milliseconds: 0 };

export function closedSteps({ steps }: Pick<Task, "steps">): readonly string[] {
  return steps.flatMap((step) => (isOpenStep(step) ? [] : [step.id]));
}

/** `before`: the run of the task's previous life; its evidence, verdicts, count of runs, costs and what it spent carry over. */
export function newRun(
  { id, title, status, steps }: Pick<Task, "id" | "title" | "status" | "steps">,
  time: string,
  before: TaskRun | null = null,
): TaskRun {
  return {
    version: 1,
    task: id,
    title,
    state: "ready",
    kept: { awaits: "nothing", approved: false },
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

/** The kept run of a task that was done, or null. */
export function loadDoneRun(view: View, task: string): Promise<TaskRun | null> {
  return loadChecked(view, loopDonePath(task));
}

async function loadChecked(view: View, path: ProjectPath): Promise<TaskRun | null> {
  const text = await view.read(path);
  if (text === null) return null;
  const run = parseRun(path, text);
  await checkRun(view, path, text);
  return run;
}

/** The task's run as its file says, whether or not that follows from its record. */
export async function findRun(view: View, task: string): Promise<TaskRun | null> {
  const path = loopRunPath(task);
  const text = await view.read(path);
  return text === null ? null : parseRun(path, text);
}

const LONGEST_NAME = 80;

/** The name of a task's nth run, or of another one: unique in the project, and an id, however long the task's is. */
export function nameOfRun(task: string, n: number | string): string {
  if (task.length <= LONGEST_NAME) return `${task}.${n}`;
  let sum = 0;
  for (const character of task) sum = (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0;
  return `${task.slice(0, LONGEST_NAME)}-${sum.toString(36)}.${n}`;
}

export interface Runs {
  readonly runs: ReadonlyMap<string, TaskRun>;
  /** The tasks whose run was edited, each with the fault: nothing is done with them until a person decides. */
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
      held.set(task, heldBy(thrown));
    }
  return { runs, held };
}

/** The ids of the tasks with a run that is not over. */
export async function listRuns(view: View): Promise<readonly string[]> {
  return (await view.list(LOOP_RUNS)).flatMap(({ name, kind }) =>
    kind === "file" && name.endsWith(".json") ? [name.slice(0, -".json".length)] : [],
  );
}

const list = accepts(Array.isArray, "a list");
const RUN = fields({ kept: object, spent: object, costs: list, verdicts: list });

function parseRun(path: ProjectPath, json: string): TaskRun {
  return parseLoopRecord<TaskRun>(path, json, RUN);
}
