/** Finds tasks whose agent is not installed, before anything is written about them. */
import { PawlError } from "../../../core/error.ts";
import type { Agents } from "../../../core/ports/agents.ts";
import type { MissingAgent } from "../../../core/ports/driver.ts";
import { fewOf } from "../../../core/text/few.ts";
import { type AgentRest, agentOf, awaitedRest } from "../../../scheduler/agent-rest.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { isOpen } from "../run/facts.ts";
import type { Picked } from "../run/transactions.ts";

/** Null: the task's agent can begin, or the task needs none. */
export function lackOfAgent(agents: Agents, picked: Picked, task: Task): MissingAgent | null {
  const agent = agentFor(picked, task);
  const why = agent === null ? null : agents.missing(agent);
  return agent === null || why === null ? null : { agent, why };
}

/** For all tasks that wait for the agent. */
export function missingAgentError(
  tasks: readonly string[],
  agent: string,
  why: string,
  command: string,
): PawlError {
  const [only = ""] = tasks;
  const who =
    tasks.length === 1 ? `${only} cannot begin` : `${tasks.length} tasks (${fewOf(tasks)}) wait for ${agent}`;
  const fix = `Install the agent or name another, then run \`${command} run\` again.`;
  return new PawlError("agent-missing", `${who}: ${why}`, fix);
}

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

/** Throws `agent-missing` if no task that could be taken now has its agent. */
export function checkAgents(agents: Agents, picked: Picked): void {
  const [first] = picked.candidates;
  const missing = picked.candidates.map((task) => lackOfAgent(agents, picked, task));
  if (first && missing[0] && missing.every((each) => each !== null))
    throw missingAgentError([first.id], missing[0].agent, missing[0].why, picked.settings.command);
}
