/** Agents: real programs that do the work. */
import type { ProjectPath } from "../path.ts";
import type { AgentFolder } from "./worktrees.ts";

export interface Agents {
  /**
   * Starts a run and returns at once. If the program cannot start, that is a failed end like any other.
   * `onEvent` must not throw.
   */
  start(order: AgentOrder, onEvent: (event: AgentEvent) => void): AgentRun;
  /** Ends every process with the run's tag, which a dead owner left. Returns how many there were. */
  endLeftovers(run: string): Promise<number>;
  /**
   * Takes the calls that the run's agent deferred, oldest first. Each is removed once taken; with the last
   * one the run's capability expires. `own`: the call came with the run's capability.
   */
  takeCalls(run: string, take: (call: DeferredCall, own: boolean) => Promise<void>): Promise<void>;
  /** A run's known usage, even if its owner died before the end. */
  spentBy(run: string): Promise<AgentUsage | null>;
  /** The session of a run whose owner died, and its folder; null: nothing is kept of it. */
  sessionOf(run: string): Promise<{ readonly id: string; readonly folder: string } | null>;
  /** The run's last sign of life, ISO 8601; null: nothing is kept of it. */
  lastSignOf(run: string): Promise<string | null>;
  /**
   * Identifies the agent's present account, without a secret. Null: unknown, so it counts as an account of this
   * machine alone.
   */
  accountOf(name: string): string | null;
  /** Why the agent of that name cannot be started, and how to fix that; null if its program exists. */
  missing(name: string): string | null;
  /**
   * The known agents and those installed, for `pawl config agents`. Starts each found program once, for its version.
   * `allow`: the commands to list for it.
   */
  survey(allow?: readonly string[]): Promise<readonly AgentFound[]>;
  /**
   * One real round trip with an agent in a scratch folder: a new session, then the same one resumed. Throws
   * `agent-missing` if no agent has the name. Aborting ends the agent; the try then counts as failed.
   */
  tryOut(name: string, signal?: AbortSignal): Promise<AgentTried>;
}

/** A call of an agent's own verb, such as `step done`, which the agent leaves for the loop to make. */
export type DeferredCall = { readonly verb: string; readonly input: Readonly<Record<string, unknown>> };

export interface AgentOrder {
  /** An id, unique among all runs of the project. It names the output and tags the processes. */
  readonly run: string;
  /** `claude`, `codex`, `opencode`, `gemini`, `scripted`, or a name in the configuration. */
  readonly agent: string;
  /** The task on which the agent works and for which it may speak. Absent: it may speak for none. */
  readonly task?: string;
  readonly folder: AgentFolder;
  /** Goes to the program's stdin, never to its command line. */
  readonly prompt: string;
  /** `new` with an id (a UUID): a preset for agents that accept one. An event reports the id in use. */
  readonly session:
    | { readonly type: "new"; readonly id?: string }
    | { readonly type: "resume"; readonly id: string };
  readonly permission: Permission;
  /** Behind a wall, it may not even write its folder. */
  readonly readOnly?: true;
  /**
   * Commands (by their first words, or whole ones behind a `=`) that the agent may run without a question
   * under `edits`, if it supports such a list.
   */
  readonly allow?: readonly string[];
  readonly model?: string;
  /** Added to the variables of the environment's allow-list. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: AgentLimits;
  /** With this call the agent says that its step, or its task without steps, is done. Absent: there is none. */
  readonly done?: DeferredCall;
  /**
   * Asks a person, if `permission` is `ask` and the agent can ask (ACP). Absent: every request is refused.
   */
  readonly ask?: (question: PermissionQuestion) => Promise<"allow" | "refuse">;
}

/**
 * `ask`: nothing without a question. `edits`: files in its folder. `all`: everything, bypassing the agent's
 * own guards.
 */
export type Permission = "ask" | "edits" | "all";

export interface AgentLimits {
  /** Milliseconds without a line of output. */
  readonly inactivity?: number;
  /** Milliseconds in all. */
  readonly total?: number;
  /**
   * Model calls and dollars. Passed to the agent if it has an option for them, and enforced by the caller.
   */
  readonly turns?: number;
  readonly usd?: number;
}

export interface PermissionQuestion {
  readonly title: string;
  readonly detail: string;
}

/** A run's reports during its work, in order. */
export type AgentEvent =
  /** Sent once the session's id is known, and again if the agent changes it. */
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string; readonly detail: string }
  | {
      readonly type: "permission";
      readonly title: string;
      readonly answer: "allow" | "refuse";
      /** A person was asked, and so knows. */
      readonly byPerson?: true;
    }
  /** The run's usage so far. */
  | { readonly type: "usage"; readonly usage: AgentUsage }
  /** An anomaly that does not end the run. */
  | { readonly type: "warning"; readonly text: string };

/** One run's usage. Null: the agent does not report it. */
export interface AgentUsage {
  readonly usd: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Model calls. If the agent does not report them, the tools used are counted. */
  readonly turns: number | null;
}

/** A model's names in the provider's spelling. Null: unknown. */
export interface AgentModel {
  /** Requested by Pawl or by the agent's own default. */
  readonly asked: string | null;
  /** The model of the last answer. */
  readonly answered: string | null;
}

export interface AgentRun {
  readonly run: string;
  /**
   * Never rejects. When it settles, no process with the run's tag is alive, or `leftovers.alive` is their
   * number.
   */
  readonly ended: Promise<AgentEnd>;
  /** Ends the run and all its processes within 10 s; `ended` then says `stopped` with this reason. */
  stop(reason: string): Promise<AgentEnd>;
}

