/**
 * The outside on one page: what the core asks of the world, in the core's own words. No adapter's file path or lock
 * type may leak through here, so that the same tables can run on another store.
 */
import type { ProjectPath } from "./path.ts";
import type { Policy } from "./policy.ts";
import type { SetupSettings } from "./settings.ts";

// ── The project's files ──────────────────────────────────────────────────────────────────────────────────────────

/** Reading. A view remembers what was read through it, so that a commit can tell whether it still holds. */
export interface View {
  /** The file's text (UTF-8, as it is: BOM and CRLF included), or null where there is none. */
  read(path: ProjectPath): Promise<string | null>;
  /** The names in a folder, sorted; empty where there is none. */
  list(folder: ProjectPath): Promise<readonly Entry[]>;
  /** A packaged text (`alfred/prompts/start_task/initialized.md`), or null. Not part of what must still hold. */
  packaged(path: string): Promise<string | null>;
}

export interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
}

/** One file of a change set. The state before is what the view read (or what is found under the lock, if not read). */
export type Change =
  /** Creates or replaces. */
  | { readonly type: "write"; readonly path: ProjectPath; readonly text: string }
  /** Creates the file where needed. `text` contains `id`, by which a replay recognises it. */
  | { readonly type: "append"; readonly path: ProjectPath; readonly id: string; readonly text: string }
  /** `to` must not exist. */
  | { readonly type: "move"; readonly from: ProjectPath; readonly to: ProjectPath }
  | { readonly type: "remove"; readonly path: ProjectPath }
  /**
   * A write that can be redone on a text that a person changed meanwhile: `text` is the result on the text that was
   * read; the store's editor of that name redoes `edits` on another.
   */
  | {
      readonly type: "edit";
      readonly path: ProjectPath;
      readonly text: string;
      readonly editor: string;
      readonly edits: readonly unknown[];
    };

/**
 * Redoes edits on a text; pure. Throws where they cannot be redone. A text in which they are done already stays as it
 * is: after a power cut nobody can tell whether a person's text was made from the one before or the one after.
 */
export type Editor = (text: string, edits: readonly unknown[]) => string;

export interface Store {
  /** A fresh view. Pending committed records are replayed before the first read. */
  view(): View;
  /** Runs `work` while holding the run's lock over processes. Throws `lock-timeout`, naming the owner. */
  hold<T>(run: string, work: () => Promise<T>): Promise<T>;
  /** Whether everything that the view read is still so. */
  holds(view: View): Promise<boolean>;
  /**
   * All the changes or none, durable when it returns `committed`. `changed`: something that the view read is no longer
   * so (or a move's target exists); nothing was written, and the caller decides again.
   */
  commit(view: View, changes: readonly Change[]): Promise<"committed" | "changed">;
  /** Best effort, after a commit: debug logs. Whole lines or nothing; never throws. */
  log(path: ProjectPath, line: string): Promise<void>;
  /** Syncs what was applied and trims the journal. Called when there is time; never needed for correctness. */
  settle(): Promise<void>;
}

/**
 * What was worked out of a text, kept by the text's content: disposable, and never the truth. A miss costs time only.
 */
export interface Cache {
  /** What was last put for exactly this source, or null. Never throws. */
  get(kind: string, source: string): Promise<string | null>;
  /** Best effort, and soon: of several in a row only the last is worked and kept. Replaces what the kind held before. */
  put(kind: string, source: string, worked: () => string): void;
}

// ── Version control ──────────────────────────────────────────────────────────────────────────────────────────────

export interface Git {
  /** What git says of the project's folder, or why it cannot say. */
  look(): Promise<GitLook>;
  /**
   * The commit that work starts from: what is checked out, as a branch other than `work` or one that work on it left main
   * or master at. Null: there is none.
   */
  pin(work: string): Promise<PinnedBase | null>;
  /**
   * The tree of what is in the working folder now, made from the files alone: the repository's index, its configuration
   * and replaced objects do not count. `own`: paths of the project that are no part of the work. Never throws.
   */
  snapshot(order: {
    readonly base: PinnedBase | string | null;
    readonly own: readonly string[];
  }): Promise<Snapshot>;
  /** What the working folder changed since the base, new files included, as a snapshot sees it. */
  changes(base: PinnedBase | string | null): Promise<GitChanges>;
  /** The paths in which two trees of snapshots differ; null: one of them is no longer known. */
  between(one: string, other: string): Promise<readonly string[] | null>;
  /** What is committed in `head` (a commit's hash) and not in the base branch (null: main or master). */
  commits(base: PinnedBase | string | null, head: string): Promise<GitCommits>;
}

