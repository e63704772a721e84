/** Prepares a folder for work and checks, with its repository's `setup` of pawl.yaml. */
import { PawlError } from "../../../core/error.ts";
import type { CommandEnd } from "../../../core/ports/commands.ts";
import type { SetupUse } from "../../../core/ports/setup.ts";
import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { type ExecutionContext, repoOf, runToEnd } from "../execution-context.ts";
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
  const state = await context.ports.setups.prepare(folder, setup, use);
  const event = { type: "worktree:set_up", taskId: task.id, folder: folder.agentPath } as const;
  if (state === "restored") context.show({ ...event, how: "copied", duration: 0 });
  if (state !== "needed") return "done";
  const begun = context.now().getTime();
  for (const command of setup.run) {
    const ended = await runCommand(context, folder, command);
    if (ended === null) return "stopped";
    if (ended.exit !== 0) throw setupError(command, ended, folder);
  }
  const putBack = await context.ports.setups.done(folder, setup);
  context.show({
    ...{ ...event, how: "run", duration: context.now().getTime() - begun },
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
  const { environment, ports, stop } = context;
  const limits = { total: settings.limits.verify * 60_000 };
  const ended = await runToEnd(ports.commands, { run: id, command, folder, environment, limits }, stop);
  await context.note({ patch: { underway: [] } });
  return ended;
}

/** Why the command failed, with the end of its output. */
export function endingOf(command: string, ended: CommandEnd): string {
  const tail = ended.tail.split("\n").slice(-5).join(" / ");
  return `${failureOf(command, ended).reason}; its output ends: ${tail}`;
}

function setupError(command: string, ended: CommandEnd, folder: AgentFolder): PawlError {
  return new PawlError(
    "setup-failed",
    `The setup of ${folder.agentPath} failed: ${endingOf(command, ended)}`,
    `Correct \`setup:\` in pawl.yaml, or what the command needs; its whole output is in ${ended.output}.`,
  );
}
