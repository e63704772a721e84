import type { Caller } from "../../../core/event.ts";
import type { Agents } from "../../../core/ports/agents.ts";
import type { Project } from "../../../runtime/project.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import { branchOf } from "../../../tasks-file/task.ts";
import { agentOf } from "../../../workflows/bloom/agent-rest.ts";
import type { Worker } from "../../../workflows/bloom/pick.ts";
import { nowReady } from "../../../workflows/bloom/pick.ts";
import { pick } from "../../../workflows/bloom/run/transactions.ts";
import type { Answer } from "../line/command.ts";
import { clean } from "../terminal/terminal.ts";

/** The tasks that a run would start, in order, with their agents; changes nothing. */
export async function dryRun(
  { runtime }: Project,
  programs: Agents,
  worker: Worker,
  caller: Caller,
): Promise<Answer> {
  const { reply } = await runTransaction(runtime, pick, { worker, look: true }, caller);
  const { bloom } = await runtime.settings(runtime.store.view());
  const ready = nowReady(reply.file.tasks, reply.states);
  const tasks = [
    ...reply.candidates,
    ...ready.filter(({ id }) => !reply.candidates.some((each) => each.id === id)),
  ];
  const rows = tasks.map((task) => {
    const agent = agentOf(task, reply.runs.get(task.id), bloom);
    return {
      task: task.id,
      title: task.title,
      state: reply.states.get(task.id) ?? "ready",
      step: getCurrentStepForTask(task)?.id ?? null,
      agent,
      missing: programs.missing(agent),
      permission: bloom.permission,
      place: task.repo === undefined ? "the project's root" : `${task.repo} on ${branchOf(task)}`,
    };
  });
  const lines = rows.map(
    (row) =>
      `${row.task}  ${row.title}\n  ${row.step ? `step ${row.step}, ` : ""}${row.agent} (permission ${row.permission}) in ${row.place}${row.missing === null ? "" : `\n  not found: ${row.missing}`}`,
  );
  return {
    text: rows.length === 0 ? "No task would start now.\n" : `${lines.map(clean).join("\n")}\n`,
    data: { would: rows },
  };
}
