/**
 * Agents that are functions of the program which uses the library. They run in its process, without a wall. All
 * other agents' names go to the agents that were passed in.
 */
import type {
  AgentEnd,
  AgentEvent,
  AgentOrder,
  AgentRun,
  Agents,
  DeferredCall,
} from "../../core/ports/agents.ts";
import { keep, openRunFolder } from "./run-folder.ts";
import { LONGEST_TIMER } from "./run-process.ts";

/** One run of an agent at a task. */
export interface AgentTurn {
  readonly task: string;
  readonly run: string;
  readonly prompt: string;
  /** The task's workspace, absolute. What it commits there, with git, is the task's work. */
  readonly folder: string;
  /** The run whose session it resumes. Null: it begins a session. */
  readonly session: string | null;
  /** Aborted: the run was stopped, or took too long. It has ended then, whatever the function still does. */
  readonly signal: AbortSignal;
  /** Shown as the agent's words. */
  say(text: string): void;
  /**
   * What other agents call: `ask` (`{ task, text, blocking }`) or `note` (`{ id, text }`). It is done after the
   * run, and only if the run ends well.
   */
  call(verb: string, input: Readonly<Record<string, unknown>>): void;
}

/**
 * The work of an agent; returns its last words. Its step counts as done once it returns, unless it asked something that
 * blocks the task. Throws: the step is tried again, as if an agent had failed.
 */
export type AgentFunction = (turn: AgentTurn) => Promise<string | undefined> | string | undefined;

export type AgentFunctions = Readonly<Record<string, AgentFunction>>;

export function withFunctions(agents: Agents, root: string, functions: AgentFunctions): Agents {
  const calls = new Map<string, readonly DeferredCall[]>();
  const isFunction = (name: string) => Object.hasOwn(functions, name);
  return {
    ...agents,
    start(order, onEvent) {
      const work = isFunction(order.agent) ? functions[order.agent] : undefined;
      return work ? startFunction(root, work, order, onEvent, calls) : agents.start(order, onEvent);
    },
    async takeCalls(run, take) {
      for (const call of calls.get(run) ?? []) await take(call, true);
      calls.delete(run);
      await agents.takeCalls(run, take);
    },
    accountOf: (name) => (isFunction(name) ? null : agents.accountOf(name)),
    missing: (name) => (isFunction(name) ? null : agents.missing(name)),
  };
}

type Ending =
  | Pick<Extract<AgentEnd, { outcome: "succeeded" }>, "outcome">
  | Pick<Extract<AgentEnd, { outcome: "failed" }>, "outcome" | "reason" | "detail">;

function startFunction(
  root: string,
  work: AgentFunction,
  { done, folder, limits, prompt, run, session, task = "" }: AgentOrder,
  onEvent: (event: AgentEvent) => void,
  calls: Map<string, readonly DeferredCall[]>,
): AgentRun {
  const kept = openRunFolder(root, "agents", run);
  keep(kept, "prompt.md", prompt);
  const begun = performance.now();
  const deferredCalls: DeferredCall[] = [];
  const stopping = new AbortController();
  const id = session.type === "resume" ? session.id : run;
  onEvent({ type: "session", id });
  const turn: AgentTurn = {
    ...{ task, run, prompt, folder: folder.agentPath, signal: stopping.signal },
    session: session.type === "resume" ? session.id : null,
    say: (text) => onEvent({ type: "text", text }),
    call: (verb, input) => void deferredCalls.push({ verb, input }),
  };
  const stopped = Promise.withResolvers<readonly [Ending, string]>();
  const worked = (async (): Promise<readonly [Ending, string]> => {
    const words = await work(turn);
    if (!stopping.signal.aborted)
      calls.set(run, done && !deferredCalls.some(blocks) ? [...deferredCalls, done] : deferredCalls);
    return [{ outcome: "succeeded" }, words ?? ""];
  })().catch((thrown): readonly [Ending, string] => {
    const detail = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ outcome: "failed", reason: "exit", detail }, ""];
  });
  const stop = (reason: "stopped" | "timed-out", detail: string) => {
    stopped.resolve([{ outcome: "failed", reason, detail }, ""]);
    stopping.abort();
  };
  const total = limits?.total ?? Number.POSITIVE_INFINITY;
  const late =
    total > LONGEST_TIMER
      ? undefined
      : setTimeout(() => stop("timed-out", `it took longer than ${total / 1000} s`), total);
  const ended = Promise.race([worked, stopped.promise]).then(([ending, text]): AgentEnd => {
    clearTimeout(late);
    const end: AgentEnd = {
      ...ending,
      ...{ session: id, text, usage: null, exit: { code: null, signal: null } },
      ...{ duration: Math.round(performance.now() - begun), leftovers: { ended: 0, alive: 0 } },
      output: kept.path,
    };
    keep(kept, "end.json", end);
    return end;
  });
  return {
    ...{ run, ended },
    stop(reason) {
      stop("stopped", reason);
      return ended;
    },
  };
}

/** Whether the task waits for the answer. */
function blocks({ input, verb }: DeferredCall): boolean {
  return verb === "ask" && input.blocking === true;
}