/** The numbers of lines are null for binary and for new, untracked files. */
export type ChangedFile = Readonly<{ path: string; added: number | null; deleted: number | null }>;

/** A branch, and the commit that it was at when work began. */
export interface PinnedBase {
  readonly branch: string;
  readonly commit: string;
}

export type GitChanges =
  | { readonly kind: "changes"; readonly base: string; readonly files: readonly ChangedFile[] }
  | { readonly kind: "unavailable"; readonly reason: string };

export type Snapshot =
  | {
      readonly kind: "tree";
      /** The tree's id: equal for equal files. */
      readonly tree: string;
      /** What was compared with: the pinned commit, or where the branch was left; null where there is none. */
      readonly base: (PinnedBase & { readonly isPinned: boolean }) | null;
      /** Where the base's branch is now; null: it is gone. */
      readonly branchNow: string | null;
      /** The commit that is checked out has the base in its history. */
      readonly holdsBase: boolean;
      /** Against the base; paths from the project's root, those outside it begin with `../`. */
      readonly files: readonly ChangedFile[];
      /**
       * Paths that no `.gitignore` names, yet git would not see: by the repository's own list (`info/exclude`,
       * `core.excludesFile`), or by the person's.
       */
      readonly hidden: readonly { readonly path: string; readonly by: "repository" | "person" }[];
    }
  | { readonly kind: "not-a-repository" }
  /** There is a repository, and it cannot be told. */
  | { readonly kind: "unavailable"; readonly reason: string };

export type GitCommits =
  | {
      readonly kind: "commits";
      readonly base: string;
      /** Oldest first; merges are left out. */
      readonly commits: readonly { readonly hash: string; readonly title: string }[];
      readonly files: readonly ChangedFile[];
    }
  | { readonly kind: "unavailable"; readonly reason: string };

export type GitLook =
  | {
      readonly kind: "repository";
      readonly branch: string;
      readonly head: string | null;
      readonly uncommitted: readonly string[];
    }
  | { readonly kind: "not-a-repository" }
  | { readonly kind: "unavailable"; readonly reason: string };

// ── Worktrees: where tasks are worked on, and how their work reaches a branch ──────────────────────────────────────

/** A folder in which work is done; opaque to the core, which only hands it from one port to another. */
export type Folder = string & { readonly __folder: true };

/** A repository of the project: a path inside it, or `.` for the project's own. */
export type Repo = ProjectPath | ".";

/** A file that changed; `at`: when it last did (ISO 8601); null: it is gone. */
export type ChangedOutside = Readonly<{ path: string; at: string | null }>;

/** A branch that moved from a commit to another. */
export type MovedBranch = Readonly<{ branch: string; from: string; to: string }>;

/** What changed outside of a worktree while somebody worked in it. */
export interface Meanwhile {
  readonly files: readonly ChangedOutside[];
  readonly branches: readonly MovedBranch[];
}

/** A branch of a repository, at work in a folder of its own. */
export interface Worktree {
  readonly repo: Repo;
  readonly branch: string;
  readonly folder: Folder;
}

/**
 * Worktrees, and what leaves them. Every method looks before it does, so that it can be called again after a crash;
 * none ever discards work. Where git itself fails (disk full) they throw `git-failed`; without a repository `repository-missing`. What asks a
 * remote takes a `stop`: aborted, it ends at once as if the remote could not be reached.
 */
