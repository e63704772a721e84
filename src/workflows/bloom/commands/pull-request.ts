/** A task's pull request: opened once, then checked until it is merged. */

import type { BloomEvent } from "../../../core/bloom-event.ts";
import { criterionText } from "../../../core/criterion.ts";
import { PawlError } from "../../../core/error.ts";
import type {
  PullRequestOrder,
  PullRequestState,
  Returned,
  WatchedPull,
} from "../../../core/ports/pull-requests.ts";
import { oneLine } from "../../../core/text/lines.ts";
import { branchOf, type Task } from "../../../tasks-file/task.ts";
import { type ExecutionContext, repoFor, type StepResult } from "../execution-context.ts";
import type { PullRequest } from "../run/task-run.ts";

export async function openPullRequest(context: ExecutionContext): Promise<StepResult> {
  const { task, run } = context.known;
  const before = run.pullRequest;
  const order: PullRequestOrder = {
    repo: repoFor(task),
    branch: branchOf(task),
    into: targetOf(task),
    title: `${task.id}: ${task.title}`,
    body: bodyOf(context),
    commit: run.work?.commit ?? null,
    ...(before?.closed ? { inPlaceOf: before.number } : {}),
  };
  const ensured = await context.ports.pullRequests.ensure(order, context.stop);
  const taskId = task.id;
  if (ensured.kind === "unreachable" && context.stop.aborted) return { event: "interrupted" };
  if (ensured.kind === "unreachable" || ensured.kind === "refused")
    return {
      event: ensured.kind === "refused" ? "pr_refused" : "pr_failed",
      reason: ensured.reason,
      patch: { away: ensured.kind === "unreachable" },
      events: [{ type: "git:pr_failed", taskId, reason: ensured.reason }],
    };
  const { number, url } = ensured;
  if (ensured.kind === "closed") return closed(task, { number, url });
  // An already merged one goes through the same check next.
  const isFound = ensured.kind !== "opened";
  return {
    event: "pr_opened",
    reason: url,
    patch: { pullRequest: { number, url } },
    events: before?.number === number ? [] : [{ type: "git:pr_opened", taskId, number, url, found: isFound }],
  };
}

/**
 * Checks whether the pull request's work has reached the target. A person may also confirm that (`bloom
 * approve`). A failed check is repeated without limit, because waiting loses nothing.
 */
export async function watchPullRequest(context: ExecutionContext): Promise<StepResult> {
  try {
    return await checkPullRequest(context);
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return notChecked(context, error.message);
  }
}

async function checkPullRequest(context: ExecutionContext): Promise<StepResult> {
  const { task, run } = context.known;
  const pull = run.pullRequest;
  const { stop } = context;
  const order = { repo: repoFor(task), branch: branchOf(task), into: targetOf(task), stop };
  const { reached } = context.ports.worktrees;
  if (pull === null)
    return { event: "pr_failed", reason: "its pull request is no longer known", patch: { away: false } };
  if ((await reached({ ...order, fetch: false })) === "yes") return merged(task, pull);
  const state = await context.ports.pullRequests.inspect(watched(context, pull), stop);
  if (state.kind === "open") return state.returned ? returnToAgent(context, pull, state.returned) : PENDING;
  if (state.kind === "closed") return closed(task, pull);
  // Dependent tasks start from the local copy of the target.
  const here = await reached({ ...order, fetch: true });
  if (here === "yes") return merged(task, pull);
  if (state.kind === "merged" && here !== "unreachable") return merged(task, { ...pull, landed: state.head });
  return notChecked(context, whyNotChecked(state, order.into));
}

const PENDING: StepResult = { event: "pr_pending" };

function watched({ known: { run, settings, task } }: ExecutionContext, { number }: PullRequest): WatchedPull {
  const pull = { repo: repoFor(task), into: targetOf(task), number };
  if (settings.pr.rounds === 0 || !run.work) return pull;
  return { ...pull, returns: { commit: run.work.commit, reviews: run.returned?.reviews ?? [] } };
}

/**
 * Merges the target into the workspace, then sends the forge's reviews and failed checks to the task's
 * session.
 */
