import type { PolicyChange } from "./policy.ts";
import type { ChangedOutside } from "./ports/worktrees.ts";
import type { Strength } from "./strength.ts";

/** What happens in the work loop over tasks.yaml: Bloom's part of the event union. Durations are in milliseconds. */
export type BloomHappening =
  | LoopHappening
  | AgentHappening
  | TaskHappening
  | StepHappening
  | GitHappening
  | QuestionHappening
  | CheckHappening
  | BudgetHappening;

/** Of the run as a whole; only shown live. */
export type LoopHappening =
  | {
      readonly type: "loop:stands";
      readonly done: number;
      readonly open: number;
      readonly blocked: readonly string[];
      readonly waiting: readonly string[];
      /** Nothing can be done now. */
      readonly idle: boolean;
    }
  /** What the run needs cannot be read or written; it waits until it can. */
  | { readonly type: "loop:paused"; readonly code: string; readonly reason: string; readonly fix: string }
  | { readonly type: "loop:resumed" }
  | PolicyChanged;

/** The files loosen the policy of a run that is under way; that does not count until a person accepts it. */
export interface PolicyChanged {
  readonly type: "policy:changed";
  /** `workflow:id`; of the loop's own settings `bloom`. */
  readonly run: string;
  readonly ignored: readonly PolicyChange[];
}

export type AgentHappening =
  | {
      readonly type: "agent:started";
      readonly taskId: string;
      readonly agent: string;
      readonly run: string;
      /** What the run is for: `step`, `commit`, `resolve`, … */
      readonly purpose: string;
      readonly permission: "ask" | "edits" | "all";
      readonly resumed: boolean;
    }
  | {
      readonly type: "agent:ended";
      readonly taskId: string;
      readonly run: string;
      readonly outcome: "succeeded" | "failed";
      readonly reason: string | null;
      readonly detail: string;
      readonly duration: number;
      /** What this run spent; null: the agent does not say. */
      readonly usd: number | null;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      readonly turns: number | null;
    }
  /** Changed outside the task's worktree while its agent ran: by the agent, or by somebody else who left no trace. */
  | {
      readonly type: "agent:strayed";
      readonly taskId: string;
      readonly run: string;
      readonly paths: readonly string[];
      /** When each last changed; absent in events of earlier versions. */
      readonly files?: readonly ChangedOutside[];
    }
  /** Processes of a dead owner's agent were found and ended. */
  | {
      readonly type: "agent:leftovers_ended";
      readonly taskId: string;
      readonly run: string;
      readonly count: number;
    }
  /** It was not allowed to do this. */
  | {
      readonly type: "agent:refused";
      readonly taskId: string;
      readonly run: string;
      readonly what: readonly string[];
    }
  /** Only shown live, not stored: the output is on disk, with the run. */
  | { readonly type: "agent:said"; readonly taskId: string; readonly run: string; readonly text: string }
  | {
      readonly type: "agent:used_tool";
      readonly taskId: string;
      readonly run: string;
      readonly name: string;
      readonly detail: string;
    }
  | { readonly type: "agent:warned"; readonly taskId: string; readonly run: string; readonly text: string };

export type TaskHappening =
  | {
      readonly type: "task:status_changed";
      readonly taskId: string;
      readonly from: string;
      readonly to: string;
      readonly by: string;
    }
  | {
      readonly type: "task:claimed";
      readonly taskId: string;
      readonly worker: string;
      readonly takenOver: boolean;
    }
  /** Its run's file was edited while it was worked on: the edit does not count, and was written over. */
  | { readonly type: "task:edit_undone"; readonly taskId: string; readonly reason: string }
  | { readonly type: "task:released"; readonly taskId: string; readonly worker: string }
  | {
      readonly type: "task:retried";
      readonly taskId: string;
      readonly attempt: number;
      readonly after: number;
      readonly reason: string;
    }
  | { readonly type: "task:blocked"; readonly taskId: string; readonly reason: string }
  /** An unexpected error; the run skips the task and continues with the others. Only shown live. */
  | {
      readonly type: "task:failed";
      readonly taskId: string;
      readonly code: string;
      readonly reason: string;
      readonly fix: string;
    }
  | { readonly type: "task:waiting"; readonly taskId: string; readonly reason: string }
  | {
      readonly type: "task:approved";
      readonly taskId: string;
      readonly by: string;
      readonly strength?: Strength;
    }
  | { readonly type: "task:interjected"; readonly taskId: string; readonly text: string }
  | { readonly type: "task:assigned"; readonly taskId: string; readonly worker: string }
  | { readonly type: "task:noted"; readonly taskId: string; readonly text: string }
  | { readonly type: "task:reset"; readonly taskId: string; readonly from: string }
  /** Its agent, or a person, declared that there is nothing to commit. */
  | {
      readonly type: "task:nothing_to_do";
      readonly taskId: string;
      readonly reason: string;
      readonly by: string;
    }
  | { readonly type: "task:completed"; readonly taskId: string; readonly duration: number | null };

