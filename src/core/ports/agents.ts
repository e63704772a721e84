/** Agents: real programs that do the work. */
import type { ProjectPath } from "../path.ts";
import type { Folder } from "./worktrees.ts";

export interface Agents {
  /** Starts a run and returns at once; a program that cannot be started is an end like others. `hear` must not throw. */
  start(order: AgentOrder, hear: (event: AgentEvent) => void): AgentRun;
  /** Ends every process that bears the run's mark: what a dead owner left. Returns how many there were. */
  endLeftovers(run: string): Promise<number>;
  /**
   * What the run's agent left while it could not write the project. Its commits come first; then the calls that it
   * deferred, oldest first; each is gone once it was taken, and with the last of them the run's capability. `own`: the
   * run's capability came with it. Answers what of its commits could not be taken, in words.
   */
  takeCalls(
    run: string,
    take: (call: DeferredCall, own: boolean) => Promise<void>,
  ): Promise<readonly string[]>;
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
  /** `new` with an id (a UUID): a preset for agents that take one; an event reports the id in use. */
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
  /** Model calls and dollars: passed to the agent if it has an option for them, and enforced by the caller. */
  readonly turns?: number;
  readonly usd?: number;
}

export interface PermissionQuestion {
  readonly title: string;
  readonly detail: string;
}

/** What a run reports while it lasts, in order. */
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
  /** What it was not allowed to do, unless a person refused it, one line each; absent: it reported nothing. */
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

/** Whether there is a wall around agents, and what was tried from inside. */
export type WallFound =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "bwrap"; readonly tried: readonly { readonly what: string; readonly held: boolean }[] };

export interface AgentTried {
  readonly name: string;
  readonly works: boolean;
  /** What was tried, in order, and the result. */
  readonly steps: readonly { readonly what: string; readonly ok: boolean; readonly detail: string }[];
}
