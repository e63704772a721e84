/** What a task's command works with: the ports, the task's state, and what stops the command. */
import type { BloomEvent } from "../../core/bloom-event.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { PermissionQuestion } from "../../core/ports/agents.ts";
import type { TakenLease } from "../../core/ports/leases.ts";
import type { WorkPorts } from "../../core/ports/loop.ts";
import type {
  EnsuredWorktree,
  Folder,
  HeldLease,
  Repo,
  SharedWorktrees,
} from "../../core/ports/worktrees.ts";
import type { BloomSettings, Settings } from "../../core/settings.ts";
import type { TaskEdit } from "../../tasks-file/splice.ts";
import type { Task, TasksFile } from "../../tasks-file/task.ts";
import type { Message, Question } from "./question.ts";
import type { TaskEvent } from "./run/table.ts";
import type { TaskRun } from "./run/task-run.ts";

/** What is known of a task at one moment. */
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
}

/** Why the work under way must end. */
export type StopReason = "interrupted" | "interjected" | "told";

/** The merges into a branch, in order; a task that waits to join keeps its place in the order until it leaves. */
export interface MergeQueue {
  /** `taken`: joins only if it need not wait, and says who merges. Releasing a place that is `mine` gives it up. */
  join(
    order: JoinOrder,
    stop: AbortSignal,
  ): Promise<MergePlace | { readonly kind: "taken"; readonly owner: string } | { readonly kind: "stopped" }>;
  /** The task no longer waits. */
  leave(task: string): Promise<void>;
}

export interface JoinOrder {
  readonly repo: Repo;
  readonly into: string;
  readonly task: string;
  /** Since when it waits, ISO 8601. */
  readonly since: string;
  /** Until it has a place; without it, only asks for one. */
  readonly waits: boolean;
}

/** A merge's place in the train. */
export interface MergePlace {
  readonly kind: "mine";
  /** Which of the folders for preparing merges. */
  readonly slot: number;
  /** The lease on the target, if other machines merge into it, too. */
  readonly lease?: HeldLease | undefined;
  /**
   * Waits for the base of the merge: the commit of the merge ahead, or null: the target itself. `broken` is aborted
   * once that base is void; then the merge must be prepared again.
   */
  base(
    stop: AbortSignal,
  ): Promise<{ readonly commit: string | null; readonly broken: AbortSignal } | "stopped">;
  /** The merge commit is made: the one behind prepares on it. */
  announce(commit: string): void;
  /** Waits for those ahead. `first`: its base is the target; `void`: it must be prepared again. */
  turn(stop: AbortSignal): Promise<"first" | "void" | "stopped">;
  /** Somebody else has the lease on the target now: nobody merges under it any more. */
  overtaken(): void;
  /** `published`: the target's commit after this merge; null: the merge was not made. */
  release(published: string | null): Promise<void>;
}

/** Which of this worker's checks run at once. */
export interface CheckGate {
  /** Waits until no check runs that must be alone; then the check may run until it calls what is returned. Null: stopped. */
  enter(stop: AbortSignal): Promise<(() => void) | null>;
  /** The same, with no other check beside it. */
  alone(stop: AbortSignal): Promise<(() => void) | null>;
}

export interface ExecutionContext {
  readonly ports: WorkPorts;
  readonly checks: CheckGate;
  /** The variables of the task's own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes that environment, unless it is there. Throws `setup-failed`. */
  bringUp(): Promise<"up" | "stopped">;
  /** A lease on something that one task at a time uses; null: another has it. */
  lease(what: string): Promise<TakenLease | null>;
  /** A file of the project; null: there is none. */
  read(path: ProjectPath): Promise<string | null>;
  /** The task's own worktrees, if other machines may take it over; null: no other machine works on it. */
  readonly shared: SharedWorktrees | null;
  readonly merges: MergeQueue;
  /** As of the last commit. */
  readonly known: TaskSnapshot;
  /** Aborted with a `StopReason`. */
  readonly stop: AbortSignal;
  /** Shown live; what must last goes into `StepResult`. */
  show(event: BloomEvent): void;
  /** Commits without an event of the table, and renews what is known. */
  note(result: Omit<StepResult, "event" | "reason">): Promise<TaskSnapshot>;
  /** Makes the calls that the agent of a run deferred; the run has ended. */
  takeCalls(run: string): Promise<void>;
  /** Asks a person what the agent may not do unasked; `over`: its run has ended. */
  mayIt(question: PermissionQuestion, over: AbortSignal): Promise<"allow" | "refuse">;
  /** The messages that the running agent has received; null: none runs. Any other message stops it. */
  delivered(messages: readonly ProjectPath[] | null): void;
  now(): Date;
  /** Until the time is over, or the work must end. */
  pause(milliseconds: number): Promise<void>;
}