export interface Worktrees {
  /**
   * The branch's worktree, made where it is missing: from the local branch, else the remote's, else `base` (else the
   * branch that the repository has checked out). Additions to one repository queue up. Throws `branch-invalid`,
   * `branch-in-use` (checked out elsewhere: the message says where) and `base-missing`. `lost`: the folder had lost its
   * `.git`; what was in it is there, and the worktree is new.
   */
  ensure(order: {
    readonly repo: Repo;
    readonly branch: string;
    readonly base?: string;
    readonly stop?: AbortSignal;
  }): Promise<Worktree & { readonly from: "kept" | "local" | "remote" | "base"; readonly lost?: Folder }>;
  /** Those that Pawl made and that still exist. */
  list(): Promise<readonly Worktree[]>;
  /** How far the work is. `into`: the branch that it shall reach. */
  state(worktree: Worktree, into?: string): Promise<WorktreeState>;
  /**
   * Notes what the repository's own checkout holds, and where its branches are; what it gives back tells, once, what of it
   * has changed since and is not known to be another's doing (a commit of what was there before, a log that some program
   * has open; of branches: those that have a worktree of Pawl's, and merges that Pawl published).
   */
  watchCheckout(repo: Repo): Promise<() => Promise<Meanwhile>>;
  /**
   * Whether every commit of the branch is in `into`, the local or the remote's. `fetch`: the remote's is brought here
   * first; `unreachable` where that failed and the answer is not yes without it.
   */
  reached(order: {
    readonly repo: Repo;
    readonly branch: string;
    readonly into: string;
    readonly fetch: boolean;
    readonly stop?: AbortSignal;
  }): Promise<"yes" | "no" | "unreachable">;
  /** The branch to its remote, never forced. `unchanged`: the remote had it already. */
  push(repo: Repo, branch: string, stop?: AbortSignal): Promise<Pushed>;
  /**
   * Takes the turn to merge into a branch; one owner at a time over all processes, free at once if its process dies.
   * `taken` names the owner.
   */
  takeTurn(repo: Repo, into: string, owner: string): Promise<MergeTurn>;
  /**
   * Makes the merge commit (--no-ff) aside, in a folder of its own, so that checks can run on the result. No branch
   * and no checkout of a person is touched. With `remote` the remote's target is fetched first, and merged onto. To be
   * called in a turn.
   */
  prepareMerge(order: MergeOrder): Promise<PreparedMerge>;
  /**
   * Moves `into` to the prepared commit, if it is still where the preparation found it: with `remote` the remote's
   * branch first, never forced, and then the local one. Where `into` is checked out, the checkout follows; a checkout
   * whose edits would be overwritten stays untouched: without `remote` that stops the merge (`in-the-way`).
   */
  publishMerge(order: MergeOrder, merge: ReadyMerge): Promise<PublishedMerge>;
  /** Brings the folder of a prepared merge to what was merged onto, so that checks can tell whose fault a failure is. */
  leaveOut(order: MergeOrder, merge: ReadyMerge): Promise<void>;
  /**
   * Brings the target into the task's branch (with `remote` what is known of the remote's too), leaving conflicts in its
   * worktree for the agent to resolve and commit.
   */
  bringIn(worktree: Worktree, target: MergeTarget): Promise<BroughtIn>;
  /**
   * Removes the worktree, and the branch too where asked, if nothing would be lost: no uncommitted work, and every
   * commit in `into` (local or remote) or, without `into`, on the remote's branch of that name; or in `landed`, a commit
   * that the forge says it merged. A worktree that is gone already leaves the branch to be removed.
   */
  remove(
    worktree: Pick<Worktree, "repo" | "branch">,
    keep: { readonly into?: string; readonly landed?: string; readonly branch: boolean },
  ): Promise<Removed>;
}

export interface WorktreeState {
  /** What is checked out there now (an agent may have switched), or null where HEAD is detached. */
  readonly branch: string | null;
  readonly head: string | null;
  /** Paths, untracked ones included, ignored ones not. */
  readonly uncommitted: readonly string[];
  /** The hooks that may refuse a commit, by path; looked for where something is uncommitted. */
  readonly hooks: readonly string[];
  /** A git operation that was begun and not ended there. */
  readonly unfinished: "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | null;
  /** Commits that `into` lacks, in the local branch as in the remote's; null: no `into` given, or it does not exist. */
  readonly unmerged: number | null;
  /** Commits that the remote's branch lacks as far as known without asking it; null: it has no such branch. */
  readonly unpushed: number | null;
}

export type Pushed =
  | { readonly kind: "pushed" | "unchanged"; readonly commit: string; readonly remote: string }
  /** The remote has commits that the branch lacks, or refuses by a rule. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Network, credentials, time limit: worth a retry. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "no-remote" };

export type MergeTurn =
  | { readonly kind: "mine"; release(): Promise<void> }
  | { readonly kind: "taken"; readonly owner: string };

export interface MergeTarget {
  readonly into: string;
  /** The remote's branch is the target, if there is a remote; the local one follows it. */
  readonly remote?: boolean;
}

