/**
 * Fetches what was said on the pull request of the checked-out branch.
 *
 * G1  The token goes only to the configured address: pages are requested by number, never by a returned link.
 * G2  A part that was read incompletely is kept, with the place where it stopped, so that a retry begins there.
 */
import type { FetchFailure } from "../../core/ports/references.ts";
import type {
  PullRequest,
  Remark,
  ReviewFetch,
  ReviewMissing,
  ReviewPart,
  Reviews,
} from "../../core/ports/reviews.ts";
import { LIMITS, type Limits, withinLimits } from "../net/limits.ts";
import { forgeFailureOf, repeatsItself } from "./failure.ts";
import { type Github, openGithub } from "./github.ts";
import { type AccessOptions, accessOf } from "./github-access.ts";
import { markThreads } from "./github-threads.ts";

export interface GithubReviewsOptions extends AccessOptions {
  /** Limits for the whole fetch. */
  readonly limits?: Limits;
}

const PARTS: readonly ReviewPart[] = ["reviews", "review-comments", "comments"];
const MAX_PAGES = 100;

export function openGithubReviews(options: GithubReviewsOptions): Reviews {
  return {
    async fetch({ missing }): Promise<ReviewFetch> {
      const access = await accessOf(options);
      if ("detail" in access) return { kind: "not-configured", ...access };
      const { api, token, branch, pushedAs, repositories } = access;
      if (branch === null)
        return {
          kind: "not-configured",
          detail: "No branch is checked out.",
          help: "Check out the pull request's branch.",
        };
      return withinLimits(options.limits ?? LIMITS, async () => {
        try {
          const github = await openGithub(api, token, options.environment);
          return await fetchReviews(github, [branch, ...(pushedAs ? [pushedAs] : [])], repositories, missing);
        } catch (thrown) {
          return { kind: "failed", failure: forgeFailureOf(thrown, Date.now()) };
        }
      });
    },
  };
}

async function fetchReviews(
  github: Github,
  names: readonly [branch: string, ...pushedAs: string[]],
  repositories: readonly string[],
  missing: ReviewMissing | undefined,
): Promise<ReviewFetch> {
  const [branch] = names;
  const pull = missing
    ? await readPull(github, missing, branch)
    : await findPull(github, repositories, names);
  if (pull === null) return { kind: "no-pull-request", branch, repositories };
  const { remarks, pages, failure } = await readParts(github, pull, missing);
  const marked = await markThreads(github, pull, remarks);
  const stopped = Object.keys(pages).length > 0;
  return {
    kind: "fetched",
    pull,
    remarks: marked.remarks,
    threads: marked.threads,
    missing: stopped ? { repository: pull.repository, number: pull.number, pages } : null,
    failure,
  };
}

/** The open pull request from the branch of the first name that has one, in and from any of the repositories (forks are remotes). */
async function findPull(
  github: Github,
  repositories: readonly string[],
  names: readonly string[],
): Promise<PullRequest | null> {
  let notFound: unknown = null;
  let answered = false;
  for (const base of repositories) {
    for (const [branch, head] of names.flatMap((name) => repositories.map((each) => [name, each] as const))) {
      try {
        const [found] = await github.pulls(base, `${head.split("/")[0]}:${branch}`);
        if (found) return { ...found, repository: base, branch };
        answered = true;
      } catch (thrown) {
        if ((thrown as { status?: number }).status !== 404) throw thrown;
        notFound = thrown;
        break;
      }
    }
  }
  if (!answered && notFound !== null) throw notFound;
  return null;
}

async function readPull(github: Github, missing: ReviewMissing, branch: string): Promise<PullRequest> {
  const found = await github.pull(missing.repository, missing.number);
  return { ...found, repository: missing.repository, branch };
}

interface Read {
  readonly remarks: readonly Remark[];
  /** Of each part that is not complete, the page to go on with. */
  readonly pages: Readonly<Partial<Record<ReviewPart, number>>>;
  readonly failure: FetchFailure | null;
}

async function readParts(
  github: Github,
  pull: PullRequest,
  missing: ReviewMissing | undefined,
): Promise<Read> {
  const remarks: Remark[] = [];
  const pages: Partial<Record<ReviewPart, number>> = {};
  let failure: FetchFailure | null = null;
  for (const part of PARTS) {
    const first = missing ? missing.pages[part] : 1;
    if (first === undefined) continue;
    if (failure !== null && repeatsItself(failure)) {
      pages[part] = first;
      continue;
    }
    const stop = await readPart(github, pull, part, first, remarks);
    if (stop === null) continue;
    pages[part] = stop.page;
    failure ??= stop.failure;
  }
  return { remarks, pages, failure };
}

/** Adds a part's remarks from a page on. Null: all of them; else where it stopped, and why unless it was just too much. */
async function readPart(
  github: Github,
  { repository, number }: PullRequest,
  part: ReviewPart,
  first: number,
  remarks: Remark[],
): Promise<{ readonly page: number; readonly failure: FetchFailure | null } | null> {
  for (let page = first; ; page++) {
    if (page >= first + MAX_PAGES) return { page, failure: null };
    try {
      const answer = await github.remarks(part, repository, number, page);
      remarks.push(...answer.remarks);
      if (!answer.more) return null;
    } catch (thrown) {
      return { page, failure: forgeFailureOf(thrown, Date.now()) };
    }
  }
}
