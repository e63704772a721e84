/** The verify commands, run by the loop itself: an agent's word is not evidence. */
import type { BloomHappening } from "../../../core/bloom-event.ts";
import type { LoopEvidence } from "../../../core/loop-record.ts";
import type { Folder, Worktree } from "../../../core/ports/worktrees.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { type ExecutionContext, placeOf, type StepResult, stopped } from "../execution-context.ts";
import { unverifiedSteps } from "../facts.ts";
import { nameOfRun, type TaskRun } from "../task-run.ts";
import { type Failure, failureOf } from "./failure.ts";
import { setUp } from "./set-up.ts";

export async function runVerify(context: ExecutionContext): Promise<StepResult> {
  const { task, run } = context.known;
  const unverified = unverifiedSteps(task, run);
  const commands = unverifiedCommands(task, run);
  if (commands.length === 0) return { event: "verify_passed" };
  const place = await placeOf(context);
  if (unverified.length === 0) await catchUp(context, place.worktree);
  if ((await setUp(context, place.folder, false)) === "stopped") return { event: "interrupted" };
  const commit = await commitSeen(context, place.worktree);
  const seen = await verify(context, commands, place.folder, commit, "worktree");
  if (seen.stopped) return { event: "interrupted", patch: seen.patch, happened: seen.happened };
  if (seen.failure === null) return { event: "verify_passed", patch: seen.patch, happened: seen.happened };
  return {
    event: "verify_failed",
    reason: seen.failure.reason,
    patch: { ...seen.patch, message: seen.failure.message },
    happened: seen.happened,
  };
}

/**
 * A task that is reset after its merge is verified on its target's present state: its branch has nothing of its own,
 * and only moves forward.
 */
async function catchUp(context: ExecutionContext, worktree: Worktree | null): Promise<void> {
  const into = context.known.task.merge_into;
  if (worktree === null || into === undefined) return;
  const { worktrees } = context.ports;
  const { branch, uncommitted, unfinished, unmerged } = await worktrees.state(worktree, into);
  if (unmerged !== 0 || uncommitted.length > 0 || unfinished !== null || branch !== worktree.branch) return;
  await worktrees.bringIn(worktree, { into });
}

/**
 * The commands of the steps that were done since the last verification (the step's, else the task's), each once; all
 * commands if there was no such step.
 */
export function unverifiedCommands(task: Task, run: Pick<TaskRun, "checked">): readonly VerifyCommand[] {
  const steps = unverifiedSteps(task, run);
  if (steps.length === 0) return allCommands(task);
  const wanted = steps.flatMap((step) =>
    (step.verify ?? task.verify ?? []).map((command) => ({ step: step.id, command })),
  );
  return wanted.filter(
    (each, index) => wanted.findIndex((other) => other.command === each.command) === index,
  );
}

/** Every command of the task and its steps: for the merged result, and for a check of the whole. */
export function allCommands(task: Task): readonly VerifyCommand[] {
  const all = [...(task.verify ?? []), ...task.steps.flatMap((step) => step.verify ?? [])];
  return [...new Set(all)].map((command) => ({ step: null, command }));
}

export interface VerifyCommand {
  readonly step: string | null;
  readonly command: string;
}

export interface Verified {
  readonly stopped: boolean;
  readonly failure: (Failure & { readonly command: string }) | null;
  readonly patch: NonNullable<StepResult["patch"]>;
  readonly happened: readonly BloomHappening[];
}

/** Runs them in order to the first that fails. */
export async function verify(
  context: ExecutionContext,
  commands: readonly VerifyCommand[],
  folder: Folder,
  commit: string | null,
  on: LoopEvidence["on"],
  stop: AbortSignal = context.stop,
): Promise<Verified> {
  const { task, run, settings } = context.known;
  const first = run.runs + 1;
  const ids = commands.map((_, index) => nameOfRun(task.id, first + index));
  if (ids.length > 0) await context.note({ patch: { underway: ids, runs: run.runs + ids.length } });
  const evidence: LoopEvidence[] = [];
  const happened: BloomHappening[] = [];
  const patch = () => ({ underway: [], evidence: [...run.evidence, ...evidence] });
  for (const [index, { step, command }] of commands.entries()) {
    const started = context.ports.commands.run({
      run: ids[index] as string,
      task: task.id,
      command,
      folder,
      environment: { BLOOM_TASK: task.id },
      limits: { total: settings.limits.verify * 60_000 },
    });
    const { reason, forget } = stopped(stop);
    const ended = await Promise.race([started.ended, reason]);
    forget();
    if (typeof ended === "string") {
      await started.stop();
      return { stopped: true, failure: null, patch: patch(), happened };
    }
    const told = { taskId: task.id, command, duration: ended.duration, commit, log: ended.output };
    evidence.push({
      step,
      command,
      exit: ended.exit,
      commit,
      log: ended.output,
      duration: ended.duration,
      time: context.now().toISOString(),
      on,
    });
    if (ended.exit === 0) happened.push({ type: "check:passed", ...told });
    else {
      happened.push({ type: "check:failed", ...told, exit: ended.exit });
      return { stopped: false, failure: { ...failureOf(command, ended), command }, patch: patch(), happened };
    }
  }
  return { stopped: false, failure: null, patch: patch(), happened };
}

/** The commit that the commands run on; null if uncommitted files are involved too. */
async function commitSeen(context: ExecutionContext, worktree: Worktree | null): Promise<string | null> {
  if (worktree === null) return null;
  const { head, uncommitted } = await context.ports.worktrees.state(worktree);
  return uncommitted.length === 0 ? head : null;
}