export interface MergeOrder extends MergeTarget {
  readonly repo: Repo;
  readonly branch: string;
  /** The merge commit's message. */
  readonly message: string;
  /** A merge commit that was prepared before, and may have been published: nobody was left to tell. */
  readonly earlier?: string;
  /** Aborted: what asks the remote ends at once as if it could not be reached. */
  readonly stop?: AbortSignal;
}

/** A merge commit, and where its targets were when it was made. */
export interface ReadyMerge {
  readonly commit: string;
  /** The local branch's commit. */
  readonly onto: string;
  /** What the branch was merged onto: the target, with the remote's commits. The same as `commit`: it has the branch. */
  readonly base: string;
  /** Where it goes first; `at`: the remote branch's commit, null where the remote has no such branch yet. */
  readonly remote?: { readonly name: string; readonly at: string | null };
}

export type PreparedMerge =
  | ({ readonly kind: "prepared"; readonly folder: Folder } & ReadyMerge & EarlierMerge)
  /** `into` holds the branch's commits already, the local one and the remote's. */
  | ({ readonly kind: "merged-already"; readonly commit: string } & EarlierMerge)
  | { readonly kind: "conflicts"; readonly files: readonly string[] }
  /** The local and the remote's `into` each have commits that the other lacks, and these conflict. */
  | { readonly kind: "diverged"; readonly remote: string; readonly files: readonly string[] }
  | { readonly kind: "missing"; readonly branch: string }
  /** The branch's commits hold what must not be in a repository. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

/** Null: the target has not the merge that was prepared before, or there was none. */
export interface EarlierMerge {
  readonly earlier: string | null;
}

export type PublishedMerge =
  /** `behind`: the remote has it, but a checkout's edits kept the local branch where it was. */
  | { readonly kind: "published"; readonly commit: string; readonly behind?: InTheWay }
  /** `into` moved meanwhile: prepare again. */
  | { readonly kind: "moved" }
  | ({ readonly kind: "in-the-way" } & InTheWay)
  /** The remote refuses by a rule of its own: no further try mends that. */
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

export interface InTheWay {
  readonly reason: string;
  readonly files: readonly string[];
}

export type BroughtIn =
  | { readonly kind: "clean" | "unchanged" }
  | { readonly kind: "conflicts"; readonly files: readonly string[] };

export type Removed =
  | { readonly kind: "removed" | "gone-already" }
  | {
      readonly kind: "kept";
      readonly reason: "uncommitted" | "unfinished" | "unmerged" | "other";
      readonly detail: string;
    };

// ── Repositories: those that the project has, and what their remotes have ──────────────────────────────────────────

export interface Repositories {
  /** Those inside the project, its own first; links, hidden folders and packages are not looked into. */
  find(): Promise<readonly Repo[]>;
  /** Never throws. */
  look(repo: Repo): Promise<RepositoryLook>;
  /** The path (from the project's root, or absolute) as a repository; throws where it is none, or not inside the project. */
  check(path: string): Promise<Repo>;
  /**
   * Clones into the project: aside, then moved into place whole. Throws `usage` where something is there already, and
   * `git-failed`. `isSeen`: the repository around it would take it for files of its own.
   */
  clone(url: string, into: ProjectPath): Promise<{ readonly repo: Repo; readonly isSeen: boolean }>;
  /** Fetches, and moves forward the branches that only lag behind. What a person has edits in stays as it is. */
  sync(repo: Repo): Promise<Synced>;
}

export type RepositoryLook =
  | {
      readonly kind: "repository";
      /** Null where HEAD is detached. */
      readonly branch: string | null;
      readonly uncommitted: number;
      /** Without a password. */
      readonly remote: string | null;
    }
  | { readonly kind: "unusable"; readonly reason: string };

export type Synced =
  | {
      readonly kind: "fetched";
      readonly remote: string;
      /** The remote's branches that are new (`commits` is null) or moved. */
      readonly came: readonly { readonly branch: string; readonly commits: number | null }[];
      readonly forwarded: readonly { readonly branch: string; readonly commits: number }[];
      readonly left: readonly { readonly branch: string; readonly reason: string }[];
    }
  | { readonly kind: "no-remote" }
  | { readonly kind: "failed"; readonly reason: string };

// ── Agents: real programs that do the work ───────────────────────────────────────────────────────────────────────

