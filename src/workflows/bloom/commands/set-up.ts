/** Prepares a folder for work and checks, with its repository's `setup` of pawl.yaml. */
import { PawlError } from "../../../core/error.ts";
import type { CommandEnd } from "../../../core/ports/commands.ts";
import type { SetupUse } from "../../../core/ports/setup.ts";
import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { type ExecutionContext, repoOf, stopped } from "../execution-context.ts";
import { nameOfRun } from "../run/task-run.ts";
import { failureOf } from "./failure.ts";

/**
 * Runs the setup commands. `stopped`: the worker was asked to stop. Throws `setup-failed` if a command fails.
 */
export async function setUp(
  context: ExecutionContext,
  folder: AgentFolder,
  use: SetupUse,
): Promise<"done" | "stopped"> {
  const { task } = context.known;
  const setup = context.known.setup[repoOf(task) ?? ""];
  if (setup === undefined || repoOf(task) === null) return "done";
  const found = await context.ports.setups.look(folder, setup, use);
  const told = { type: "worktree:set_up", taskId: task.id, folder: folder.agentPath } as const;
  if (found === "restored") context.show({ ...told, how: "copied", duration: 0 });
  if (found !== "needed") return "done";
  const begun = context.now().getTime();
  for (const command of setup.run) {
    const ended = await runCommand(context, folder, command);
    if (ended === null) return "stopped";
    if (ended.exit !== 0) throw setupFailed(command, ended, folder);
  }
  const putBack = await context.ports.setups.done(folder, setup);
  context.show({
    ...{ ...told, how: "run", duration: context.now().getTime() - begun },
    ...(putBack.length > 0 && { putBack }),
  });
  return "done";
}

/** Runs one command that is not evidence for the task. Null: stopped. */
async function runCommand(
  context: ExecutionContext,
  folder: AgentFolder,
  command: string,
): Promise<CommandEnd | null> {
  const { task, run, settings } = context.known;
  const id = nameOfRun(task.id, run.runs + 1);
  await context.note({ patch: { underway: [id], runs: run.runs + 1 } });
  const started = context.ports.commands.run({
    run: id,
    command,
    folder,
    environment: context.environment,
    limits: { total: settings.limits.verify * 60_000 },
  });
  const { reason, forget } = stopped(context.stop);
  const first = await Promise.race([started.ended, reason]);
  forget();
  const ended = typeof first === "string" ? await started.stop() : first;
  await context.note({ patch: { underway: [] } });
  return typeof first === "string" ? null : ended;
}

function setupFailed(command: string, ended: CommandEnd, folder: AgentFolder): PawlError {
  const { reason, tail } = {
    ...failureOf(command, ended),
    tail: ended.tail.split("\n").slice(-5).join(" / "),
  };
  return new PawlError(
    "setup-failed",
    `The setup of ${folder.agentPath} failed: ${reason}; its output ends: ${tail}`,
    `Correct \`setup:\` in pawl.yaml, or what the command needs; its whole output is in ${ended.output}.`,
  );
}
