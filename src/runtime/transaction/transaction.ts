/**
 * One transaction on a run, as data and functions; the library's users meet these types too, so they contain
 * no schema.
 */
import type { ErrorCode, PawlError } from "../../core/error.ts";
import type { Caller, PawlEvent } from "../../core/event.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Policy } from "../../core/policy.ts";
import type { RestingAccount } from "../../core/ports/agents.ts";
import type { Cache } from "../../core/ports/cache.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { Change, View } from "../../core/ports/store.ts";
import type { Settings } from "../../core/settings.ts";
import type { Strength } from "../../core/strength.ts";
import type { LoggedDetails, Runs } from "../run-log/kind.ts";

/**
 * One transaction, run by `runtime/run-transaction.ts`: read → observe → propose (all may fail, nothing has
 * changed) → commit.
 *
 * A1  `read` reads through the view only, and may run again.
 * A2  `observe` queries the outside (git, network, checks) and never runs under a lock. If it exists and what
 *     was read has changed meanwhile, everything is done again.
 * A3  `propose` is pure: it decides, renders the reply, and returns the changes to commit. The time is an
 *     argument.
 */
export interface Transaction<Input, Snapshot, Observations, R> {
  /** Its changes may write state files of such runs: their logs are written in the same commit. */
  readonly runs?: Runs;
  /** The run to lock, `workflow:id`; null: it only reads. Throws on a bad id. */
  run(input: Input): string | null;
  read(view: View, input: Input, context: Context): Promise<Snapshot>;
  observe?(snapshot: Snapshot, input: Input, outside: Outside, context: Context): Promise<Observations>;
  propose(snapshot: Snapshot, observations: Observations, input: Input, context: Context): Proposal<R>;
}

export interface StoryInput {
  readonly id: string;
  /** Of a review: also where no verdict is awaited. */
  readonly anyState?: true;
}

/** The same transaction for another input, which replaces its own. */
export function withInput<Other, Input, Snapshot, Observations, R>(
  plan: Transaction<Input, Snapshot, Observations, R>,
  inputOf: (other: Other) => Input,
): Transaction<Other, Snapshot, Observations, R> {
  const { observe, ...rest } = plan;
  return {
    ...rest,
    run: (other) => plan.run(inputOf(other)),
    read: (view, other, context) => plan.read(view, inputOf(other), context),
    ...(observe && {
      observe: (snapshot: Snapshot, other: Other, outside: Outside, context: Context) =>
        observe.call(plan, snapshot, inputOf(other), outside, context),
    }),
    propose: (snapshot, observations, other, context) =>
      plan.propose(snapshot, observations, inputOf(other), context),
  };
}

export interface Context {
  /** The sha-256 of the policy that governs the run, if it is not the present configuration. */
  readonly policy?: string;
  readonly settings: Settings;
  readonly caller: Caller;
  /** The caller's own trace span, as `traceparent`. */
  readonly trace?: string;
  readonly now: Now;
  /**
   * A person's answer. A gate opens only for an answer to exactly its own question. `vouched`: a library
   * program asserts that it asked a person in its own way.
   */
  readonly answered?:
    | {
        readonly to: ShownQuestion;
        /** The assistant's words that were shown with it, if its call had any. */
        readonly notes?: string;
        /** The record that they signed. */
        readonly signed?: SignedRecord;
        /** What their device's passkey has proved: `HumanQuestion.passkey`. */
        readonly passkey?: string;
      }
    | "vouched";
  /** Results computed earlier from the same texts; absent: there is no cache. */
  readonly cache?: Pick<Cache, "get">;
}

export interface Now {
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  /** A fresh unique id (UUID), for the event and the appends of this transaction. */
  readonly id: string;
}

export interface Proposal<R> {
  readonly reply: R;
  /** Empty or absent: nothing is committed. */
  readonly changes?: readonly Change[];
  /** Appended to `.pawl/events.jsonl` in the same commit. Only together with changes. */
  readonly events?: readonly PawlEvent[];
  /** What the run's log says of the move beyond its event. Only with `runs`. */
  readonly logged?: LoggedDetails;
  /** Written after the commit (or without one); a failure is ignored. */
  readonly logs?: readonly LogLine[];
  /** For the cache; put there after the commit (or without one); a failure is ignored. */
  readonly cacheEntries?: readonly CacheEntry[];
  /**
   * Runs after the commit, each time; its result never undoes the commit, and its failure is in the reply.
   */
  readonly afterCommit?: AfterCommit<R>;
  /** The person's verdict that these changes carry out. Its strength is checked at the commit. */
  readonly verdict?: Verdict;
  /**
   * The policy to pin for the run: stored under its lock, right before the commit, while everything that
   * was read still holds.
   */
  readonly pin?: Pin;
  /** Instead of a commit: a person must be asked first; the surface asks and calls again. */
  readonly ask?: HumanQuestion;
}

