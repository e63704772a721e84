/**
 * Decides whether a failed check is the task's fault. The same command runs on the target alone: if it fails
 * there in the same way, the task is not to blame and waits for its target.
 *
 * G1  A commit's check runs once for all tasks: its result is kept, keyed by tree, command and the folder's
 *     setup.
 * G2  It counts as failed there only if it fails twice, the second time with no other check beside it.
 */
import { allChecksOf } from "../../../core/criterion.ts";
import { PawlError } from "../../../core/error.ts";
import { hashOf } from "../../../core/hash.ts";
import { canonical } from "../../../core/json.ts";
import { projectPath } from "../../../core/path.ts";
import type { CommandEnd } from "../../../core/ports/commands.ts";
import type { AgentFolder, Worktree } from "../../../core/ports/worktrees.ts";
import { branchOf, type Task } from "../../../tasks-file/task.ts";
import { type ExecutionContext, repoFor, repoOf, runToEnd, type StepResult } from "../execution-context.ts";
import { type FailedEnd, isSameFailure, saysMuch } from "../run/same-failure.ts";
import type { RedTarget } from "../run/task-run.ts";
import { failureOf } from "./failure.ts";
import { targetOf } from "./pull-request.ts";
import { setUp } from "./set-up.ts";

/** A check that failed on a task's work. `command` null: the setup of the folder failed. */
export interface FailedCheck {
  readonly command: string | null;
  readonly end: FailedEnd;
  /** It only checks criteria, which the target need not meet: the failure is the task's own. */
  readonly isCriterion?: boolean;
}

export type Blame =
  /** The task's work fails. */
  | { readonly kind: "own" }
  /** The commit that the work builds on fails, and the target's present commit does not. */
  | { readonly kind: "green" }
  | { readonly kind: "red"; readonly commit: string; readonly since: string; readonly how: string }
  | { readonly kind: "stopped" };

const OWN: Blame = { kind: "own" };

/** The branch that the task's work is delivered to; undefined: none. */
export function targetBranch(task: Task): string | undefined {
  if (task.repo === undefined) return undefined;
  return task.open_pr === true ? targetOf(task) : task.merge_into;
}

/**
 * Decides what a failed check in the task's workspace is due to. As long as the work changes nothing, any
 * check fails there as on the target; so then only a failure with enough output counts as the target's.
 */
export async function blameOf(
  context: ExecutionContext,
  worktree: Worktree | null,
  failed: FailedCheck,
): Promise<Blame> {
  const { run, task } = context.known;
  if (worktree === null || isOwn(failed, run.red)) return OWN;
  const found = await baseIn(context);
  if (found === null) return OWN;
  const { base, target } = found;
  const { unmerged, uncommitted } = await context.ports.worktrees.state(worktree, targetBranch(task));
  if (unmerged === 0 && uncommitted.length === 0 && !saysMuch(failed.end)) return OWN;
  const at = await blameOn(context, base, failed);
  if (at.kind !== "red" || target === base) return at;
  const now = await blameOn(context, target, failed);
  if (now.kind === "own") return { kind: "green" };
  return now.kind === "red" ? { ...now, since: base } : now;
}

/** Whether a check fails on this commit of the target, too: of a merge, the one that it is onto. */
export async function blameOn(context: ExecutionContext, base: string, failed: FailedCheck): Promise<Blame> {
  if (isOwn(failed, context.known.run.red)) return OWN;
  const at = await failsOn(context, base, failed);
  if (at === "stopped") return { kind: "stopped" };
  return at === null ? OWN : { kind: "red", commit: base, since: base, how: at };
}

function isOwn({ command, isCriterion }: FailedCheck, red: RedTarget | null | undefined): boolean {
  return isCriterion === true || (red?.own === true && red.command === command);
}

async function baseIn({ known, ports, stop }: ExecutionContext) {
  const { file, task } = known;
  const into = targetBranch(task);
  if (into === undefined) return null;
  const remote = file.git.push_to_remote;
  return ports.worktrees.baseOf({ repo: repoFor(task), branch: branchOf(task), into, remote, stop });
}

