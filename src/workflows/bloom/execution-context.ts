/** What a task's command works with: the ports, the task's state, and the signal that stops it. */
import type { BloomEvent } from "../../core/bloom-event.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { PermissionQuestion } from "../../core/ports/agents.ts";
import type { CommandEnd, CommandOrder, Commands } from "../../core/ports/commands.ts";
import type { TakenLease } from "../../core/ports/leases.ts";
import type { WorkPorts } from "../../core/ports/loop.ts";
import type { AgentFolder, EnsuredWorktree, Repo, SharedWorktrees } from "../../core/ports/worktrees.ts";
import type { BloomSettings, Settings } from "../../core/settings.ts";
import type { AccountReport, Quota, Rests } from "../../scheduler/agent-rest.ts";
import type { MergeQueue } from "../../scheduler/merge-queue.ts";
import type { CheckGate } from "../../scheduler/slots.ts";
import type { TaskEdit } from "../../tasks-file/splice.ts";
import type { Task, TasksFile } from "../../tasks-file/task.ts";
import type { Message, Question } from "./question.ts";
import type { TaskEvent } from "./run/table.ts";
import type { TaskRun } from "./run/task-run.ts";

/** A task's state at one moment. */
export interface TaskSnapshot {
  readonly task: Task;
  readonly file: TasksFile;
  readonly run: TaskRun;
  readonly settings: BloomSettings;
  /** By repository. */
  readonly setup: Settings["setup"];
  readonly git: Settings["git"];
  readonly environment: Settings["task_environment"];
  readonly messages: readonly Message[];
  readonly questions: readonly Question[];
  /** The agents that rest, as far as this machine's accounts are concerned. */
  readonly resting: Rests;
  /** Those and the ones whose rest is over and that have not worked since. */
  readonly rests: Rests;
  readonly quotas: ReadonlyMap<string, Quota>;
}

/** Why the current work must end. */
export type StopReason = "interrupted" | "interjected" | "overruled";

export interface ExecutionContext {
  readonly ports: WorkPorts;
  readonly checks: CheckGate;
  /** The variables of the task's own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Creates that environment unless it exists. Throws `setup-failed`. */
  bringUp(): Promise<"up" | "stopped">;
  /** Takes the lease on a resource that one task at a time uses; null: another task holds it. */
  lease(what: string): Promise<TakenLease | null>;
  /** Waits for the lease on the project's folder, ahead of tasks that have not begun; null: stopped first. */
  takeRoot(onWait: () => void): Promise<TakenLease | null>;
  /** A file of the project; null: there is none. */
  read(path: ProjectPath): Promise<string | null>;
  /**
   * The task's saved worktrees, if other machines may take the task over; null: no other machine works on it.
   */
  readonly shared: SharedWorktrees | null;
  readonly merges: MergeQueue;
  /** The task's state as of the last commit. */
  readonly known: TaskSnapshot;
  /** Aborted with a `StopReason`. */
  readonly stop: AbortSignal;
  /** Shows an event live. Events that must persist go into `StepResult`. */
  show(event: BloomEvent): void;
  /** Commits without an event of the table, and refreshes `known`. */
  note(result: Omit<StepResult, "event" | "reason">): Promise<TaskSnapshot>;
  /** Makes the calls that the agent deferred during a run that has ended. */
  takeCalls(run: string): Promise<void>;
  /** Asks a person for a permission that the agent lacks. `over` aborts when its run ends. */
  mayIt(question: PermissionQuestion, over: AbortSignal): Promise<"allow" | "refuse">;
  /**
   * Reports which messages the running agent has received; null: no agent runs. A message that is not among
   * them stops it.
   */
  delivered(messages: readonly ProjectPath[] | null): void;
  now(): Date;
  /** Waits until the time is over or the work must end. */
  pause(milliseconds: number): Promise<void>;
}