export interface Agents {
  /** Starts a run and returns at once; a program that cannot be started is an end like others. `hear` must not throw. */
  start(order: AgentOrder, hear: (event: AgentEvent) => void): AgentRun;
  /** Ends every process that bears the run's mark: what a dead owner left. Returns how many there were. */
  endLeftovers(run: string): Promise<number>;
  /**
   * The calls that the run's agent deferred while it could not write the project, oldest first; each is gone once it was
   * taken, and with the last of them the run's capability. `own`: the run's capability came with it.
   */
  takeCalls(run: string, take: (call: DeferredCall, own: boolean) => Promise<void>): Promise<void>;
  /** What a run is known to have spent, also one whose owner died in its midst. */
  spentBy(run: string): Promise<AgentUsage | null>;
  /** Why the agent of that name cannot be started here, and how it could be; null: its program is there. */
  missing(name: string): string | null;
  /**
   * What is known and installed, for `pawl agents`. Starts each found program once, for its version. `allow`: the commands
   * that would be listed for it.
   */
  survey(allow?: readonly string[]): Promise<readonly AgentFound[]>;
  /**
   * One real round trip with an agent in a scratch folder: a new session, then the same one resumed. Throws
   * `agent-missing` where no agent has the name. Aborted: the agent is ended, and has not worked.
   */
  tryOut(name: string, signal?: AbortSignal): Promise<AgentTried>;
}

/** A call of a verb that is an agent's own, such as `step done`, left to be made by the loop. */
export type DeferredCall = { readonly verb: string; readonly input: Readonly<Record<string, unknown>> };

export interface AgentOrder {
  /** An id, unique among all runs of the project: it names the output and marks the processes. */
  readonly run: string;
  /** `claude`, `codex`, `opencode`, `gemini`, `scripted`, or a name in the configuration. */
  readonly agent: string;
  /** The task that it works on: its agent may speak for this one. Absent: for none. */
  readonly task?: string;
  readonly folder: Folder;
  /** Goes to the program's standard input, never to its command line. */
  readonly prompt: string;
  /** `new` with an id (a UUID): used where the agent can preset it; what it truly uses is told by an event. */
  readonly session:
    | { readonly type: "new"; readonly id?: string }
    | { readonly type: "resume"; readonly id: string };
  readonly permission: Permission;
  /** Commands (by their first words) that the agent may run unasked under `edits`, where it knows such a list. */
  readonly allow?: readonly string[];
  readonly model?: string;
  /** Added to what the allow-list of the environment lets through. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: AgentLimits;
  /** Where `permission` is `ask` and the agent can ask (ACP): a person's answer. Absent: refused. */
  readonly ask?: (question: PermissionQuestion) => Promise<"allow" | "refuse">;
}

/** `ask`: nothing unasked. `edits`: files in its folder. `all`: everything, the agent's own guards bypassed. */
export type Permission = "ask" | "edits" | "all";

export interface AgentLimits {
  /** Milliseconds without a line of output. */
  readonly inactivity?: number;
  /** Milliseconds in all. */
  readonly total?: number;
  /** Model calls, and dollars: told to the agent where it has an option for it. Who started the run holds it to them. */
  readonly turns?: number;
  readonly usd?: number;
}

export interface PermissionQuestion {
  readonly title: string;
  readonly detail: string;
}

/** What a run tells while it lasts, in the order told. */
export type AgentEvent =
  /** Once the session's id is known; again if the agent changes it. */
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string; readonly detail: string }
  | {
      readonly type: "permission";
      readonly title: string;
      readonly answer: "allow" | "refuse";
      /** A person was asked, and knows. */
      readonly byPerson?: true;
    }
  /** Spent in this run so far. */
  | { readonly type: "usage"; readonly usage: AgentUsage }
  /** Something odd that does not end the run. */
  | { readonly type: "warning"; readonly text: string };

/** What one run spent. Null: the agent does not say. */
export interface AgentUsage {
  readonly usd: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Model calls; counted by the tools used where the agent does not say. */
  readonly turns: number | null;
}

export interface AgentRun {
  readonly run: string;
  /** Never rejects. When it settles no process with the run's mark is alive, or `leftovers.alive` says how many. */
  readonly ended: Promise<AgentEnd>;
  /** Ends the run and all its processes within 10 s; `ended` then says `stopped` with this reason. */
  stop(reason: string): Promise<AgentEnd>;
}

/** `succeeded` only if the agent's own last event says so, it exited well, and it was neither signalled nor stopped. */
export type AgentEnd = AgentEndFacts &
  (
    | { readonly outcome: "succeeded" }
    | { readonly outcome: "failed"; readonly reason: AgentFailure; readonly detail: string }
  );

