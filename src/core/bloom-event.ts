import type { PolicyChange } from "./policy.ts";
import type { RestingAccount } from "./ports/agents.ts";
import type { ChangedOutside } from "./ports/worktrees.ts";
import type { Strength } from "./strength.ts";

/**
 * Events of the work loop over tasks.yaml: Bloom's part of the event union. Durations are in milliseconds.
 */
export type BloomEvent = Of<LoopEvents> | Of<TaskEvents, { readonly taskId: string }>;

/** The events of the loop as a whole, whatever its runs are. */
export type LoopEvent = Extract<BloomEvent, { readonly type: `loop:${string}` }>;

type OfRuns = "failed" | "waiting" | "lease_lost" | "overtaken";

/** What the loop itself says of a run. A workflow shows it under its own name: Bloom as `task:failed`. */
export type LoopRunEvent = {
  [T in OfRuns]: { readonly type: T; readonly run: string } & Readonly<TaskEvents[`task:${T}`]>;
}[OfRuns];

/**
 * Turns a table of events into their union: each event gets its type, and the fields that all of them share.
 */
type Of<Events, All = unknown> = {
  [T in keyof Events]: { readonly type: T } & All & Readonly<Events[T]>;
}[keyof Events];

/**
 * Events of the whole loop. Only shown live, except `policy:changed` and `tasks:imported`.
 */
interface LoopEvents {
  "loop:progress": {
    done: number;
    open: number;
    blocked: readonly string[];
    waiting: readonly string[];
    /** Tasks that wait for a target that fails their check by itself, by the failure. */
    red: readonly { readonly reason: string; readonly tasks: readonly string[] }[];
    /**
     * Agents whose account is limited or refused, each with the tasks that wait for it, and the agents that still
     * work.
     */
    resting: readonly (RestingAccount & {
      readonly tasks: readonly string[];
      readonly others: readonly string[];
    })[];
    /** No task can run now. */
    idle: boolean;
  };
  /**
   * Tasks wait because of these caps over all machines, or because this machine lacks something, in words;
   * none: no task waits for that any more.
   */
  "loop:capped": { caps: readonly string[] };
  /** A newer version moved these tasks. This loop takes no more tasks, and ends when its own are done. */
  "loop:outgrown": { tasks: readonly string[] };
  /** The loop cannot read or write a file that it needs. It waits until it can. */
  "loop:paused": { code: string; reason: string; fix: string };
  "loop:resumed": object;
  /** Tasks of another tool were brought into the tasks file. Stored. */
  "tasks:imported": { format: string; into: string; added: number; updated: number; by: string };
  /** The files loosen the policy of an open run. The change does not count until a person accepts it. */
  "policy:changed": {
    /** `workflow:id`, or `bloom` for the loop's own settings. */
    run: string;
    ignored: readonly PolicyChange[];
    /** For the loop's own settings: the tasks whose open runs keep the pinned policy. */
    open?: readonly string[];
  };
}

