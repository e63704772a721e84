/**
 * Delivers work from the worktree: push and merge. Both check first whether they are already done, so they
 * are idempotent.
 */

import type { BloomEvent } from "../../../core/bloom-event.ts";
import { PawlError } from "../../../core/error.ts";
import type { TakenLease } from "../../../core/ports/leases.ts";
import type {
  AgentFolder,
  Delivery,
  InTheWay,
  MergeOrder,
  PreparedMerge,
} from "../../../core/ports/worktrees.ts";
import { fewOf, firstFew } from "../../../core/text/few.ts";
import { oneLine } from "../../../core/text/lines.ts";
import type { QueuedMerge } from "../../../scheduler/merge-queue.ts";
import { branchOf, type Task } from "../../../tasks-file/task.ts";
import {
  type ExecutionContext,
  repoFor,
  repoOf,
  type StepResult,
  withEarlier,
} from "../execution-context.ts";
import type { Failure } from "./failure.ts";
import { targetOf } from "./pull-request.ts";
import { allCommands, conflicted, MAX_FILES, SHOWN_FILES, type Verified, verify } from "./run-verify.ts";
import { setUp } from "./set-up.ts";
import { blameOn, type FailedCheck, waitsForTarget } from "./target.ts";

export async function push(context: ExecutionContext): Promise<StepResult> {
  const { task } = context.known;
  const branch = branchOf(task);
  const pushed = await context.ports.worktrees.push(repoFor(task), branch, context.stop);
  const taskId = task.id;
  if (pushed.kind === "unreachable" && context.stop.aborted) return { event: "interrupted" };
  switch (pushed.kind) {
    case "pushed":
      return {
        event: "pushed",
        events: [{ type: "git:pushed", taskId, branch, commit: pushed.commit, remote: pushed.remote }],
      };
    case "unchanged":
      return { event: "pushed" };
    case "unreachable":
    case "rejected": {
      const away = pushed.kind === "unreachable";
      const reason = away ? notReached(pushed.reason) : pushed.reason;
      const events: BloomEvent[] = [{ type: "git:push_failed", taskId, branch, reason }];
      return { event: away ? "push_failed" : "push_refused", reason, patch: { away }, events };
    }
    case "no-remote":
      return { event: "push_refused", reason: "the repository has no remote, but `push_to_remote` is set" };
  }
}

/** How often the target may move under a prepared merge before the merge is postponed. */
const MOVES = 5;

/** A task that finds the train full returns that; the next call waits for a place. */
export async function merge(context: ExecutionContext): Promise<StepResult> {
  const { task, run } = context.known;
  const into = task.merge_into as string;
  const repo = repoFor(task);
  const since = run.queued ?? null;
  const place = await context.merges.join(
    { repo, into, task: task.id, since: since ?? context.now().toISOString(), waits: since !== null },
    context.stop,
  );
  if (place.kind === "stopped") return { event: "interrupted" };
  if (place.kind === "taken") return awaited(task, into, place.owner);
  let published: string | null = null;
  try {
    // A remote that refuses merge commits may accept the same commits as a linear history.
    let how: Delivery = context.known.git.deliver ?? "merge";
    for (let moves = 0; moves < MOVES; ) {
      const result = await mergeOnce(context, place, how, (commit) => {
        published = commit;
      });
      if (result === "moved") moves += 1;
      else if (typeof result === "object" && "refused" in result) {
        if (how !== "merge" || context.known.git.deliver !== null) return result.refused;
        how = "rebase";
      } else if (result !== "void") return result;
    }
    return failed(task, into, `${into} kept moving during the merge`);
  } finally {
    await place.release(published);
  }
}

function awaited({ id: taskId }: Task, into: string, owner: string): StepResult {
  return {
    event: "merge_awaited",
    reason: `${owner} is merging into ${into}`,
    events: [{ type: "merge:waiting", taskId, into, owner }],
  };
}

/**
 * `void`: the merge ahead did not publish the commit that this one builds on; `moved`: another process moved
 * the target.
 */