export interface AgentEndFacts {
  readonly session: string | null;
  /** The agent's last words. */
  readonly text: string;
  readonly usage: AgentUsage | null;
  readonly exit: { readonly code: number | null; readonly signal: string | null };
  /** Milliseconds. */
  readonly duration: number;
  /** Processes that outlived the agent: ended by us, and still alive (0 unless the system refused). */
  readonly leftovers: { readonly ended: number; readonly alive: number };
  /** The folder with prompt, output and end of the run. */
  readonly output: ProjectPath;
  /** What it was not allowed to do, unless a person refused it, one line each; absent: nothing that it told of. */
  readonly refused?: readonly string[];
}

export type AgentFailure =
  /** No such agent is known, or its program is not on the PATH. */
  | "not-installed"
  /** The session cannot be resumed. */
  | "bad-session"
  | "model-error"
  | "rate-limit"
  /** The agent says that it stopped before it was done (its own limit of turns or budget). */
  | "gave-up"
  /** It ended without a last event. */
  | "cut-stream"
  /** A signal that we did not send. */
  | "signalled"
  /** By us: `stop` was called. */
  | "stopped"
  | "inactive"
  | "timed-out"
  /** Its last event says success, its exit code does not; or it failed without saying why. */
  | "exit";

export interface AgentFound {
  readonly name: string;
  /** How it is spoken to. */
  readonly dialect: "claude" | "codex" | "opencode" | "gemini" | "acp" | "scripted";
  /** Where it was found; null: it was not. */
  readonly program: string | null;
  readonly version: string | null;
  /**
   * `ready`: it starts, and is what it is taken for. `stranger`: another program of that name. `untried`: an ACP program
   * is started by `tryOut` only. `invalid`: its entry in the configuration names no dialect. `untrusted`: the project
   * names its program, and nobody has agreed to that.
   */
  readonly status: "ready" | "stranger" | "broken" | "missing" | "untried" | "invalid" | "untrusted";
  /** How it was recognised, or why not: one line. */
  readonly recognised: string;
  /**
   * As it would be called for a new session under each permission, after `env NAME=VALUE` where it is told by a
   * variable; the prompt goes to its standard input.
   */
  readonly calls: Readonly<Record<Permission, readonly string[]>>;
}

export interface AgentTried {
  readonly name: string;
  readonly works: boolean;
  /** What was tried, in order, and what came of it. */
  readonly steps: readonly { readonly what: string; readonly ok: boolean; readonly detail: string }[];
}

// ── Setup: what a checkout needs before anybody works in it ──────────────────────────────────────────────────────

/** Whether a folder has what its repository's `setup` makes: packages and the like, which git ignores. */
export interface Setups {
  /** `restored`: it was copied from what an earlier setup with the same inputs made. `needed`: run the commands. */
  look(folder: Folder, setup: SetupSettings): Promise<SetupState>;
  /** The commands have run. `keep`: what they made may serve other folders: nobody has worked in this one yet. */
  done(folder: Folder, setup: SetupSettings, keep: boolean): Promise<void>;
}

export type SetupState = "ready" | "restored" | "needed";

// ── Commands: what the engine runs itself to see for itself ──────────────────────────────────────────────────────

export interface Commands {
  /** Runs a shell command to its end and ends whatever it left behind. Never throws for what the command does. */
  run(order: CommandOrder): CommandRun;
}

export interface CommandOrder {
  /** An id, unique as an agent's run is. */
  readonly run: string;
  readonly command: string;
  readonly folder: Folder;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Pick<AgentLimits, "inactivity" | "total">;
}

export interface CommandRun {
  readonly ended: Promise<CommandEnd>;
  stop(): Promise<CommandEnd>;
}

export interface CommandEnd {
  /** Null: a signal ended it, or it could not be started. */
  readonly exit: number | null;
  readonly signal: string | null;
  /** Why we ended it, if we did. */
  readonly ended: "itself" | "stopped" | "inactive" | "timed-out";
  readonly duration: number;
  /** The last lines of output, standard and error together as they came, of bounded size. */
  readonly tail: string;
  readonly output: ProjectPath;
  readonly leftovers: { readonly ended: number; readonly alive: number };
}

import type { PullRequests } from "./pull-requests.ts";

export type * from "./pull-requests.ts";