/** `succeeded` only if the agent's own last event says so, it exited well, and no signal or stop ended it. */
export type AgentEnd = AgentEndFacts &
  (
    | { readonly outcome: "succeeded" }
    | {
        readonly outcome: "failed";
        readonly reason: AgentFailure;
        readonly detail: string;
        /** The agent's account is limited or refused: not the run's fault. */
        readonly limited?: Limited;
      }
  );

export interface Limited {
  /** The agent's message about it. */
  readonly words: string;
  /** The end of the limit, ISO 8601, if the agent reports it. */
  readonly resets: string | null;
  /** That time was read in the message. Absent: a field of the agent's event names it. */
  readonly byWords?: true;
  /** The fix for a person. Absent: the limit passes without one. */
  readonly mend?: string;
}

/** An account with which agents have worked, as every display and its JSON show it. */
export interface AgentAccount {
  readonly agent: string;
  /** Tells the accounts of an agent apart. It is no secret. */
  readonly account: string;
  /** `open`: it may work. `limited`: the limit passes. `exhausted`: only a person can remove the cause. */
  readonly state: "open" | "limited" | "exhausted";
  /** When the account is renewed, ISO 8601; null: unknown. */
  readonly resets_at: string | null;
  /**
   * Where that time is from: a field of the agent's event, the words of its message, or its quota. `none`: there is
   * no time.
   */
  readonly source: "event" | "message" | "quota" | "none";
  /** When Pawl checks it again, ISO 8601; null: it is open, or a person must remove the cause first. */
  readonly until: string | null;
  /** `claude rests until 03:02`, `codex is open` */
  readonly words: string;
}

/** An account that may not work now. */
export interface RestingAccount extends AgentAccount {
  readonly state: "limited" | "exhausted";
}

interface AgentEndFacts {
  readonly session: string | null;
  /** The agent's last message. */
  readonly text: string;
  readonly usage: AgentUsage | null;
  readonly exit: { readonly code: number | null; readonly signal: string | null };
  /** Milliseconds. */
  readonly duration: number;
  /**
   * Processes that outlived the agent: how many Pawl ended, and how many are still alive (0 unless the system
   * refused).
   */
  readonly leftovers: { readonly ended: number; readonly alive: number };
  /** The folder with the run's prompt, output and end. */
  readonly output: ProjectPath;
  /**
   * Refused requests of the agent, one line each, except those that a person refused. Absent: it reported
   * none.
   */
  readonly refused?: readonly string[];
  /** Absent: neither the agent nor its settings name one. */
  readonly model?: AgentModel;
  /** What its account has used by now. Absent: the agent does not report it. */
  readonly quota?: readonly QuotaWindow[];
}

/** A part of an account's quota that is renewed as a whole. */
export interface QuotaWindow {
  /** As the agent calls it: `five_hour`. */
  readonly name: string;
  /** From 0 to 1. */
  readonly used: number;
  /** When it is renewed, ISO 8601. */
  readonly resets: string;
}

export type AgentFailure =
  /** The agent is unknown, or its program is not on the PATH. */
  | "not-installed"
  /** The session cannot be resumed. */
  | "bad-session"
  | "model-error"
  /** The model's host refuses the conversation: it is too long, or malformed. Only a fresh session helps. */
  | "bad-request"
  /** The account is limited, or the model's host is overloaded. */
  | "rate-limit"
  /** The account is refused, or has no such model. */
  | "account"
  /** The agent reports that it stopped before it was done (its own limit of turns or budget). */
  | "gave-up"
  /** It ended without a last event. */
  | "cut-stream"
  /** A signal that Pawl did not send. */
  | "signalled"
  /** Pawl ended it: `stop` was called. */
  | "stopped"
  | "inactive"
  | "timed-out"
  /** Its last event says success, its exit code does not; or it failed without a reason. */
  | "exit";

export interface AgentFound {
  readonly name: string;
  /** The protocol that it speaks. */
  readonly dialect: "claude" | "codex" | "opencode" | "gemini" | "acp" | "scripted";
  /** The path of the program; null if it was not found. */
  readonly program: string | null;
  readonly version: string | null;
  /**
   * `ready`: it starts and is the expected program. `stranger`: another program of that name. `untried`: only
   * `tryOut` starts an ACP program. `invalid`: its entry in the configuration names no dialect. `untrusted`:
   * the project names its program, without a person's consent.
   */
  readonly status: "ready" | "stranger" | "broken" | "missing" | "untried" | "invalid" | "untrusted";
  /** `2.1`: the newest minor version that Pawl knows, if the installed one is newer. Absent: it is not. */
  readonly newerThan?: string;
  /** How it was recognised, or why not: one line. */
  readonly recognised: string;
  /**
   * The call for a new session under each permission, behind `env NAME=VALUE` if a variable sets the
   * permission. The prompt goes to stdin.
   */
  readonly calls: Readonly<Record<Permission, readonly string[]>>;
}

/** Whether there is a wall around agents, and the results of trying it from inside. */
export type WallFound =
  | { readonly kind: "none"; readonly why: string }
  | {
      readonly kind: "bwrap";
      readonly tried: readonly { readonly what: string; readonly held: boolean }[];
      /** The fault of the program that builds it, which Pawl works around. */
      readonly fault?: string;
    };

export interface AgentTried {
  readonly name: string;
  readonly works: boolean;
  /** The steps of the trial, in order, with their results. */
  readonly steps: readonly { readonly what: string; readonly ok: boolean; readonly detail: string }[];
  /** Why there was no wall although the settings want one. */
  readonly noWall?: string;
}