type Again = "void" | "moved" | { readonly refused: StepResult };

async function mergeOnce(
  context: ExecutionContext,
  place: QueuedMerge,
  how: Delivery,
  onPublished: (commit: string) => void,
): Promise<StepResult | Again> {
  const base = await place.base(context.stop);
  if (base === "stopped") return { event: "interrupted" };
  const order = mergeOrder(context, place, how, base.commit);
  const prepared = await context.ports.worktrees.prepareMerge(order);
  if (prepared.kind !== "prepared" && prepared.kind !== "merged-already")
    return onTurn(context, place, async () => unprepared(context, order, prepared));
  place.announce(prepared.commit);
  if (prepared.kind === "merged-already")
    return onTurn(context, place, async () => {
      onPublished(prepared.commit);
      return afterMerge(context, order, { ...prepared, isOurs: prepared.earlier !== null });
    });
  const checked = await checkMerge(context, order, prepared, base.broken);
  const { failure } = checked;
  const result = await onTurn(context, place, async () => {
    if (checked.stopped) return "void";
    if (failure !== null) return unverified(context, order, prepared, failure);
    return publish(context, place, order, prepared, checked, onPublished);
  });
  if (result === "void" && context.known.run.underway.length > 0)
    await context.note({ patch: { underway: [] } });
  if (typeof result === "string") return result;
  return "refused" in result
    ? { refused: withEarlier(result.refused, checked) }
    : withEarlier(result, checked);
}

/**
 * Waits for the merges ahead, then runs `act`: a check on top of the merge ahead counts only once that merge
 * is published.
 */
async function onTurn(
  context: ExecutionContext,
  place: QueuedMerge,
  act: () => Promise<StepResult | Again>,
): Promise<StepResult | Again> {
  const turnResult = await place.waitForTurn(context.stop);
  if (turnResult === "stopped" || context.stop.aborted) return { event: "interrupted" };
  return turnResult === "void" ? "void" : act();
}

function mergeOrder(
  context: ExecutionContext,
  { lease, slot }: QueuedMerge,
  how: Delivery,
  onto: string | null,
): MergeOrder {
  const { task, run, file, git } = context.known;
  const into = task.merge_into as string;
  const earlier = run.work?.merging?.into === into ? run.work.merging.commit : undefined;
  return {
    repo: repoFor(task),
    branch: branchOf(task),
    into,
    how,
    message: mergeMessage(task, how, git.message),
    remote: file.git.push_to_remote,
    stop: context.stop,
    slot,
    ...(lease === undefined ? {} : { lease }),
    ...(onto === null ? {} : { onto }),
    ...(earlier === undefined ? {} : { earlier }),
  };
}

type Unprepared = Exclude<PreparedMerge, { readonly kind: "prepared" | "merged-already" }>;

function unprepared(
  context: ExecutionContext,
  { branch, into }: MergeOrder,
  prepared: Unprepared,
): StepResult {
  switch (prepared.kind) {
    case "missing":
      return {
        event: "git_refused",
        reason: `the branch ${prepared.branch} does not exist; create it, or correct \`${prepared.branch === into ? "merge_into" : "branch"}\` in tasks.yaml`,
      };
    case "conflicts":
      return conflicted(context.known.task, into, prepared.files);
    case "refused":
      return { event: "git_refused", reason: `${branch} is not merged: ${prepared.reason}` };
    case "diverged":
      return { event: "git_refused", reason: togetherAgain(into, prepared) };
    case "unreachable":
      return unreachable(context, into, prepared.reason);
  }
}