/** The result of a command, to be committed in one go. Without an event the next command follows. */
export interface StepResult {
  readonly event?: TaskEvent;
  readonly reason?: string;
  readonly patch?: Partial<TaskRun>;
  readonly edits?: readonly TaskEdit[];
  readonly events?: readonly BloomEvent[];
  /** With `question_asked`: the question that its agent put into its last words. */
  readonly asks?: string;
  /** Messages that were delivered. */
  readonly removes?: readonly ProjectPath[];
}

export interface TaskFolder {
  readonly folder: Folder;
  readonly worktree: EnsuredWorktree | null;
  /** Where the files of a worktree are that had lost its `.git`; null: there are none, or its agent knows. */
  readonly lost: string | null;
  /** Nobody has worked there yet. */
  readonly isNew: boolean;
  /** It has work that was saved on another machine, or before a backup was restored: the run may not know of it. */
  readonly isBrought: boolean;
}

/** Where the task is worked on. Creates its worktree if it is missing. */
export async function placeOf(context: ExecutionContext): Promise<TaskFolder> {
  const { task } = context.known;
  const repo = repoOf(task);
  if (repo === null)
    return { folder: context.ports.root, worktree: null, lost: null, isNew: false, isBrought: false };
  const { branch, base } = branches(task);
  const made = await context.ports.worktrees.ensure({
    repo,
    branch,
    ...(base === undefined ? {} : { base }),
    adopts: task.branch !== undefined,
    fetch: context.known.file.git.push_to_remote,
    stop: context.stop,
  });
  if (made.from !== "kept")
    context.show({ type: "worktree:ensured", taskId: task.id, repo, branch, from: made.from });
  if (made.aside !== undefined)
    context.show({ type: "worktree:left_behind", taskId: task.id, branch, folder: made.aside });
  if (made.lost !== undefined)
    await context.note({
      patch: { lost: made.lost },
      events: [{ type: "worktree:lost", taskId: task.id, branch, folder: made.lost }],
    });
  const lost = made.lost ?? context.known.run.lost ?? null;
  const [isNew, isBrought] = [made.from === "base", made.from === "elsewhere"];
  return { folder: made.folder, worktree: made, lost, isNew, isBrought };
}

export function repoOf(task: Task): Repo | null {
  if (task.repo === undefined) return null;
  const path = task.repo.startsWith("./") ? task.repo.slice(2) : task.repo;
  return path === "" || path === "." ? "." : (path as Repo);
}

/** For a task that works in a repository. */
export function repoFor(task: Task): Repo {
  return repoOf(task) ?? ".";
}

function branches(task: Task): { readonly branch: string; readonly base: string | undefined } {
  return { branch: task.branch ?? `bloom/${task.id}`, base: task.base_branch ?? task.merge_into };
}

/** Settles with the reason once the work under way must end. */
export function stopped(stop: AbortSignal): { readonly reason: Promise<StopReason>; forget(): void } {
  let forget = () => {};
  const reason = new Promise<StopReason>((resolve) => {
    const heard = () => resolve(stop.reason as StopReason);
    if (stop.aborted) heard();
    else stop.addEventListener("abort", heard, { once: true });
    forget = () => stop.removeEventListener("abort", heard);
  });
  return { reason, forget };
}
