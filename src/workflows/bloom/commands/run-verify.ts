/** The loop runs the verify commands itself, because an agent's claim is not evidence. */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { type Criterion, isChecked } from "../../../core/criterion.ts";
import type { LoopEvidence } from "../../../core/loop-record.ts";
import type { CommandEnd } from "../../../core/ports/commands.ts";
import type { AgentFolder, Worktree, WorktreeState } from "../../../core/ports/worktrees.ts";
import { fewOf, firstFew } from "../../../core/text/few.ts";
import type { CheckGate } from "../../../scheduler/slots.ts";
import { branchOf, criteriaOf, isOpenStep, type Task } from "../../../tasks-file/task.ts";
import {
  type ExecutionContext,
  repoOf,
  runToEnd,
  type StepResult,
  taskFolder,
  withEarlier,
} from "../execution-context.ts";
import { unverifiedSteps } from "../run/facts.ts";
import { nameOfRun, type TaskRun } from "../run/task-run.ts";
import { type Failure, failureOf } from "./failure.ts";
import { setUp } from "./set-up.ts";
import { blameOf, type FailedCheck, isKnownRed, takeTarget, targetBranch, waitsForTarget } from "./target.ts";

export async function runVerify(context: ExecutionContext): Promise<StepResult> {
  const { task, run } = context.known;
  const unverified = unverifiedSteps(task, run);
  const commands = unverifiedCommands(task, run);
  if (commands.length === 0) return { event: "verify_passed" };
  const place = await taskFolder(context);
  const conflicts = await takeTarget(context, place.worktree);
  if (conflicts.length > 0) return conflicted(task, targetBranch(task) ?? "", conflicts);
  const caught = unverified.length === 0 ? await catchUp(context, place.worktree) : undefined;
  if ((await setUp(context, place.folder, "worked")) === "stopped") return { event: "interrupted" };
  const isUnchanged = caught !== undefined && context.known.setup[repoOf(task) ?? ""] === undefined;
  const commit = isUnchanged ? caught : await commitToVerify(context, place.worktree);
  const verified = await verify(context, commands, { folder: place.folder, commit, on: "worktree" });
  return withEarlier(await outcomeOf(context, place.worktree, verified), verified);
}

async function outcomeOf(
  context: ExecutionContext,
  worktree: Worktree | null,
  { failure, stopped }: Verified,
): Promise<StepResult> {
  if (stopped) return { event: "interrupted" };
  if (failure === null) return { event: "verify_passed" };
  const blame = await blameOf(context, worktree, failure);
  switch (blame.kind) {
    case "stopped":
      return { event: "interrupted" };
    case "green":
      return { event: "target_green" };
    case "red":
      return waitsForTarget(context, failure.command, blame);
    case "own":
      return { event: "verify_failed", reason: failure.reason, patch: { message: failure.message } };
  }
}

/** How many files a reason names, and an event: two agents can make any number of conflicts. */
export const SHOWN_FILES = 10;
export const MAX_FILES = 100;

export function conflicted(task: Task, into: string, files: readonly string[]): StepResult {
  return {
    event: "merge_conflicted",
    reason: `${branchOf(task)} conflicts with ${into} in ${fewOf(files, SHOWN_FILES)}`,
    events: [{ type: "merge:conflicted", taskId: task.id, into, files: firstFew(files, MAX_FILES) }],
  };
}

/**
 * A task that is reset after its merge is verified on its target's present state: its branch has no commits
 * of its own, and only moves forward. Returns the commit as `commitSeen` does, or undefined if it may differ now.
 */
async function catchUp(
  context: ExecutionContext,
  worktree: Worktree | null,
): Promise<string | null | undefined> {
  const into = context.known.task.merge_into;
  if (worktree === null || into === undefined) return undefined;
  const { worktrees } = context.ports;
  const state = await worktrees.state(worktree, into);
  const isAtWork = state.uncommitted.length > 0 || state.unfinished !== null;
  if (state.unmerged !== 0 || isAtWork || state.branch !== worktree.branch) return cleanHead(state);
  await worktrees.bringIn(worktree, { into });
  return undefined;
}

