/** How long an agent rests whose account is limited or refused, and how that is said, everywhere in the same words. */

import type { Limited } from "../../core/ports/agents.ts";
import { agentsFor, type BloomSettings } from "../../core/settings.ts";
import { clockOf, dayOf } from "../../core/text/local-time.ts";
import type { Task } from "../../tasks-file/task.ts";
import { isBackingOff } from "./run/scheduling-status.ts";
import type { AgentRest, TaskRun } from "./run/task-run.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A reset is not trusted to the second, and not all tasks go on in the same one. */
const AFTER_RESET = 3 * SECOND;
const SPREAD = 15 * SECOND;
/** A reset further away is a misunderstanding. */
const LONGEST = 8 * 24 * HOUR;
/** The display of a time needs no day if it is that near. */
const NEAR = 20 * HOUR;

/** `before`: the rest that this one follows, without any work in between. */
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
  // A reset that is over already and did not help says nothing.
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

/** The same, with what the agent itself says. */
export function restReason(rest: AgentRest): string {
  return `${restWords(rest)} (${rest.words})`;
}

/** Who works on the task: its own agent, else who stands in for the project's, else that. */
export function agentOf(
  task: Pick<Task, "agent">,
  run: Pick<TaskRun, "standIn"> | undefined,
  settings: Pick<BloomSettings, "agent">,
): string {
  return task.agent ?? run?.standIn ?? settings.agent;
}

/** Who takes the task over while this agent rests; null: nobody, so it waits. */
export function nextAgent(
  task: Pick<Task, "agent">,
  agent: string,
  settings: Pick<BloomSettings, "agent" | "stand_ins">,
  resting: Resting,
): string | null {
  return agentsFor(task, settings).find((name) => name !== agent && !resting.has(name)) ?? null;
}

/** By their names. */
export type Resting = ReadonlyMap<string, AgentRest>;

/** The agents that rest now, each with its longest rest. */
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

/** A rest that began later than now is from before the clock was set back: nobody knows how long it lasts. */
export function lasts({ since, until }: AgentRest, now: string): boolean {
  return since <= now && until > now;
}

/** The agents for which a task waits: its end ends the wait of the others. */
export function awaitedAgents(runs: ReadonlyMap<string, TaskRun>, now: string): ReadonlySet<string> {
  return new Set(
    [...runs.values()].flatMap((run) => (run.rest && isWaiting(run, now) ? run.rest.agent : [])),
  );
}

export interface RestingAgent {
  readonly agent: string;
  /** `claude rests until 03:02`. */
  readonly words: string;
  /** Null: only a person can mend it. */
  readonly until: string | null;
  /** Those that wait for it. */
  readonly tasks: readonly string[];
}

/** `waitsFor`: the agent that a task which has not begun waits for, if it waits for nothing else; null: none. */
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