async function publish(
  context: ExecutionContext,
  place: QueuedMerge,
  order: MergeOrder,
  prepared: Proposal,
  seen: Pick<Verified, "patch">,
  onPublished: (commit: string) => void,
): Promise<StepResult | Again> {
  const { task, run } = context.known;
  const { into } = order;
  // Recorded before the branch moves: after a crash in between, nothing else would show that this task made
  // the merge, and no merge would be left to verify.
  const isNew = prepared.commit !== prepared.base;
  const { work } = run;
  const merging = work && isNew ? { work: { ...work, merging: { into, commit: prepared.commit } } } : {};
  await context.note({ patch: { ...seen.patch, ...merging } });
  const still = await stillRoot(context, into);
  if (still === null) return { event: "interrupted" };
  const published = await context.ports.worktrees.publishMerge(order, prepared).finally(still.release);
  switch (published.kind) {
    case "moved":
      return "moved";
    case "overtaken":
      place.overtaken();
      return awaited(task, into, published.by);
    case "in-the-way":
      return failed(task, into, wayClear(context, published));
    case "unreachable":
      return unreachable(context, into, published.reason);
    case "rejected":
      return {
        refused: {
          event: "git_refused",
          reason: `${into} cannot be moved: ${published.reason}; allow it, or set \`open_pr: true\` for a pull request into it`,
        },
      };
    case "published":
      if (published.behind === undefined) onPublished(published.commit);
      return afterMerge(context, order, {
        ...{ ...prepared, ...published },
        isOurs: isNew || prepared.earlier !== null,
      });
  }
}

/**
 * Waits until no agent works in the project's folder, where the checkout follows the merge: while git writes a folder,
 * an agent could put a link in its place, and git would write where the link leads. Null: stopped.
 */
function stillRoot(context: ExecutionContext, into: string): Promise<TakenLease | null> {
  const { id: taskId } = context.known.task;
  const owner = "another task in the project's folder";
  return context.takeRoot(() => context.show({ type: "merge:waiting", taskId, into, owner }));
}

type Proposal = Extract<PreparedMerge, { readonly kind: "prepared" }>;

type MergeFailure = Failure & FailedCheck;

/** Runs the verify commands on the merged result; stops as soon as the base of that merge is void. */
async function checkMerge(
  context: ExecutionContext,
  order: MergeOrder,
  prepared: Proposal,
  broken: AbortSignal,
): Promise<Omit<Verified, "failure"> & { readonly failure: MergeFailure | null }> {
  const { commit, folder } = prepared;
  const stop = AbortSignal.any([context.stop, broken]);
  const unfit = await settingUp(context, folder);
  const none = { patch: {}, events: [] };
  if (unfit === "stopped") return { stopped: true, failure: null, ...none };
  if (unfit !== null) return { stopped: false, failure: unfit, ...none };
  const renew = async () => {
    await context.ports.worktrees.renewMerge(order, prepared);
    return settingUp(context, folder);
  };
  return verify(context, allCommands(context.known.task), { folder, commit, on: "merge", stop, renew });
}

/** A check that fails on the target alone does not count against the task. */
async function unverified(
  context: ExecutionContext,
  { into }: MergeOrder,
  prepared: Proposal,
  failure: MergeFailure,
): Promise<StepResult> {
  const { reason, message } = failure;
  const blame = await blameOn(context, prepared.base, failure);
  if (blame.kind === "stopped") return { event: "interrupted" };
  if (blame.kind === "red") return waitsForTarget(context, failure.command, blame);
  return { event: "merge_unverified", reason: `${reason} on the merge into ${into}`, patch: { message } };
}

/** Null: the folder is set up. */
async function settingUp(
  context: ExecutionContext,
  folder: AgentFolder,
): Promise<MergeFailure | "stopped" | null> {
  try {
    return (await setUp(context, folder, "check")) === "stopped" ? "stopped" : null;
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== "setup-failed") throw error;
    const end = {
      exit: null,
      signal: null,
      ended: "itself",
      tail: error.message,
      folder: folder.agentPath,
    } as const;
    return { reason: error.message, message: `${error.message}\n\n${error.fix}`, command: null, end };
  }
}

function togetherAgain(
  into: string,
  { remote, files }: { readonly remote: string; readonly files: readonly string[] },
): string {
  return `${into} and ${remote}/${into} each have commits that the other lacks, and they conflict in ${fewOf(files, SHOWN_FILES)}; bring them together (\`git pull\` on ${into}), then ready the task again`;
}