/**
 * The verify commands of the steps done since the last verification (each step's own, else the task's), then
 * the checks of their criteria; after the last step, those of all criteria. All commands if no step was done since.
 */
export function unverifiedCommands(task: Task, run: Pick<TaskRun, "checked">): readonly VerifyCommand[] {
  const steps = unverifiedSteps(task, run);
  if (steps.length === 0) return allCommands(task);
  const verify = steps.flatMap((step) =>
    (step.verify ?? task.verify ?? []).map((command) => verifying(command, step.id)),
  );
  const checks = steps.flatMap((step) => step.acceptance_criteria.flatMap(criterionCommand(step.id)));
  return distinct([...verify, ...checks, ...criteriaChecks(task)]);
}

/** Every command of the task and its steps: for the merged result, and for a full check. */
export function allCommands(task: Task): readonly VerifyCommand[] {
  const verify = [task, ...task.steps].flatMap((each) => each.verify ?? []);
  return distinct([...verify.map((command) => verifying(command, null)), ...criteriaChecks(task)]);
}

/** A command of the task; the same command may do both. */
export interface VerifyCommand {
  readonly step: string | null;
  readonly command: string;
  /** It is one of `verify`. */
  readonly verifies: boolean;
  /** The acceptance criteria that it checks. */
  readonly criteria: readonly string[];
}

function verifying(command: string, step: string | null): VerifyCommand {
  return { step, command, verifies: true, criteria: [] };
}

function criterionCommand(step: string | null) {
  return (criterion: Criterion): readonly VerifyCommand[] =>
    isChecked(criterion)
      ? [{ step, command: criterion.check, verifies: false, criteria: [criterion.text] }]
      : [];
}

/** None as long as a step is open: the task's criteria are about the whole. */
function criteriaChecks(task: Task): readonly VerifyCommand[] {
  return task.steps.some(isOpenStep) ? [] : criteriaOf(task).flatMap(criterionCommand(null));
}

/** Each command once, with all criteria that it checks. */
function distinct(commands: readonly VerifyCommand[]): readonly VerifyCommand[] {
  const found = new Map<string, VerifyCommand>();
  for (const each of commands) {
    const known = found.get(each.command) ?? each;
    const criteria = [...new Set([...known.criteria, ...each.criteria])];
    found.set(each.command, { ...known, criteria });
  }
  return [...found.values()];
}

export interface Verified {
  readonly stopped: boolean;
  readonly failure: (Failure & FailedCheck & { readonly command: string }) | null;
  readonly patch: NonNullable<StepResult["patch"]>;
  readonly events: readonly BloomEvent[];
}

/** Where verify commands run. */
export interface VerifyFolder {
  readonly folder: AgentFolder;
  /** Null: the folder is at no known commit, or has uncommitted files. */
  readonly commit: string | null;
  readonly on: LoopEvidence["on"];
  readonly stop?: AbortSignal;
  /**
   * Recreates the folder and sets it up before a check is repeated. Returns why that failed; null: it is
   * ready.
   */
  readonly renew?: () => Promise<Failure | "stopped" | null>;
}

/**
 * Runs the commands in order and stops at the first failure. A command that fails and then passes on the same
 * files is flaky and does not count as failed.
 */