/** The result of a command, committed in one transaction. Without an event, the next command follows. */
export interface StepResult {
  readonly event?: TaskEvent;
  readonly reason?: string;
  readonly patch?: Partial<TaskRun>;
  readonly edits?: readonly TaskEdit[];
  readonly events?: readonly BloomEvent[];
  /** What the end of the agent's run says about its account. */
  readonly account?: AccountReport;
  /** With `question_asked`: the question in the agent's last message. */
  readonly asks?: string;
  /** Messages that were delivered, to be removed. */
  readonly removes?: readonly ProjectPath[];
}

export interface TaskFolder {
  readonly folder: AgentFolder;
  readonly worktree: EnsuredWorktree | null;
  /**
   * The folder with the files of a worktree that had lost its `.git`; null: none, or its agent already knows.
   */
  readonly lost: string | null;
  /** No work has been done there yet. */
  readonly isNew: boolean;
  /**
   * The worktree has work that was saved on another machine or before a backup was restored, so the run may
   * not know it.
   */
  readonly isBrought: boolean;
}

/** The folder where the task is worked on. Creates its workspace if it is missing. */
export async function taskFolder(context: ExecutionContext): Promise<TaskFolder> {
  const { task } = context.known;
  const repo = repoOf(task);
  if (repo === null)
    return { folder: context.ports.root, worktree: null, lost: null, isNew: false, isBrought: false };
  const { branch, base } = branches(task);
  const { work } = context.known.run;
  const made = await context.ports.worktrees.ensure({
    repo,
    branch,
    ...(base === undefined ? {} : { base }),
    adopts: task.branch !== undefined,
    ...(work?.branch === branch && work.repo === repo ? { work: work.commit } : {}),
    fetch: context.known.file.git.push_to_remote,
    stop: context.stop,
  });
  if (made.from !== "kept")
    context.show({ type: "worktree:ensured", taskId: task.id, repo, branch, from: made.from });
  if (made.aside !== undefined)
    context.show({ type: "worktree:left_behind", taskId: task.id, branch, folder: made.aside.agentPath });
  if (made.lost !== undefined)
    await context.note({
      patch: { lost: made.lost.agentPath },
      events: [{ type: "worktree:lost", taskId: task.id, branch, folder: made.lost.agentPath }],
    });
  const lost = made.lost?.agentPath ?? context.known.run.lost ?? null;
  const [isNew, isBrought] = [made.from === "base", made.from === "elsewhere"];
  return { folder: made.folder, worktree: made, lost, isNew, isBrought };
}

export function repoOf(task: Task): Repo | null {
  if (task.repo === undefined) return null;
  const path = task.repo.startsWith("./") ? task.repo.slice(2) : task.repo;
  return path === "" || path === "." ? "." : (path as Repo);
}

/** The repository of a task that works in one. */
export function repoFor(task: Task): Repo {
  return repoOf(task) ?? ".";
}

function branches(task: Task): { readonly branch: string; readonly base: string | undefined } {
  return { branch: task.branch ?? `bloom/${task.id}`, base: task.base_branch ?? task.merge_into };
}

/** Settles with the reason once the current work must end. */
export function stopped(stop: AbortSignal): { readonly reason: Promise<StopReason>; forget(): void } {
  const { promise: reason, resolve } = Promise.withResolvers<StopReason>();
  const onStop = () => resolve(stop.reason as StopReason);
  if (stop.aborted) onStop();
  else stop.addEventListener("abort", onStop, { once: true });
  return { reason, forget: () => stop.removeEventListener("abort", onStop) };
}

/** Runs a command to its end. Null: it was stopped. */
export async function runToEnd(
  commands: Commands,
  order: CommandOrder,
  stop: AbortSignal,
): Promise<CommandEnd | null> {
  const started = commands.run(order);
  const { reason, forget } = stopped(stop);
  const first = await Promise.race([started.ended, reason]);
  forget();
  if (typeof first !== "string") return first;
  await started.stop();
  return null;
}

/** The result of what followed checks of the work, with what these have shown. */
export function withEarlier(
  result: StepResult,
  { patch, events }: Pick<StepResult, "events" | "patch">,
): StepResult {
  return {
    ...result,
    patch: { ...patch, ...result.patch },
    events: [...(events ?? []), ...(result.events ?? [])],
  };
}