export type StepHappening =
  | {
      readonly type: "step:started";
      readonly taskId: string;
      readonly stepId: string;
      readonly stepIndex: number;
      readonly totalSteps: number;
    }
  | {
      readonly type: "step:completed";
      readonly taskId: string;
      readonly stepId: string;
      readonly duration: number;
    }
  | {
      readonly type: "step:assumed_done";
      readonly taskId: string;
      readonly stepId: string;
      readonly reason: string;
    };

export type GitHappening =
  | {
      readonly type: "worktree:ensured";
      readonly taskId: string;
      readonly repo: string;
      readonly branch: string;
      readonly from: string;
    }
  /** The worktree had lost its `.git`: it was recreated, and `folder` keeps the old files. */
  | {
      readonly type: "worktree:lost";
      readonly taskId: string;
      readonly branch: string;
      readonly folder: string;
    }
  /** Only shown live: what its repository's `setup` makes is there. */
  | {
      readonly type: "worktree:set_up";
      readonly taskId: string;
      readonly folder: string;
      readonly how: "run" | "copied";
      readonly duration: number;
    }
  | { readonly type: "worktree:removed"; readonly taskId: string; readonly branch: string }
  | {
      readonly type: "worktree:kept";
      readonly taskId: string;
      readonly branch: string;
      readonly reason: string;
    }
  /** While the agent ran, and not by a merge of Pawl's. Who moved it is unknown. */
  | {
      readonly type: "git:branch_moved";
      readonly taskId: string;
      readonly run: string;
      readonly branch: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly type: "git:committed"; readonly taskId: string; readonly commit: string | null }
  | { readonly type: "git:uncommitted"; readonly taskId: string; readonly paths: readonly string[] }
  | { readonly type: "git:pushed"; readonly taskId: string; readonly branch: string; readonly commit: string }
  | {
      readonly type: "git:push_failed";
      readonly taskId: string;
      readonly branch: string;
      readonly reason: string;
    }
  | {
      readonly type: "git:pr_opened";
      readonly taskId: string;
      readonly number: number;
      readonly url: string;
      readonly found: boolean;
    }
  | { readonly type: "git:pr_failed"; readonly taskId: string; readonly reason: string }
  | {
      readonly type: "git:pr_merged" | "git:pr_closed";
      readonly taskId: string;
      readonly number: number;
      readonly url: string;
    }
  /** Only shown live: the task waits for its merge; `every`: seconds between looks, 0: none before the next run. */
  | {
      readonly type: "git:pr_watched";
      readonly taskId: string;
      readonly number: number;
      readonly url: string;
      readonly every: number;
    }
  /** The forge could not be asked. Only shown live. */
  | {
      readonly type: "git:pr_unseen";
      readonly taskId: string;
      readonly number: number;
      readonly reason: string;
    }
  | {
      readonly type: "merge:completed";
      readonly taskId: string;
      readonly branch: string;
      readonly into: string;
      readonly commit: string;
    }
  /** The target has the whole branch already, and not by a merge of the loop's. */
  | {
      readonly type: "merge:not_needed";
      readonly taskId: string;
      readonly branch: string;
      readonly into: string;
      readonly commit: string;
    }
  | {
      readonly type: "merge:conflicted";
      readonly taskId: string;
      readonly into: string;
      readonly files: readonly string[];
    }
  | { readonly type: "merge:failed"; readonly taskId: string; readonly into: string; readonly reason: string }
  /** The remote has the merge; edits in a checkout kept the local branch where it was. */
  | {
      readonly type: "merge:local_behind";
      readonly taskId: string;
      readonly into: string;
      readonly reason: string;
      readonly files: readonly string[];
    }
  | { readonly type: "merge:waiting"; readonly taskId: string; readonly into: string; readonly owner: string }
  | {
      readonly type: "session:opened";
      readonly taskId: string;
      readonly session: string;
      readonly agent: string;
    }
  | {
      readonly type: "session:lost";
      readonly taskId: string;
      readonly session: string | null;
      readonly reason: string;
    };

export type QuestionHappening =
  | {
      readonly type: "question:asked";
      readonly taskId: string;
      readonly questionId: string;
      readonly text: string;
      readonly blocking: boolean;
    }
  | {
      readonly type: "question:answered";
      readonly taskId: string;
      readonly questionId: string;
      readonly answer: string;
    };

export type CheckHappening =
  | {
      readonly type: "check:passed";
      readonly taskId: string;
      readonly command: string;
      readonly duration: number;
      readonly commit: string | null;
      readonly log: string;
    }
  | {
      readonly type: "check:failed";
      readonly taskId: string;
      readonly command: string;
      readonly exit: number | null;
      readonly duration: number;
      readonly commit: string | null;
      readonly log: string;
    };

export type BudgetHappening = {
  readonly type: "budget:exhausted";
  readonly taskId: string;
  /** Which limit: `usd`, `turns`, `minutes`. */
  readonly limit: string;
  readonly spent: { readonly usd: number; readonly turns: number; readonly minutes: number };
};