export interface Pin {
  readonly run: string;
  readonly policy: Policy;
  /**
   * The policy when this was decided: if another is kept meanwhile, everything is done again. Absent: the run
   * only begins.
   */
  readonly instead?: Policy | null;
}

/** A transaction that follows another: finds what the commit left to report outside, and reports it. */
export interface AfterCommit<R> {
  // biome-ignore lint/suspicious/noExplicitAny: it has types of its own; the runtime passes them through unread
  readonly plan: Transaction<any, any, any, R>;
  readonly input: unknown;
  /** The reply with its result. */
  merge(reply: R, followed: R): R;
  /** The reply with the reason of its failure. */
  failed(reply: R, error: PawlError): R;
}

export interface LogLine {
  readonly path: ProjectPath;
  readonly line: string;
}

export interface CacheEntry {
  readonly kind: string;
  readonly source: string;
  /** As JSON. */
  value(): unknown;
}

/** What a person is asked, word for word. */
export interface ShownQuestion {
  readonly message: string;
  /**
   * ShownQuestion before it, with the same answer: whether out-of-scope edits stay. Made by the runtime alone; absent:
   * there are none.
   */
  readonly edits?: string;
}

/** What a surface shows of a question. */
export function shownIn({ edits = "", message }: ShownQuestion): string {
  return `${edits}${message}`;
}

/** The question in the form in which an answer names it. */
export function askedIn({ edits, message }: ShownQuestion): ShownQuestion {
  return { message, ...(edits === undefined ? {} : { edits }) };
}

/**
 * A question that a surface must ask a person. It then runs the transaction again with the answered question
 * in the context: through a client with the verdict in the input's place (`is_approved`, `feedback_notes`)
 * and the channel `elicitation`, at a terminal with the unchanged input, once the person agreed.
 */
export interface HumanQuestion extends ShownQuestion {
  /** The command for the person if the client cannot ask; absent: `pawl approve RUN` or `pawl reject RUN`. */
  readonly command?: string;
  /** The gate is signed: a record instead of a yes. Made by the runtime alone. */
  readonly sign?: {
    /** The text that is signed. */
    readonly record: string;
    readonly hash: string;
    /** Its content, in words for the person. */
    readonly words: string;
  };
  /** The caller is a device: the hash of the verdict that its passkey must prove. Made by the runtime alone. */
  readonly passkey?: string;
}

export interface SignedRecord {
  readonly record: string;
  /** Armoured. */
  readonly signature: string;
}

/**
 * The form that every surface can show: the same text in CLI and MCP, the same data under `--json` and as
 * structured content.
 */
export interface Reply {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The action was refused; nothing changed. */
  readonly refused?: true;
  /** The next step is a person's; the CLI exits with 3. */
  readonly waits?: true;
}

/** The reply of a commit whose follow-up failed. */
export function withFailure(reply: Reply, { code, fix, message }: PawlError): Reply {
  const failed = `This is committed, but the step after it failed: ${message} ${fix}`;
  const data = { ...reply.data, after_commit: { code, message, fix } };
  const before = reply.data.message;
  return {
    ...reply,
    text: `${reply.text.trimEnd()}\n\n${failed}\n`,
    data: typeof before === "string" ? { ...data, message: `${before.trimEnd()} ${failed}` } : data,
  };
}

