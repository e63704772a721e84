/** Finds tasks whose agent is not installed, before anything is written about them. */
import { PawlError } from "../../../core/error.ts";
import type { Agents } from "../../../core/ports/agents.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { type AgentRest, agentOf, awaitedRest } from "../agent-rest.ts";
import { nowReady } from "../pick.ts";
import { isOpen } from "../run/facts.ts";
import type { Picked } from "../run/transactions.ts";

export interface MissingAgent {
  readonly agent: string;
  readonly why: string;
  readonly error: PawlError;
}

/** Why the task's agent cannot begin; null: it can, or the task needs none. */
export function agentMissing(agents: Agents, picked: Picked, task: Task): MissingAgent | null {
  const { settings } = picked;
  const agent = agentFor(picked, task);
  if (agent === null) return null;
  const why = agents.missing(agent);
  if (why === null) return null;
  return { agent, why, error: missingError([task.id], why, settings.command) };
}

/** For all tasks that wait for the agent. */
export function missingError(tasks: readonly string[], why: string, command: string): PawlError {
  const more = tasks.length > SHOWN ? ` and ${tasks.length - SHOWN} more` : "";
  const named = `${tasks.slice(0, SHOWN).join(", ")}${more}`;
  const who = tasks.length === 1 ? named : `${tasks.length} tasks (${named})`;
  const fix = `Install the agent or name another, then run \`${command} run\` again.`;
  return new PawlError("agent-missing", `${who} cannot begin: ${why}`, fix);
}

const SHOWN = 3;

/** The agent that works on the task next; null: nothing is left for an agent. */
export function agentFor({ runs, settings }: Picked, task: Task): string | null {
  if (!isOpen(task, runs.get(task.id) ?? { workDone: false })) return null;
  return agentOf(task, runs.get(task.id), settings);
}

/** The rest that the task waits for before its agent can begin; null: none. */
export function restsFor(picked: Picked, task: Task): AgentRest | null {
  const agent = agentFor(picked, task);
  return agent === null ? null : awaitedRest(task, agent, picked.settings, picked.resting);
}

/** Throws `agent-missing` if no task that could be taken now, or soon, has its agent. */
export function checkAgents(agents: Agents, picked: Picked): void {
  const ready = nowReady(picked.file.tasks, picked.states).filter(({ id }) => picked.scope.has(id));
  const first = [...picked.candidates, ...ready];
  const missing = first.map((task) => agentMissing(agents, picked, task));
  if (missing[0] && missing.every((each) => each !== null)) throw missing[0].error;
}
