/**
 * Decides whether a review on the forge approves HEAD. Only the forge vouches for a login, which is weaker
 * than a signature, so a review never counts where the base requires one.
 *
 * R1  The reviewers come from the base.
 * R2  The review is of exactly HEAD, in a pull request that shows every commit of the range, and newer than
 *     the last change of the pull request's base.
 * R3  The reviewer neither opened the pull request nor made a commit of it.
 * R4  A login's newest verdict counts.
 */
import type { Approvals, Review, ReviewedPull } from "../core/ports/approvals.ts";
import type { RangeHistory } from "../core/ports/history.ts";
import { judgingFiles } from "../core/process-files.ts";
import type { Settings } from "../core/settings.ts";
import type { Approval, Fault } from "./report.ts";

export interface Forge {
  readonly approvals: Approvals;
  /** The pull request's number, if it is known. */
  readonly pull: number | null;
}

export interface Reviewed {
  readonly approval: Approval | null;
  readonly faults: readonly Fault[];
}

export async function judgeReviews(
  history: RangeHistory,
  settings: Settings,
  { approvals, pull }: Forge,
): Promise<Reviewed> {
  const { commits, head } = history;
  const found = await approvals.find({ commit: head, pull });
  const refused: string[] = [];
  for (const each of found.pulls) {
    const review = countedReview(each, history, settings.verify.reviewers);
    if (typeof review === "string") {
      refused.push(`${each.name} ${review}`);
      continue;
    }
    const changed = new Set(commits.flatMap(({ changes }) => changes.map(({ path }) => path)));
    const process_files = judgingFiles([...changed], settings.workflows);
    const { name, url } = each;
    return {
      approval: { pull: name, url, login: review.login, time: review.time, covers: head, process_files },
      faults: [],
    };
  }
  const none = `no pull request of ${found.repositories.join(", ")} is known to have this head (one from a fork is found by its number only: --pull NUMBER)`;
  const why = refused.length === 0 ? none : refused.join("; ");
  const message = `No review on GitHub approves ${head.slice(0, 12)}: ${why}.`;
  return { approval: null, faults: [{ rule: "review-missing", commit: head, message }] };
}

/** The review that counts, or why none does. */
function countedReview(
  pull: ReviewedPull,
  { commits, head }: RangeHistory,
  reviewers: readonly string[],
): Review | string {
  if (pull.head !== head) return `has the head ${pull.head.slice(0, 12)}`;
  const shown = new Set(pull.commits.map(({ id }) => id));
  const hidden = commits.find(({ id }) => !shown.has(id));
  if (hidden)
    return `does not list the commit ${hidden.id.slice(0, 12)} (${hidden.title}) of the range: it is compared with another branch, or GitHub lists only the first ${shown.size} commits`;
  const verdicts = newest(pull.reviews);
  const refused: string[] = [];
  for (const review of verdicts) {
    const why = refusalOf(review, pull, head, reviewers);
    if (why === null) return review;
    refused.push(`${review.login} ${why}`);
  }
  return refused.length === 0
    ? `has no review of ${reviewers.join(", ")}`
    : `has no review that counts (${refused.join("; ")})`;
}

/** The newest verdict of each login. */
function newest(reviews: readonly Review[]): readonly Review[] {
  const last = new Map<string, Review>();
  for (const review of reviews.toSorted((one, other) => Date.parse(one.time) - Date.parse(other.time)))
    last.set(review.login.toLowerCase(), review);
  return [...last.values()];
}

function refusalOf(
  { commit, login, time, verdict }: Review,
  { author, commits, moved }: ReviewedPull,
  head: string,
  reviewers: readonly string[],
): string | null {
  const isOwn = (other: string) => other.toLowerCase() === login.toLowerCase();
  const made = commits.find(({ logins }) => logins.some(isOwn));
  if (!reviewers.some(isOwn)) return "is not listed in `verify.reviewers` of the base";
  if (author !== null && isOwn(author)) return "opened the pull request";
  if (made) return `made the commit ${made.id.slice(0, 12)}`;
  if (verdict === "dismissed") return "had the review dismissed";
  if (verdict === "changes-requested") return "asked for changes";
  if (commit !== head) return `approved another commit (${commit?.slice(0, 12) ?? "a removed one"})`;
  if (moved !== null && Date.parse(time) <= Date.parse(moved))
    return "approved before the pull request's base changed";
  return null;
}
