/**
 * `pawl run`: lines for a person, with the active tasks below them on a terminal; JSON lines under `--json`.
 */
import { hostname } from "node:os";
import type { PawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import { checkId } from "../../../core/id.ts";
import type { Agents } from "../../../core/ports/agents.ts";
import type { LoopEnd } from "../../../core/ports/loop-end.ts";
import type { BloomSettings } from "../../../core/settings.ts";
import type { Project } from "../../../runtime/project.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { agentOf } from "../../../scheduler/agent-rest.ts";
import { getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import { branchOf } from "../../../tasks-file/task.ts";
import { missingTasksError } from "../../../workflows/bloom/govern.ts";
import { nowReady, type Worker } from "../../../workflows/bloom/pick.ts";
import { pick } from "../../../workflows/bloom/run/transactions.ts";
import type { Answer, Call, Host, Run } from "../line/command.ts";
import { warnOfTasksFile } from "../line/warn.ts";
import { beginLoop } from "../project/policy.ts";
import { agreeToNew } from "../project/trust.ts";
import { clean } from "../terminal/terminal.ts";
import {
  endAnswer,
  endLines,
  parseAgents,
  runWith,
  screenOf,
  stageOnSignal,
  whileAnswering,
} from "./work-loop.ts";

export const run: Run = async (host, call) => {
  const project = await host.projects.open();
  await warnOfTasksFile(host, project);
  const options = optionsOf(call);
  const lacking = await missingTasksError(project.runtime, options.worker.only);
  const settings = await project.runtime.settings(project.runtime.store.view());
  if (options.dryRun && lacking) throw lacking;
  if (options.dryRun)
    return dryRun(
      project,
      await host.machine.agents(project.root, settings),
      options.worker,
      host.person.caller(),
    );
  return whileAnswering(host, call, project, async () => {
    await agreeToNew(project, host);
    await beginLoop(project, host);
    return work(project, { host, call, options, lacking, bloom: settings.bloom });
  });
};

interface Work {
  readonly host: Host;
  readonly call: Call;
  readonly options: Options;
  readonly bloom: BloomSettings;
  /** Why the project has no tasks; null: it has. */
  readonly lacking: PawlError | null;
}

async function work(project: Project, { bloom, call, host, lacking, options }: Work): Promise<Answer> {
  const screen = screenOf(host, call.json, options.once);
  const stop = new AbortController();
  const says = "Stopping the agents and saving where each task stands. A second Ctrl-C quits at once.";
  const signals = stageOnSignal(screen, [{ controller: stop, says }]);
  try {
    const outside = await project.openLoop();
    if (lacking && !outside.others) throw lacking;
    const end = await runWith(project, outside, screen, {
      hasTasks: lacking === null,
      name: `${options.worker.name ?? "worker"}@${hostname()}:${process.pid}`,
      worker: options.worker,
      agents: options.agents ?? bloom.agents,
      mergeTrain: bloom.merge_train,
      once: options.once,
      noWait: options.noWait,
      stop: stop.signal,
    });
    const data = { type: "loop:ended", ...end };
    const answer = {
      text: `${endLines(end, host).join("\n")}\n`,
      data,
      exit: exitOf(end, stop.signal.aborted),
    };
    return endAnswer(answer, call.json === true, host);
  } finally {
    screen.close();
    signals.forget();
  }
}

interface Options {
  readonly agents: number | undefined;
  readonly worker: Worker;
  readonly once: boolean;
  readonly noWait: boolean;
  readonly dryRun: boolean;
}

function optionsOf({ options }: Call): Options {
  const { agents, agent, task, once, wait, dryRun: dry } = options;
  return {
    agents: parseAgents(agents),
    worker: {
      name: agent === undefined ? null : checkId(agent, "worker's name"),
      only: task === undefined ? null : checkId(task, "task's id"),
    },
    once: once === true,
    noWait: wait === false,
    dryRun: dry === true,
  };
}

/** The exit code. 130: the stop left an open task behind that waits for nothing. */
function exitOf(
  { open, blocked, red, resting, waiting, byHand }: LoopEnd,
  isStopped: boolean,
): Answer["exit"] {
  const isAwaited = resting.some(({ tasks }) => tasks.length > 0);
  if (blocked.length > 0 || red.length > 0 || (isAwaited && !isStopped)) return 1;
  const held = new Set([...waiting, ...byHand]);
  if (isStopped && open.some((id) => !held.has(id))) return 130;
  return held.size > 0 ? 3 : undefined;
}

/** The tasks that a run would start, in order, with their agents; changes nothing. */
async function dryRun(
  { runtime }: Project,
  programs: Agents,
  worker: Worker,
  caller: Caller,
): Promise<Answer> {
  const { reply } = await runTransaction(runtime, pick, { worker, dryRun: true }, caller);
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