/** The result that makes the task wait for its target, with the first commit that failed. */
export function waitsForTarget(
  { known: { task } }: ExecutionContext,
  command: string | null,
  { commit, how, since }: Extract<Blame, { readonly kind: "red" }>,
): StepResult {
  const into = targetBranch(task) ?? "";
  const red: RedTarget = { repo: repoOf(task) ?? ".", into, command, commit, since };
  return {
    event: "target_red",
    reason: `${how} in a fresh checkout of ${into} too, without this task's work`,
    patch: { red },
  };
}

/** Checks whether the target now passes the check that it failed. */
export async function watchTarget(context: ExecutionContext): Promise<StepResult> {
  const { red } = context.known.run;
  if (!red) return { event: "target_green" };
  const found = await baseIn(context);
  // A person may have taken the command away.
  const isAsked = red.command === null || allChecksOf(context.known.task).includes(red.command);
  if (found === null || !isAsked) return { event: "target_green" };
  const failed = await endOn(context, found.target, red.command);
  if (failed === "stopped") return { event: "interrupted" };
  if (failed === null)
    return {
      event: "target_green",
      events: [{ type: "target:green", taskId: context.known.task.id, into: red.into, commit: found.target }],
    };
  const how = red.command === null ? failed.reason : failureOf(red.command, failed.end).reason;
  const { since } = red;
  return waitsForTarget(context, red.command, { kind: "red", commit: found.target, since, how });
}

/**
 * Merges the target's present state into the workspace before an agent or a verification begins, if the run
 * asks for it. Returns the conflicting files.
 */
export async function takeTarget(
  context: ExecutionContext,
  worktree: Worktree | null,
): Promise<readonly string[]> {
  const { file, run, task } = context.known;
  const into = targetBranch(task);
  if (!run.takesTarget || worktree === null || into === undefined) return [];
  const { branch, uncommitted, unfinished } = await context.ports.worktrees.state(worktree, into);
  // Uncommitted files stay untouched: the target is merged in once they are committed.
  if (uncommitted.length > 0 || unfinished !== null || branch !== worktree.branch) return [];
  // Fetches the target if it is a remote branch.
  await baseIn(context);
  const brought = await context.ports.worktrees.bringIn(worktree, { into, remote: file.git.push_to_remote });
  await context.note({ patch: { takesTarget: false } });
  return brought.kind === "conflicts" ? brought.files : [];
}

// ── A check on a commit of the target ──────────────────────────────────────────────────────────────────────

/** The reason if the command fails on the commit in the same way; null: it does not. */
async function failsOn(
  context: ExecutionContext,
  commit: string,
  { command, end }: FailedCheck,
): Promise<string | null | "stopped"> {
  const found = await endOn(context, commit, command);
  if (found === null || found === "stopped") return found;
  if (command === null) return found.reason;
  return isSameFailure(end, found.end) ? failureOf(command, found.end).reason : null;
}

interface FailedThere {
  readonly end: CommandEnd & { readonly folder: string };
  readonly reason: string;
}

type KeptEnd = FailedThere["end"];

/** Whether a kept result already shows, without a new run, that the target fails in the same way. */
export async function isKnownRed(context: ExecutionContext, failed: FailedCheck): Promise<boolean> {
  const { command, end } = failed;
  const base = command === null ? null : await baseIn(context);
  if (base === null || command === null) return false;
  const kept = await keptEnd(context, await keyOf(context, base.base, command));
  return kept !== null && kept.exit !== 0 && isSameFailure(end, kept);
}