export async function verify(
  context: ExecutionContext,
  commands: readonly VerifyCommand[],
  at: VerifyFolder,
): Promise<Verified> {
  const { task, run } = context.known;
  const { commit, on, stop = context.stop } = at;
  const first = run.runs + 1;
  const ids = commands.map((_, index) => nameOfRun(task.id, first + index));
  if (ids.length > 0) await context.note({ patch: { underway: ids, runs: run.runs + ids.length } });
  const evidence: LoopEvidence[] = [];
  const events: BloomEvent[] = [];
  const patch = () => ({ underway: [], evidence: [...run.evidence, ...evidence] });
  const over = { stopped: true, failure: null } as const;
  for (const [index, { criteria, step, command, verifies }] of commands.entries()) {
    const check = { id: ids[index] ?? "", command, at, stop };
    const ended = await runCheck(context, { ...check, how: "enter" });
    if (ended === null) return { ...over, patch: patch(), events };
    const again = ended.exit === 0 ? null : await repeat(context, ended, check, commands.slice(0, index));
    if (again === "stopped") return { ...over, patch: patch(), events };
    const last = again ?? ended;
    const empty = last.empty ? { empty: last.empty } : {};
    const details = { taskId: task.id, command, duration: last.duration, commit, log: last.output, ...empty };
    const isFlaky = again?.exit === 0;
    const passed = last.exit === 0 && (criteria.length === 0 || !last.empty);
    evidence.push({
      ...{ step, command, exit: last.exit, commit, log: last.output, duration: last.duration, on, ...empty },
      time: context.now().toISOString(),
      ...(isFlaky ? { flaky: { exit: ended.exit, log: ended.output } } : {}),
    });
    if (passed && isFlaky)
      events.push({ type: "check:flaky", ...details, exit: ended.exit, failed: ended.output });
    else if (passed) events.push({ type: "check:passed", ...details });
    else {
      events.push({ type: "check:failed", ...details, exit: last.exit });
      const failure = {
        ...failureOf(command, last, criteria),
        command,
        isCriterion: !verifies || last.exit === 0,
        end: { ...last, folder: at.folder.agentPath },
      };
      return { stopped: false, failure, patch: patch(), events };
    }
  }
  return { stopped: false, failure: null, patch: patch(), events };
}

interface CheckRun {
  readonly id: string;
  readonly command: string;
  readonly at: VerifyFolder;
  readonly stop: AbortSignal;
}

/**
 * Repeats a failed check once, with no other check beside it. Null: the failure counts, because it took too
 * long, its target is known to fail in the same way, or an earlier check fails in the recreated folder.
 */
async function repeat(
  context: ExecutionContext,
  ended: CommandEnd,
  run: CheckRun,
  earlier: readonly VerifyCommand[],
): Promise<CommandEnd | null | "stopped"> {
  if (ended.ended !== "itself") return null;
  const { command, at } = run;
  const end = { ...ended, folder: at.folder.agentPath };
  if (at.on === "worktree" && (await isKnownRed(context, { command, end }))) return null;
  // The first attempt ran the work's own code, which may have written files that decide the second.
  const unfit = await at.renew?.();
  if (unfit) return unfit === "stopped" ? unfit : null;
  for (const before of at.renew ? earlier : []) {
    const end = await runAlone(context, { ...run, command: before.command });
    if (end === null || end.exit !== 0) return end === null ? "stopped" : null;
  }
  return (await runAlone(context, run)) ?? "stopped";
}

async function runAlone(context: ExecutionContext, run: Omit<CheckRun, "id">): Promise<CommandEnd | null> {
  const { runs, task, underway } = context.known.run;
  const id = nameOfRun(task, runs + 1);
  await context.note({ patch: { underway: [...underway, id], runs: runs + 1 } });
  return runCheck(context, { ...run, id, how: "alone" });
}

/** Null: stopped. */
async function runCheck(
  context: ExecutionContext,
  { id, command, at, stop, how }: CheckRun & { readonly how: keyof CheckGate },
): Promise<CommandEnd | null> {
  const leave = await context.checks[how](stop);
  if (leave === null) return null;
  try {
    const { settings, task } = context.known;
    const order = {
      ...{ run: id, task: task.id, command, folder: at.folder },
      environment: { ...context.environment, BLOOM_TASK: task.id },
      limits: { total: settings.limits.verify * 60_000 },
    };
    return await runToEnd(context.ports.commands, order, stop);
  } finally {
    leave();
  }
}

/** The commit that the commands run on; null if the workspace has uncommitted files. */
async function commitToVerify(context: ExecutionContext, worktree: Worktree | null): Promise<string | null> {
  if (worktree === null) return null;
  return cleanHead(await context.ports.worktrees.state(worktree));
}

function cleanHead({ head, uncommitted }: WorktreeState): string | null {
  return uncommitted.length === 0 ? head : null;
}
