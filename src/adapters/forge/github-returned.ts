/**
 * What stands against an open pull request on GitHub: failed checks, requested changes, conflicts. Only people who may
 * write in the repository are heard. What the token may not read counts as nothing.
 */
import type { Octokit } from "@octokit/rest";
import { clean } from "../../core/clean.ts";
import type { FailedForgeCheck, RequestedChanges, Returned } from "../../core/ports/pull-requests.ts";
import { withinLimits } from "../net/limits.ts";
import { everyPage } from "./github-access.ts";
import { githubFailureOf } from "./github-failure.ts";

interface Open {
  readonly number: number;
  readonly head: { readonly sha: string };
  readonly mergeable: boolean | null;
}

interface Asking {
  readonly octokit: Octokit;
  readonly place: { readonly owner: string; readonly repo: string };
  request(): { readonly signal: AbortSignal };
}

/** Null: nothing stands against it, or not yet. */
export async function returnedOf(
  asking: Asking,
  pull: Open,
  { reviews: known }: { readonly reviews: readonly string[] },
): Promise<Returned | null> {
  const checks = await failedChecks(asking, pull.head.sha);
  const reviews = await requestedChanges(asking, pull.number, known);
  const isConflicting = pull.mergeable === false;
  if (checks.length + reviews.length === 0 && !isConflicting) return null;
  return { checks: await withTails(asking, checks), reviews, isConflicting };
}

// ── Checks ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface Failed extends Omit<FailedForgeCheck, "tail"> {
  /** Its job in GitHub Actions; null: another service ran it. */
  readonly job: number | null;
}

const FAILS: ReadonlySet<string | null> = new Set(["failure", "timed_out", "startup_failure"]);
const SUMMARY = 2000;

/** None while one is still under way: the agent gets all of them at once. */
async function failedChecks({ octokit, place, request }: Asking, ref: string): Promise<readonly Failed[]> {
  const { checks, repos } = octokit.rest;
  const runs = await allowed(
    everyPage(async (page) => {
      const { data, headers } = await checks.listForRef({ ...place, ref, ...page, request: request() });
      return { data: data.check_runs, headers };
    }),
  );
  const statuses = await allowed(
    everyPage(async (page) => {
      const { data, headers } = await repos.getCombinedStatusForRef({
        ...place,
        ref,
        ...page,
        request: request(),
      });
      return { data: data.statuses, headers };
    }),
  );
  const isUnderWay =
    runs.some(({ status }) => status !== "completed") || statuses.some(({ state }) => state === "pending");
  if (isUnderWay) return [];
  return [
    ...runs
      .filter(({ conclusion }) => FAILS.has(conclusion))
      .map(({ app, details_url, html_url, id, name, output }) => ({
        name,
        url: html_url ?? details_url,
        summary: [output.title, output.summary].filter(Boolean).join("\n\n").slice(0, SUMMARY),
        job: app?.slug === "github-actions" ? id : null,
      })),
    ...statuses
      .filter(({ state }) => state === "failure" || state === "error")
      .map(({ context, description, target_url: url }) => ({
        ...{ name: context, url, summary: description ?? "", job: null },
      })),
  ];
}

/** A log that is too large, or does not come in time, is left out. */
const OF_LOG = { bytes: 10_000_000, milliseconds: 8000 };
const MOST_LOGS = 3;

async function withTails(
  { octokit, place, request }: Asking,
  failed: readonly Failed[],
): Promise<readonly FailedForgeCheck[]> {
  const found: FailedForgeCheck[] = [];
  let logs = 0;
  for (const { job, ...check } of failed) {
    const isRead = job !== null && logs++ < MOST_LOGS;
    const log = !isRead
      ? null
      : await withinLimits(OF_LOG, async () => {
          // GitHub sends on to another host, which the client then asks without the token.
          const answer = await octokit.rest.actions.downloadJobLogsForWorkflowRun({
            ...{ ...place, job_id: job, request: request() },
          });
          return textOf(answer.data);
        }).catch(() => null);
    found.push({ ...check, tail: log === null ? null : tailOf(log) });
  }
  return found;
}

function textOf(data: unknown): string | null {
  if (typeof data === "string") return data;
  return data instanceof ArrayBuffer ? new TextDecoder().decode(data) : null;
}

const TAIL_LINES = 80;
const TAIL_LETTERS = 8000;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z /;

/** Up to the last error: after it a job only cleans up. */
function tailOf(log: string): string {
  const lines = log.split(/\r?\n/).map((line) => line.replace(TIME, ""));
  const error = lines.findLastIndex((line) => line.startsWith("##[error]"));
  const shown = error < 0 ? lines : lines.slice(0, error + 1);
  return clean(shown.slice(-TAIL_LINES).join("\n")).slice(-TAIL_LETTERS);
}

// ── Reviews ──────────────────────────────────────────────────────────────────────────────────────────────────────

const MAY_WRITE: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
const VERDICTS: ReadonlySet<string> = new Set(["APPROVED", "CHANGES_REQUESTED", "DISMISSED"]);

async function requestedChanges(
  { octokit, place, request }: Asking,
  pull_number: number,
  known: readonly string[],
): Promise<readonly RequestedChanges[]> {
  const { pulls } = octokit.rest;
  const at = { ...place, pull_number };
  const reviews = await everyPage((page) => pulls.listReviews({ ...at, ...page, request: request() }));
  const last = new Map<string, (typeof reviews)[number]>();
  for (const review of reviews)
    if (review.user && VERDICTS.has(review.state) && MAY_WRITE.has(review.author_association))
      last.set(review.user.login, review);
  const wanted = [...last.values()].filter(
    ({ id, state }) => state === "CHANGES_REQUESTED" && !known.includes(String(id)),
  );
  if (wanted.length === 0) return [];
  const comments = await everyPage((page) =>
    pulls.listReviewComments({ ...at, ...page, request: request() }),
  );
  return wanted.map(({ body, id, user }) => ({
    id: String(id),
    author: user?.login ?? "",
    text: body.slice(0, TAIL_LETTERS),
    comments: comments
      .filter((each) => each.pull_request_review_id === id)
      .slice(0, MOST_COMMENTS)
      .map(({ body: text, line, path }) => ({
        ...{ file: path, line: line ?? null, text: text.slice(0, SUMMARY) },
      })),
  }));
}

const MOST_COMMENTS = 50;

async function allowed<T>(found: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await found;
  } catch (thrown) {
    const { reason } = githubFailureOf(thrown, Date.now());
    if (reason === "forbidden" || reason === "not-found") return [];
    throw thrown;
  }
}