/** A person's verdict, with everything that its record covers (`core/gate-record.ts`). */
export interface Verdict {
  /** `workflow.gate` */
  readonly gate: string;
  readonly run: string;
  readonly approve: boolean;
  readonly strength: Strength;
  /** The sha-256 of the artifact; null: the gate is about the work alone. */
  readonly artifact: string | null;
  /** The sha-256 of the run's policy. */
  readonly policy: string;
  /** The sha-256 of the run's tables. */
  readonly workflow: string;
  readonly evidence: readonly { readonly about: string; readonly verdict: string; readonly words: string }[];
  readonly notes: string;
  /** The judged tree or commit; absent: not known. */
  readonly judged?: string | undefined;
  /** The place of the judged work. */
  readonly work:
    | { readonly in: "folder"; readonly base: string | null }
    | { readonly in: "commit"; readonly commit: string; readonly target: string | null }
    | { readonly in: "elsewhere"; readonly reason: string };
}

/** A person's verdict at a gate, and how it was given. */
export interface GateVerdict {
  readonly gate: string;
  /** `approved the plan`, `in_review: approve`. */
  readonly what: string;
  readonly by?: string | undefined;
  /** The database's login that brought it. */
  readonly login?: string | undefined;
  /** As recorded; null: it was not. */
  readonly strength: string | null;
  readonly time: string;
}

export interface OpenQuestion {
  readonly id: string;
  readonly text: string;
  /** When it was asked; ISO 8601. */
  readonly since: string;
  /** The command that answers it. */
  readonly command: string;
}

/** How much of one limit of a budget is spent. */
export interface Nearing {
  readonly limit: "usd" | "turns" | "minutes";
  readonly spent: number;
  readonly of: number;
}

/** The author of a run's last move in another checkout, by its records. */
export interface Elsewhere {
  readonly by: string;
  readonly time: string;
}

/** A branch of a run that others recorded, and that this checkout does not follow. */
export interface AsideBranch {
  /** The beginning of its hash. */
  readonly branch: string;
  /** Its last steps, in words for a person. */
  readonly steps: string;
}

/** An agent's order in a run that only a person can continue. */
export interface HeldOrder {
  /** `asks`: its agent asks; `budget`: its budget is spent. */
  readonly why: string;
  /** What its agent asks, or why it cannot continue. */
  readonly words: string;
}

export interface RunOverview {
  /** `workflow:id` */
  readonly run: string;
  readonly title: string;
  readonly state: string;
  /** Who must act next. */
  readonly awaits: "nobody" | "assistant" | "human" | "agent";
  /** The next step, in a few words: "approve or reject the git status". */
  readonly next: string;
  /** Of its agent's order that waits for a person. Absent: none does. */
  readonly order?: HeldOrder;
  /** The command that a person types next; default for a human's turn: `pawl approve` with the run. */
  readonly command?: string;
  /** ISO 8601, or null if the run has not begun. */
  readonly since: string | null;
  /** People's verdicts at its gates, the oldest first. */
  readonly verdicts?: readonly GateVerdict[];
  /** The kind of a person's turn; absent: none of these. */
  readonly waitsFor?: "gate" | "question" | "blocked" | "failed";
  /** Its agent rests, because its account is limited or refused. Absent: it does not. */
  readonly rest?: RestingAccount;
  /** It waits for a branch that fails its check by itself; `next` says how. Absent: it does not. */
  readonly target?: {
    readonly repo: string;
    readonly into: string;
    readonly command: string | null;
    readonly since: string;
  };
  /** Its own resources while it is at work; absent: none. */
  readonly environment?: {
    readonly name: string;
    readonly slot: number;
    readonly ports: readonly number[];
    readonly exclusive: readonly string[];
  };
  /** Its agent's unanswered questions, whether or not the run waits for them; absent: none. */
  readonly questions?: readonly OpenQuestion[];
  /** The budget limit nearest to exhaustion, if 80 % or more is spent. */
  readonly nearing?: Nearing;
  /** The cost of its agents so far; null: not known. Absent: no agent of Pawl's has worked on it. */
  readonly cost?: {
    readonly usd: number | null;
    readonly tokens: number | null;
    readonly minutes: number | null;
  };
  /** Its records go beyond this checkout's own state: others advanced it. */
  readonly elsewhere?: Elsewhere;
  /** Others continued it from an earlier step, and no person has chosen yet; absent: no one did. */
  readonly aside?: readonly AsideBranch[];
  /** Its history here does not go back to its beginning: git brought its state or its records. */
  readonly unproved?: true;
  /** Set if the run cannot be read: the two lines of the error. */
  readonly problem?: { readonly code?: ErrorCode; readonly message: string; readonly fix: string };
}
