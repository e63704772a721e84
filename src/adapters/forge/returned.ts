/** Why an open pull request is not mergeable: failed checks, requested changes, conflicts. */

import type { FailedForgeCheck, Returned } from "../../core/ports/pull-requests.ts";
import { clean } from "../../core/text/clean.ts";
import { failureIn, withinLimits } from "../net/limits.ts";
import type { ForgeApi, ForgeCheck, Pull, Repository } from "./forge-api.ts";

/** Null: no reason is known yet. */
export async function returnedOf(
  api: ForgeApi,
  target: Repository,
  pull: Pull,
  handledIds: readonly string[],
): Promise<Returned | null> {
  const checks = await api.checks(target, pull);
  // None while a check is still running: the agent gets all failures at once.
  const failed = checks.some(({ state }) => state === "running")
    ? []
    : checks.filter(({ state }) => state === "failed");
  const reviews = await api.requested(target, pull, handledIds);
  if (failed.length + reviews.length === 0 && !pull.isConflicting) return null;
  return { checks: await withTails(failed), reviews, isConflicting: pull.isConflicting };
}

/** A log that is too large or too slow is left out. */
const LOG_LIMITS = { bytes: 10_000_000, milliseconds: 8000 };
const MAX_LOGS = 3;
const MAX_TEXT = 2000;
const MAX_COMMENTS = 50;

async function withTails(failed: readonly ForgeCheck[]): Promise<readonly FailedForgeCheck[]> {
  const found: FailedForgeCheck[] = [];
  let logs = 0;
  for (const { log, name, summary, url } of failed) {
    const text = log && logs++ < MAX_LOGS ? await withinLimits(LOG_LIMITS, log).catch(() => null) : null;
    const tail = text === null ? null : tailOf(text);
    found.push({ name, url, summary: summary.slice(0, MAX_TEXT), tail });
  }
  return found;
}

const TAIL_LINES = 80;
const TAIL_CHARACTERS = 8000;
/** Enough to include the failure, even if a job prints a lot while it cleans up. */
const READ_CHARACTERS = 1_000_000;
/** The time before a line, with GitLab's stream marker. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z (?:\d\d[OE][ +])?/;
/** GitLab's markers of foldable sections. */
const FOLDS = /section_(?:start|end):\d{1,20}:[^\r\n]{0,300}\r/g;
/** After such a line a job only cleans up. */
const FAILS = /^(?:##\[error\]|ERROR: Job failed)/;

/** The end of a job's log, up to its failure. */
export function tailOf(log: string): string {
  const lines = clean(log.slice(-READ_CHARACTERS).replace(FOLDS, ""))
    .split("\n")
    .map((line) => line.replace(TIME, ""));
  const error = lines.findLastIndex((line) => FAILS.test(line));
  const shown = error < 0 ? lines : lines.slice(0, error + 1);
  return shown.slice(-TAIL_LINES).join("\n").slice(-TAIL_CHARACTERS);
}

interface ReviewComment {
  readonly file: string;
  readonly line: number | null;
  readonly text: string;
}

/** Limits the text and comments to what an agent gets. */
export function shortened(
  text: string,
  comments: readonly ReviewComment[],
): { readonly text: string; readonly comments: readonly ReviewComment[] } {
  return {
    text: text.slice(0, TAIL_CHARACTERS),
    comments: comments
      .slice(0, MAX_COMMENTS)
      .map((each) => ({ ...each, text: each.text.slice(0, MAX_TEXT) })),
  };
}

/** The answer; empty if the token may not read it, or the server does not support the request. */
export async function orEmpty<T>(request: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await request;
  } catch (thrown) {
    const { reason } = failureIn(thrown);
    if (reason === "forbidden" || reason === "not-found") return [];
    throw thrown;
  }
}