function returnToAgent(
  { known: { run, settings, task } }: ExecutionContext,
  { number, url }: PullRequest,
  back: Returned,
): StepResult {
  const round = (run.returned?.rounds ?? 0) + 1;
  const of = settings.pr.rounds;
  const reviews = [...(run.returned?.reviews ?? []), ...back.reviews.map(({ id }) => id)];
  const reason = inShort(back, targetOf(task));
  const limit = `\`pr.rounds: ${of}\` is reached: look at ${url}. \`${settings.command} ready ${task.id}\` gives its agent as many again`;
  return {
    event: "pr_returned",
    reason: round > of ? `${reason}; ${limit}` : reason,
    patch: { returned: { rounds: round, reviews }, message: inFull(back), takesTarget: true },
    events: [{ type: "git:pr_returned", taskId: task.id, number, url, round, of, reason }],
  };
}

function inShort({ checks, isConflicting, reviews }: Returned, into: string): string {
  const names = checks.map(({ name }) => name).join(", ");
  const people = [...new Set(reviews.map(({ author }) => author))].join(", ");
  return [
    ...(checks.length > 0 ? [`its pull request fails ${names}`] : []),
    ...(reviews.length > 0 ? [`changes are requested by ${people}`] : []),
    ...(isConflicting ? [`its pull request conflicts with ${into}`] : []),
  ].join("; ");
}

/** Indented, so that no line of others' text reads as a line of the prompt. */
function inFull({ checks, reviews }: Returned): string {
  const indented = (text: string) => text.trim().replace(/^/gm, "    ");
  return [
    ...checks.flatMap(({ name, summary, tail, url }) => [
      `## A check failed there: ${oneLine(name)}${url ? `\n\n${url}` : ""}`,
      ...(summary.trim() === "" ? [] : [`What it says:\n\n${indented(summary)}`]),
      ...(tail === null ? [] : [`The end of its log:\n\n${indented(tail)}`]),
    ]),
    ...reviews.flatMap(({ author, comments, text }) => [
      `## Changes requested by ${oneLine(author)}`,
      ...(text.trim() === "" ? [] : [indented(text)]),
      ...comments.map(
        ({ file, line, text: said }) =>
          `At ${oneLine(file)}${line === null ? "" : `:${line}`}:\n\n${indented(said)}`,
      ),
    ]),
  ].join("\n\n");
}

function notChecked({ known: { task, run }, stop, show }: ExecutionContext, reason: string): StepResult {
  if (!stop.aborted)
    show({ type: "git:pr_unseen", taskId: task.id, number: run.pullRequest?.number ?? 0, reason });
  return { event: "pr_pending" };
}

function whyNotChecked(state: PullRequestState, into: string): string {
  return "reason" in state ? state.reason : `it is merged, but ${into} could not be fetched from the remote`;
}

function merged(task: Task, pull: PullRequest): StepResult {
  const { number, url } = pull;
  const event: BloomEvent = { type: "git:pr_merged", taskId: task.id, number, url };
  return { event: "pr_merged", patch: { pullRequest: pull }, events: [event] };
}

function closed({ id }: Task, { number, url }: PullRequest): StepResult {
  return {
    event: "pr_closed",
    reason: `its pull request was closed without a merge (${url}): \`bloom ready ${id}\` opens another, \`bloom done ${id} --force\` ends the task`,
    patch: { pullRequest: { number, url, closed: true } },
    events: [{ type: "git:pr_closed", taskId: id, number, url }],
  };
}

const FALLBACK_TARGET = "main";

/** The pull request's target branch. */
export function targetOf({ merge_into, base_branch }: Task): string {
  return merge_into ?? base_branch ?? FALLBACK_TARGET;
}

function bodyOf(context: ExecutionContext): string {
  const { task, run } = context.known;
  const criteria = [...task.acceptance_criteria, ...task.steps.flatMap((step) => step.acceptance_criteria)];
  const checks = run.evidence
    .filter((each) => each.exit === 0)
    .map(({ command, commit, empty }) => {
      const at = commit === null ? "" : ` at ${commit.slice(0, 12)}`;
      return `- \`${command}\` passed${at}${empty ? ", and ran no test" : ""}`;
    });
  return [
    (task.instructions ?? task.title).trim(),
    ...(criteria.length > 0
      ? ["", "## Acceptance criteria", "", ...criteria.map((each) => `- ${criterionText(each)}`)]
      : []),
    ...(task.steps.length > 0
      ? [
          "",
          "## Steps",
          "",
          ...task.steps.map((step) => `- ${step.id}: ${step.instruction.trim().split("\n")[0]}`),
        ]
      : []),
    ...(checks.length > 0 ? ["", "## Checks run by Pawl", "", ...new Set(checks)] : []),
  ].join("\n");
}