/** Events of one task. */
interface TaskEvents {
  "agent:started": {
    agent: string;
    run: string;
    /** The run's purpose: `step`, `commit`, `resolve`, … */
    purpose: string;
    /** `read`: an agent of a workflow of one's own, or of a task's life, that changes nothing. */
    permission: "read" | "ask" | "edits" | "all";
    resumed: boolean;
  };
  "agent:ended": {
    run: string;
    outcome: "succeeded" | "failed";
    reason: string | null;
    detail: string;
    duration: number;
    /** This run's cost; null if the agent does not report it. */
    usd: number | null;
    inputTokens: number | null;
    outputTokens: number | null;
    turns: number | null;
    /** Its last sign of life, ISO 8601, if its owner died and no process saw its end. */
    at?: string;
    /** The requested model and the one that answered. Absent: unknown. */
    model?: { asked: string | null; answered: string | null };
  };
  /**
   * Files changed outside the task's worktree while its agent ran. The cause is the agent, or a person or
   * program that left no trace.
   */
  "agent:strayed": {
    run: string;
    paths: readonly string[];
    /** When each file last changed. */
    files: readonly ChangedOutside[];
  };
  /** Pawl found processes of a dead owner's agent and ended them. */
  "agent:leftovers_ended": { run: string; count: number };
  /** Requests of the agent that were refused. */
  "agent:refused": { run: string; what: readonly string[] };
  /**
   * Its agent's account is limited or refused: the task waits. `until`: null, a person must fix it. `first`:
   * no other task waits for the same. `next`: the agent that takes over meanwhile.
   */
  "agent:rests": { agent: string; until: string | null; reason: string; first: boolean; next?: string };
  /** Only shown live, not stored: the run's folder holds the output. */
  "agent:said": { run: string; text: string };
  "agent:used_tool": { run: string; name: string; detail: string };
  "agent:warned": { run: string; text: string };
  "task:added": { title: string; by: string };
  "task:status_changed": { from: string; to: string; by: string };
  "task:claimed": { worker: string; takenOver: boolean };
  /** An edit of the file of the task's run during the work did not count, and Pawl overwrote it. */
  "task:edit_undone": { reason: string };
  "task:released": { worker: string };
  "task:retried": { attempt: number; after: number; reason: string };
  "task:blocked": { reason: string };
  /** A person cancelled it. */
  "task:cancelled": { reason: string };
  /** An unexpected error; the run skips the task and continues with the others. Only shown live. */
  "task:failed": { code: string; reason: string; fix: string };
  "task:waiting": { reason: string };
  /** `login`: the database's that brought it, where there is one. */
  "task:approved": { by: string; strength?: Strength; login?: string };
  "task:interjected": { text: string };
  "task:assigned": { worker: string };
  "task:noted": { text: string };
  /** A person changed these keys of it. */
  "task:edited": { keys: readonly string[]; by: string };
  "task:reset": { from: string };
  /** Its agent, or a person, declared that there is nothing to commit. */
  "task:nothing_to_do": { reason: string; by: string };
  "task:completed": { duration: number | null };
  "step:started": { stepId: string; stepIndex: number; totalSteps: number };
  "step:completed": { stepId: string; duration: number };
  "step:cancelled": { stepId: string; reason: string };
  "step:assumed_done": { stepId: string; reason: string };
  /** Only shown live: its lease may soon be another machine's, so its agent is ended here. */
  "task:lease_lost": object;
  "worktree:ensured": { repo: string; branch: string; from: string };
  /** The worktree had lost its `.git`: it was recreated, and `folder` keeps the old files. */
  "worktree:lost": { branch: string; folder: string };
  /** Only shown live: another machine has the task now. */
  "task:overtaken": { reason: string };
  "worktree:left_behind": { branch: string; folder: string };
  /** The task's own resources while it is at work. */
  "environment:up": { name: string; slot: number; ports: readonly number[]; duration: number };
  /**
   * They were removed. `exit`: the removing command's; null: there is none, or it was ended. `reason`: why it
   * failed.
   */
  "environment:down": {
    name: string;
    slot: number;
    exit: number | null;
    reason: string | null;
    /** Its owner had died. */
    abandoned: boolean;
  };
  /** Only shown live: the workspace has the files that its repository's `setup` makes. */
  "worktree:set_up": {
    folder: string;
    how: "run" | "copied";
    duration: number;
    /** Tracked files that the commands had changed. */
    putBack?: readonly string[];
  };
  "worktree:removed": { branch: string };
  "worktree:kept": { branch: string; reason: string };
  /** A branch moved while the agent ran, and not through one of Pawl's merges. The author is unknown. */
  "git:branch_moved": { run: string; branch: string; from: string; to: string };
  "git:committed": { commit: string | null };
  "git:uncommitted": { paths: readonly string[] };
  "git:pushed": { branch: string; commit: string; remote?: string };
  "git:push_failed": { branch: string; reason: string };
  "git:save_failed": { branch: string; reason: string };
  "git:pr_opened": { number: number; url: string; found: boolean };
  "git:pr_failed": { reason: string };
  /**
   * A check failed on the forge, changes are requested, or it conflicts with its target. `of`: the maximum of
   * rounds.
   */
  "git:pr_returned": { number: number; url: string; round: number; of: number; reason: string };
  "git:pr_merged": { number: number; url: string };
  "git:pr_closed": { number: number; url: string };
  /**
   * Only shown live: the task waits for its pull request to be merged. `every`: seconds between checks; 0: no
   * check before the next `pawl run`.
   */
  "git:pr_watched": { number: number; url: string; every: number };
  /** Only shown live: the forge did not answer. */
  "git:pr_unseen": { number: number; reason: string };
  "merge:completed": { branch: string; into: string; commit: string };
  /** The target already has the whole branch, but not through one of the loop's merges. */
  "merge:not_needed": { branch: string; into: string; commit: string };
  "merge:conflicted": { into: string; files: readonly string[] };
  "merge:failed": { into: string; reason: string };
  /** The remote has the merge. Edits in a checkout kept the local branch from following. */
  "merge:local_behind": { into: string; reason: string; files: readonly string[] };
  "merge:waiting": { into: string; owner: string };
  "session:opened": { session: string; agent: string };
  "session:lost": { session: string | null; reason: string };
  "question:asked": { questionId: string; text: string; blocking: boolean };
  "question:answered": { questionId: string; answer: string; by: string };
  /** `empty`: it ran no test. */
  "check:passed": { command: string; duration: number; commit: string | null; log: string; empty?: true };
  /** `empty`: it ran no test, and a criterion needs one. */
  "check:failed": {
    command: string;
    exit: number | null;
    duration: number;
    commit: string | null;
    log: string;
    empty?: true;
  };
  /** It failed (`exit`, `failed`: the folder with that output), and then passed on the same files. */
  "check:flaky": {
    command: string;
    exit: number | null;
    duration: number;
    commit: string | null;
    log: string;
    failed: string;
  };
  /**
   * The target fails the check by itself: the task waits for it. `first`: no other task waits for the same.
   */
  "target:red": {
    into: string;
    command: string | null;
    commit: string;
    since: string;
    reason: string;
    first: boolean;
  };
  /** The target has changed, and passes the check. */
  "target:green": { into: string; commit: string };
  /** 80 % of a limit is spent. */
  "budget:nearing": { limit: string; spent: number; of: number };
  "budget:exhausted": {
    /** Which limit was reached: `usd`, `turns`, `minutes`. */
    limit: string;
    spent: { readonly usd: number; readonly turns: number; readonly minutes: number };
  };
}