// ── Jira issues, wiki pages, and what reviewers said ─────────────────────────────────────────────────────────────

/** Why something could not be fetched, in words of our own; `detail` is one line for a person. */
export interface FetchFailure {
  readonly reason:
    | "unauthorized"
    | "forbidden"
    | "not-found"
    | "rate-limited"
    | "timed-out"
    | "too-large"
    | "unreachable"
    | "unexpected";
  readonly detail: string;
  /** Seconds to wait before the next try, where the other side says so. */
  readonly retryAfter?: number;
}

/** Issues and pages that a text links to. Credentials go to the configured address only, never to a link's host. */
export interface References {
  /** Never throws. */
  fetch(reference: Reference): Promise<ReferenceFetch>;
}

export type Reference =
  | { readonly kind: "issue"; readonly site: string; readonly key: string }
  | { readonly kind: "page"; readonly site: string; readonly page: string };

export type ReferenceFetch =
  /** Written by others: to be fenced wherever it is shown. */
  | { readonly kind: "fetched"; readonly markdown: string }
  /** `detail`: what to set. */
  | { readonly kind: "not-configured"; readonly detail: string }
  | { readonly kind: "failed"; readonly failure: FetchFailure };

/** What was said on pull requests. */
export interface Reviews {
  /** Of the pull request of the branch that the project has checked out. Never throws. */
  fetch(order: { readonly missing?: ReviewMissing }): Promise<ReviewFetch>;
}

export type ReviewPart = "reviews" | "review-comments" | "comments";

/** Where a fetch stopped: the parts that are not complete, each with the page to go on with. */
export interface ReviewMissing {
  /** `owner/name` */
  readonly repository: string;
  readonly number: number;
  readonly pages: Readonly<Partial<Record<ReviewPart, number>>>;
}

export type ReviewFetch =
  | {
      readonly kind: "fetched";
      readonly pull: PullRequest;
      /** In the order of the parts, then as the forge lists them. */
      readonly remarks: readonly Remark[];
      /** Whether `resolved` could be told. */
      readonly threads: "known" | "unknown";
      readonly missing: ReviewMissing | null;
      /** Why, where something is missing. */
      readonly failure: FetchFailure | null;
    }
  | { readonly kind: "no-pull-request"; readonly branch: string; readonly repositories: readonly string[] }
  /** `detail`: what is missing. `help`: what to do about it, as a sentence, where it is not the token. */
  | { readonly kind: "not-configured"; readonly detail: string; readonly help?: string }
  | { readonly kind: "failed"; readonly failure: FetchFailure };

export interface PullRequest {
  /** `owner/name` */
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly branch: string;
}

/** One review, review comment or comment. Written by others. */
export interface Remark {
  readonly part: ReviewPart;
  readonly author: string;
  readonly url: string;
  readonly text: string;
  /** ISO 8601. */
  readonly time: string;
  /** A review's verdict: `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`. */
  readonly verdict?: string;
  readonly file?: string;
  readonly line?: number;
  /** The comment answers an earlier one of its thread. */
  readonly reply?: true;
  readonly resolved?: boolean;
  /** The code that it is about has changed since. */
  readonly outdated?: true;
}

// ── Checks: commands of the project's configuration ─────────────────────────────────────────────────────────────────

export interface Checks {
  /**
   * Runs a shell command in the project's folder, once for each key: a run that was begun under the key, be it before
   * a restart, is found again. It is waited for a limited time only; then the answer is `running`. Throws
   * `project-untrusted`, and where a checkout that is asked for cannot be made. Called off, it answers at once with what
   * is known; the command runs on.
   */
  run(key: string, command: string, on?: CheckPlace, waiting?: Waiting): Promise<CheckOutcome>;
}

/** The one who waits for a call. */
export interface Waiting {
  /** Aborted: the call is called off. */
  readonly stop?: AbortSignal;
  /** Told about once a second of a long wait, in a few words. */
  readonly onWait?: (words: string) => void;
}

export interface CheckPlace {
  /** As the project's files have the command, where it was made of that. */
  readonly named?: string;
  /** Of a snapshot: it runs in a fresh checkout of it, made and removed for this run. */
  readonly tree?: string | null;
  /** Begins anew where it failed longer ago than a minute. */
  readonly retry?: boolean;
}

