/**
 * How long an agent whose account is limited or refused rests, and the one wording for it in all displays.
 */

import type { Limited } from "../../core/ports/agents.ts";
import { agentsFor, type BloomSettings } from "../../core/settings.ts";
import { clockOf, dayOf } from "../../core/text/local-time.ts";
import type { Task } from "../../tasks-file/task.ts";
import { isBackingOff } from "./run/scheduling-status.ts";
import type { AgentRest, TaskRun } from "./run/task-run.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/**
 * The service's clock may be seconds off, and spreading the restarts keeps them from all hitting it at once.
 */
const AFTER_RESET = 3 * SECOND;
const SPREAD = 15 * SECOND;
/** A reset further away than this is a misreading. */
const LONGEST = 8 * 24 * HOUR;
/** A time nearer than this is shown without its day. */
const NEAR = 20 * HOUR;

/**
 * The rest of an agent after `limited`. `before`: the preceding rest, if the agent did no work in between.
 */
export function restOf(
  limited: Limited,
  agent: string,
  task: string,
  before: AgentRest | null,
  now: Date,
): AgentRest {
  const { mend, resets, words } = limited;
  const time = now.getTime();
  const count = (before?.count ?? 0) + 1;
  const reset = resets === null ? Number.NaN : Date.parse(resets);
  // A reset in the past that did not help is no information.
  const isKnown = mend === undefined && reset < time + LONGEST && (reset > time || before === null);
  const away = isKnown
    ? Math.max(0, reset - time) + AFTER_RESET + spreadOf(task)
    : mend === undefined
      ? Math.min(HOUR, MINUTE * 2 ** (count - 1))
      : HOUR;
  const until = new Date(time + away).toISOString();
  const since = before?.since ?? now.toISOString();
  return { agent, words, since, until, isKnown, count, ...(mend === undefined ? {} : { mend }) };
}

function spreadOf(task: string): number {
  let sum = 0;
  for (const character of task) sum = (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0;
  return sum % SPREAD;
}

/** `claude rests until 03:02`. */
export function restWords({ agent, isKnown, mend, since, until }: AgentRest): string {
  if (mend !== undefined) return `${agent} cannot work: ${mend}`;
  const at = new Date(until);
  const day = at.getTime() - Date.parse(since) < NEAR ? "" : `${dayOf(at)} `;
  const time = `${day}${clockOf(at)}`;
  return isKnown ? `${agent} rests until ${time}` : `${agent} rests, and is asked again at ${time}`;
}

/** `restWords` plus the agent's own message. */
export function restReason(rest: AgentRest): string {
  return `${restWords(rest)} (${rest.words})`;
}

/** The agent that works on the task: the task's own, else the run's stand-in, else the project's. */
export function agentOf(
  task: Pick<Task, "agent">,
  run: Pick<TaskRun, "standIn"> | undefined,
  settings: Pick<BloomSettings, "agent">,
): string {
  return task.agent ?? run?.standIn ?? settings.agent;
}

/** The agent that takes the task over while this agent rests; null: none, so the task waits. */
export function nextAgent(
  task: Pick<Task, "agent">,
  agent: string,
  settings: Pick<BloomSettings, "agent" | "stand_ins">,
  resting: Resting,
): string | null {
  return agentsFor(task, settings).find((name) => name !== agent && !resting.has(name)) ?? null;
}

/** By agent name. */
export type Resting = ReadonlyMap<string, AgentRest>;

/** The agents that rest at `now`, each with its longest rest. */
export function restingAgents(runs: ReadonlyMap<string, TaskRun>, now: string): Resting {
  const found = new Map<string, AgentRest>();
  for (const run of runs.values())
    for (const rest of restsOf(run, now)) {
      const other = found.get(rest.agent);
      if (other === undefined || other.until < rest.until) found.set(rest.agent, rest);
    }
  return found;
}

function restsOf(run: TaskRun, now: string): readonly AgentRest[] {
  const { passed, rest } = run;
  return [...(rest && isWaiting(run, now) ? [rest] : []), ...(passed && lasts(passed, now) ? [passed] : [])];
}

function isWaiting(run: TaskRun, now: string): boolean {
  return run.state === "agent_rests" && isBackingOff(run, now);
}

/** Whether the rest still lasts. One that began after `now` predates a change of the clock, so it is void. */
export function lasts({ since, until }: AgentRest, now: string): boolean {
  return since <= now && until > now;
}

/** The agents that tasks wait for at `now`. Other tasks wait with those instead of trying the agent again. */
export function awaitedAgents(runs: ReadonlyMap<string, TaskRun>, now: string): ReadonlySet<string> {
  return new Set(
    [...runs.values()].flatMap((run) => (run.rest && isWaiting(run, now) ? run.rest.agent : [])),
  );
}

export interface RestingAgent {
  readonly agent: string;
  /** `claude rests until 03:02`. */
  readonly words: string;
  /** Null: the rest has no end; a person must mend the cause. */
  readonly until: string | null;
  /** The tasks that wait for it. */
  readonly tasks: readonly string[];
}

/**
 * `waitsFor`: for a task that has not begun, the agent that it waits for, if that is all it waits for; else
 * null.
 */
export function listResting(
  open: readonly Task[],
  runs: ReadonlyMap<string, TaskRun>,
  now: string,
  waitsFor: (task: Task) => string | null,
): readonly RestingAgent[] {
  return [...restingAgents(runs, now)].map(([agent, rest]) => ({
    agent,
    words: restWords(rest),
    until: rest.mend === undefined ? rest.until : null,
    tasks: open
      .filter((task) => {
        const run = runs.get(task.id);
        return run?.state === "agent_rests" ? run.rest?.agent === agent : waitsFor(task) === agent;
      })
      .map(({ id }) => id),
  }));
}

/** `claude rests until 03:02; 4 tasks wait`. */
export function restLine({ tasks, words }: Pick<RestingAgent, "tasks" | "words">): string {
  if (tasks.length === 0) return words;
  return `${words}; ${tasks.length} ${tasks.length === 1 ? "task waits" : "tasks wait"}`;
}