/** How the command fails on the commit; null: it passes. */
async function endOn(
  context: ExecutionContext,
  commit: string,
  command: string | null,
): Promise<FailedThere | null | "stopped"> {
  const repo = repoFor(context.known.task);
  const key = command === null ? null : await keyOf(context, commit, command);
  const { host } = context.ports;
  for (;;) {
    const kept = key === null ? null : await keptEnd(context, key);
    if (kept !== null) return failedThere(command, kept);
    if (context.stop.aborted) return "stopped";
    const lease = await context.lease(`@base:${repo}${host === undefined ? "" : ` ${host}`}`);
    if (lease === null) {
      await context.pause(AGAIN_MILLISECONDS);
      continue;
    }
    try {
      const since = key === null ? null : await keptEnd(context, key);
      return since === null ? await runOn(context, commit, command, key) : failedThere(command, since);
    } finally {
      await lease.release();
    }
  }
}

/** The interval at which to check for the result of a check that another task runs. */
const AGAIN_MILLISECONDS = 1000;

function failedThere(command: string | null, end: KeptEnd): FailedThere | null {
  return end.exit === 0 ? null : { end, reason: failureOf(command ?? "", end).reason };
}

async function runOn(
  context: ExecutionContext,
  commit: string,
  command: string | null,
  key: string | null,
): Promise<FailedThere | null | "stopped"> {
  const there = await context.ports.worktrees.checkOut(repoFor(context.known.task), commit);
  try {
    try {
      if ((await setUp(context, there.folder, "check")) === "stopped") return "stopped";
    } catch (error) {
      if (!(error instanceof PawlError) || error.code !== "setup-failed") throw error;
      return command === null ? { end: NEVER_RAN, reason: error.message } : null;
    }
    if (command === null || key === null) return null;
    const first = await runOnce(context, command, there.folder, nameOf(key, 1), "enter");
    if (first === "stopped" || first.exit === 0 || first.ended !== "itself")
      return first === "stopped" ? first : failedThere(command, { ...first, folder: there.folder.agentPath });
    const second = await runOnce(context, command, there.folder, nameOf(key, 2), "alone");
    return second === "stopped"
      ? second
      : failedThere(command, { ...second, folder: there.folder.agentPath });
  } finally {
    await there.release();
  }
}

const NEVER_RAN: KeptEnd = {
  ...{ exit: null, signal: null, ended: "itself", duration: 0, tail: "", folder: "" },
  output: projectPath(".pawl"),
  leftovers: { ended: 0, alive: 0 },
};

async function runOnce(
  context: ExecutionContext,
  command: string,
  folder: AgentFolder,
  run: string,
  how: "enter" | "alone",
): Promise<CommandEnd | "stopped"> {
  const leave = await context.checks[how](context.stop);
  if (leave === null) return "stopped";
  try {
    await context.note({ patch: { underway: [run] } });
    const limits = { total: context.known.settings.limits.verify * 60_000 };
    const { environment, ports, stop } = context;
    const ended = await runToEnd(ports.commands, { run, command, folder, environment, limits }, stop);
    await context.note({ patch: { underway: [] } });
    return ended ?? "stopped";
  } finally {
    leave();
  }
}

// ── Kept results ───────────────────────────────────────────────────────────────────────────────────────────

async function keyOf({ known, ports }: ExecutionContext, commit: string, command: string): Promise<string> {
  const { environment, setup, settings, task } = known;
  const repo = repoFor(task);
  const tree = await ports.worktrees.treeOf(repo, commit);
  const made = setup[repo] ?? null;
  return hashOf(canonical([1, repo, tree, command, made, settings.environment, environment])).slice(0, 32);
}

const nameOf = (key: string, n: 1 | 2) => `base-${key}.${n}`;

/** The kept result; null: the check has not run to its end there as often as required. */
async function keptEnd(context: ExecutionContext, key: string): Promise<KeptEnd | null> {
  const first = await endIn(context, nameOf(key, 1));
  if (first === null || first.exit === 0 || first.ended !== "itself") return first;
  return endIn(context, nameOf(key, 2));
}

async function endIn({ read }: ExecutionContext, run: string): Promise<KeptEnd | null> {
  const text = await read(projectPath(".pawl/commands", run, "end.json"));
  if (text === null) return null;
  try {
    const end = JSON.parse(text) as KeptEnd;
    return end.ended === "stopped" ? null : end;
  } catch {
    return null;
  }
}