function unreachable({ known, stop }: ExecutionContext, into: string, reason: string): StepResult {
  if (stop.aborted) return { event: "interrupted" };
  return { ...failed(known.task, into, notReached(reason)), patch: { away: true } };
}

function notReached(reason: string): string {
  return `the remote cannot be reached: ${reason}`;
}

/** What blocks the merge, and how a person removes it. */
function wayClear(
  { known }: ExecutionContext,
  { reason, files }: { readonly reason: string; readonly files: readonly string[] },
): string {
  const again = `it is tried again by itself, and once blocked \`${known.settings.command} ready ${known.task.id}\` merges what is done`;
  if (files.length === 0) return `${reason}; end it: ${again}`;
  const shown = fewOf(files, SHOWN_FILES);
  return `${reason}: ${shown}; commit, stash or move them away: ${again}`;
}

interface Merged {
  readonly commit: string;
  readonly earlier: string | null;
  readonly behind?: InTheWay;
  /** Merged by this task, perhaps before its loop was killed. */
  readonly isOurs: boolean;
}

function afterMerge(
  context: ExecutionContext,
  { branch, into }: MergeOrder,
  { commit, earlier, behind, isOurs }: Merged,
): StepResult {
  const {
    run: { work },
    task,
  } = context.known;
  const time = context.now().toISOString();
  const at = earlier ?? commit;
  const events: BloomEvent[] = [
    { type: isOurs ? "merge:completed" : "merge:not_needed", taskId: task.id, branch, into, commit: at },
  ];
  if (behind) {
    const files = firstFew(behind.files, MAX_FILES);
    events.push({ type: "merge:local_behind", taskId: task.id, into, reason: behind.reason, files });
  }
  // Recorded even if nothing was left to merge: the target contains the work, and the checks ran on it.
  const merged = { into, commit: at };
  return {
    event: "merged",
    patch: work ? { work: { ...work, merging: null, merged, time } } : {},
    events,
  };
}

function failed({ id: taskId }: Task, into: string, reason: string): StepResult {
  const events: BloomEvent[] = [{ type: "merge:failed", taskId, into, reason }];
  return { event: "merge_failed", reason, patch: { away: false }, events };
}

function mergeMessage({ id, title }: Task, how: Delivery, template: string | null): string {
  const usual = how === "merge" ? "Merge {id}: {title}" : "{title} ({id})\n\n{commits}";
  const values: Readonly<Record<string, string>> = { id, title: oneLine(title) };
  return (template ?? usual).replace(/\{(id|title)\}/g, (_, name: string) => values[name] ?? "");
}

// ── Clean up ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Removes the workspace and the branch if the settings say so and nothing is lost. */
export async function cleanUp(context: ExecutionContext): Promise<StepResult> {
  const { task, file, run } = context.known;
  const repo = repoOf(task);
  if (repo === null) return { event: "cleaned" };
  const branch = branchOf(task);
  await context.shared?.forget({ repo, branch });
  if (task.merge_into === undefined && task.open_pr !== true && !file.git.push_to_remote)
    await context.ports.worktrees.leave(repo, branch);
  if (!file.git.auto_cleanup_merged) return { event: "cleaned" };
  const into = task.open_pr ? targetOf(task) : (task.merge_into ?? task.base_branch);
  // Squashed or rebased commits have other hashes in the target.
  const landed = run.pullRequest?.landed ?? (run.work?.merged ? run.work.commit : undefined);
  const removed = await context.ports.worktrees.remove(
    { repo, branch },
    {
      ...(into === undefined ? {} : { into }),
      ...(landed === undefined ? {} : { landed }),
      branch: true,
    },
  );
  if (removed.kind === "gone-already") return { event: "cleaned" };
  const event: BloomEvent =
    removed.kind === "kept"
      ? { type: "worktree:kept", taskId: task.id, branch, reason: `${removed.reason}: ${removed.detail}` }
      : { type: "worktree:removed", taskId: task.id, branch };
  return { event: "cleaned", events: [event] };
}