export type CheckOutcome =
  | {
      readonly kind: "ended";
      /** Null where it was ended from outside. */
      readonly exitCode: number | null;
      readonly milliseconds: number;
      /** The end of what it printed, both streams. */
      readonly tail: string;
    }
  | { readonly kind: "running"; readonly milliseconds: number; readonly tail: string };

// ── Looking at the project's files without reading them ──────────────────────────────────────────────────────────

export interface Files {
  /** Those of the paths where the project has nothing. */
  missing(paths: readonly ProjectPath[]): Promise<readonly ProjectPath[]>;
}

// ── Trackers: where tasks may live ───────────────────────────────────────────────────────────────────────────────

export interface Trackers {
  /** Throws `tracker-unconfigured` where the environment does not say how to reach it. */
  open(provider: "jira" | "linear"): Promise<Tracker>;
}

/** Every method throws `tracker-failed` where the tracker cannot be reached or refuses. */
export interface Tracker {
  /** The open tasks of a project or team; null: the person's own. */
  list(project: string | null): Promise<readonly TrackedTask[]>;
  read(id: string): Promise<TrackedTask | null>;
  /** Looks first: nothing happens where the task has the status. */
  setStatus(id: string, name: string): Promise<void>;
  /** Looks first: nothing happens where a comment with the mark is there. */
  comment(id: string, mark: string, text: string): Promise<void>;
}

export interface TrackedTask {
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly status: string;
  readonly isDone: boolean;
  readonly priority: "critical" | "high" | "medium" | "low" | null;
  readonly dependencies: readonly string[];
  readonly url: string;
}

// ── Claims: who works on what ────────────────────────────────────────────────────────────────────────────────────

export interface Claims {
  /**
   * Takes a task, or a place to work in, for a worker. Null: a live worker has it. It is free at once when its owner's
   * process dies, and never taken from one that is slow. While it is held, a heartbeat is written beside it.
   */
  take(what: string, worker: string): Promise<Claim | null>;
  /** Takes away what dead owners left. */
  sweep(): Promise<void>;
}

export interface Claim {
  readonly what: string;
  /** An owner before this one died without letting go. */
  readonly abandoned: boolean;
  release(): Promise<void>;
}

/** Tells that something in the project may have changed: by Pawl, or by a person's edit. */
export interface Watch {
  /** Calls back soon after a change, never twice at once; may call back without one. */
  onChange(heard: () => void): { close(): void };
}

// ── Time ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Time and timers, so that what waits runs in a test without waiting. */
export interface Clock {
  /** The wall clock: a person, or the network, may set it back and forth. */
  now(): Date;
  /** Milliseconds since some moment; never goes back. */
  elapsed(): number;
  /** Calls once, after that time, unless cancelled. */
  after(milliseconds: number, then: () => void): { cancel(): void };
}

// ── The work loop ────────────────────────────────────────────────────────────────────────────────────────────────

/** What the work on a task asks of the outside. */
export interface WorkPorts {
  readonly agents: Agents;
  readonly commands: Commands;
  readonly setups: Setups;
  readonly worktrees: Worktrees;
  readonly pullRequests: PullRequests;
  /** The project's own folder, for tasks without a repository. */
  readonly root: Folder;
  /** What every agent finds in its environment beside its task. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What the work loop asks of the outside. */
export interface LoopPorts {
  readonly ports: WorkPorts;
  readonly claims: Claims;
  readonly watch: Watch;
  readonly clock: Clock;
  /** The loop has ended, and everything that it began: nothing need watch over it any more. */
  close?(): void;
}

// ── Policies: what governs the runs that are under way ──────────────────────────────────────────────────────────────

/** Kept where nothing that belongs to the project can change it. */
export interface Policies {
  /** The policy of the run, or null where none is kept here. */
  find(run: string): Promise<Policy | null>;
  /** In place of what was kept for the run. */
  keep(run: string, policy: Policy): Promise<void>;
  forget(run: string): Promise<void>;
  /** The runs that have one. */
  list(): Promise<readonly string[]>;
}

// ── Everything outside, as a workflow's `gather` sees it ─────────────────────────────────────────────────────────

/** Each member is asked for only when used, so that nothing unused is loaded. */
export interface Outside {
  readonly git: Git;
  readonly files: Files;
  readonly checks: Checks;
  /** Absent: every run goes by the present configuration. */
  readonly policies?: Policies;
  readonly trackers?: Trackers;
  /** Absent: none is configured. */
  readonly references?: References;
  readonly reviews?: Reviews;
}
