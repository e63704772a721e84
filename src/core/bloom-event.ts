import type { PolicyChange } from "./policy.ts";
import type { ChangedOutside } from "./ports/worktrees.ts";
import type { Strength } from "./strength.ts";

/** What happens in the work loop over tasks.yaml: Bloom's part of the event union. Durations are in milliseconds. */
export type BloomHappening = Of<LoopEvents> | Of<TaskEvents, { readonly taskId: string }>;

/** The union of a table of events: each with its type, and with what all of them have. */
type Of<Events, All = unknown> = {
  [T in keyof Events]: { readonly type: T } & All & Readonly<Events[T]>;
}[keyof Events];

/** Of the run as a whole; only shown live, but for `policy:changed`. */
interface LoopEvents {
  "loop:stands": {
    done: number;
    open: number;
    blocked: readonly string[];
    waiting: readonly string[];
    /** Nothing can be done now. */
    idle: boolean;
  };
  /** What the run needs cannot be read or written; it waits until it can. */
  "loop:paused": { code: string; reason: string; fix: string };
  "loop:resumed": object;
  /** The files loosen the policy of a run that is under way; that does not count until a person accepts it. */
  "policy:changed": {
    /** `workflow:id`; of the loop's own settings `bloom`. */
    run: string;
    ignored: readonly PolicyChange[];
  };
}

/** Of one task. */
interface TaskEvents {
  "agent:started": {
    agent: string;
    run: string;
    /** What the run is for: `step`, `commit`, `resolve`, … */
    purpose: string;
    permission: "ask" | "edits" | "all";
    resumed: boolean;
  };
  "agent:ended": {
    run: string;
    outcome: "succeeded" | "failed";
    reason: string | null;
    detail: string;
    duration: number;
    /** What this run spent; null: the agent does not say. */
    usd: number | null;
    inputTokens: number | null;
    outputTokens: number | null;
    turns: number | null;
  };
  /** Changed outside the task's worktree while its agent ran: by the agent, or by somebody else who left no trace. */
  "agent:strayed": {
    run: string;
    paths: readonly string[];
    /** When each last changed; absent in events of earlier versions. */
    files?: readonly ChangedOutside[];
  };
  /** Processes of a dead owner's agent were found and ended. */
  "agent:leftovers_ended": { run: string; count: number };
  /** It was not allowed to do this. */
  "agent:refused": { run: string; what: readonly string[] };
  /** Only shown live, not stored: the output is on disk, with the run. */
  "agent:said": { run: string; text: string };
  "agent:used_tool": { run: string; name: string; detail: string };
  "agent:warned": { run: string; text: string };
  "task:status_changed": { from: string; to: string; by: string };
  "task:claimed": { worker: string; takenOver: boolean };
  /** Its run's file was edited while it was worked on: the edit does not count, and was written over. */
  "task:edit_undone": { reason: string };
  "task:released": { worker: string };
  "task:retried": { attempt: number; after: number; reason: string };
  "task:blocked": { reason: string };
  /** An unexpected error; the run skips the task and continues with the others. Only shown live. */
  "task:failed": { code: string; reason: string; fix: string };
  "task:waiting": { reason: string };
  "task:approved": { by: string; strength?: Strength };
  "task:interjected": { text: string };
  "task:assigned": { worker: string };
  "task:noted": { text: string };
  "task:reset": { from: string };
  /** Its agent, or a person, declared that there is nothing to commit. */
  "task:nothing_to_do": { reason: string; by: string };
  "task:completed": { duration: number | null };
  "step:started": { stepId: string; stepIndex: number; totalSteps: number };
  "step:completed": { stepId: string; duration: number };
  "step:assumed_done": { stepId: string; reason: string };
  "worktree:ensured": { repo: string; branch: string; from: string };
  /** The worktree had lost its `.git`: it was recreated, and `folder` keeps the old files. */
  "worktree:lost": { branch: string; folder: string };
  /** Only shown live: what its repository's `setup` makes is there. */
  "worktree:set_up": { folder: string; how: "run" | "copied"; duration: number };
  "worktree:removed": { branch: string };
  "worktree:kept": { branch: string; reason: string };
  /** While the agent ran, and not by a merge of Pawl's. Who moved it is unknown. */
  "git:branch_moved": { run: string; branch: string; from: string; to: string };
  "git:committed": { commit: string | null };
  "git:uncommitted": { paths: readonly string[] };
  "git:pushed": { branch: string; commit: string };
  "git:push_failed": { branch: string; reason: string };
  "git:pr_opened": { number: number; url: string; found: boolean };
  "git:pr_failed": { reason: string };
  "git:pr_merged": { number: number; url: string };
  "git:pr_closed": { number: number; url: string };
  /** Only shown live: the task waits for its merge; `every`: seconds between looks, 0: none before the next run. */
  "git:pr_watched": { number: number; url: string; every: number };
  /** The forge could not be asked. Only shown live. */
  "git:pr_unseen": { number: number; reason: string };
  "merge:completed": { branch: string; into: string; commit: string };
  /** The target has the whole branch already, and not by a merge of the loop's. */
  "merge:not_needed": { branch: string; into: string; commit: string };
  "merge:conflicted": { into: string; files: readonly string[] };
  "merge:failed": { into: string; reason: string };
  /** The remote has the merge; edits in a checkout kept the local branch where it was. */
  "merge:local_behind": { into: string; reason: string; files: readonly string[] };
  "merge:waiting": { into: string; owner: string };
  "session:opened": { session: string; agent: string };
  "session:lost": { session: string | null; reason: string };
  "question:asked": { questionId: string; text: string; blocking: boolean };
  "question:answered": { questionId: string; answer: string };
  "check:passed": { command: string; duration: number; commit: string | null; log: string };
  "check:failed": {
    command: string;
    exit: number | null;
    duration: number;
    commit: string | null;
    log: string;
  };
  "budget:exhausted": {
    /** Which limit: `usd`, `turns`, `minutes`. */
    limit: string;
    spent: { readonly usd: number; readonly turns: number; readonly minutes: number };
  };
}
