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
import { type Github, openGithub } from "./github.ts";
import { githubFailureOf, repeatsItself } from "./github-failure.ts";
import { type Checkout, GITHUB_API, type GithubRemote, lookAtCheckout } from "./github-remote.ts";
import { markThreads } from "./github-threads.ts";

export interface GithubReviewsOptions {
  /** The project's folder, absolute. */
  readonly folder: string;
  /** The environment for git, with everything removed that git must not see. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `GITHUB_TOKEN` */
  readonly token?: string | undefined;
  /** `GITHUB_API_URL`, for a server of one's own. */
  readonly api?: string | undefined;
  /** Milliseconds that one request may take; default 20 s. */
  readonly limit?: number;
  /** Limits for the whole fetch. */
  readonly limits?: Limits;
}

const LIMIT = 20_000;
const PARTS: readonly ReviewPart[] = ["reviews", "review-comments", "comments"];
const MAX_REMOTES = 4;
const MAX_PAGES = 100;

export function openGithubReviews(options: GithubReviewsOptions): Reviews {
  const api = (options.api ?? GITHUB_API).replace(/\/+$/, "");
  return {
    async fetch({ missing }): Promise<ReviewFetch> {
      const prepared = await prepare(options, api);
      if ("kind" in prepared) return prepared;
      const { token, branch, remotes } = prepared;
      return withinLimits(options.limits ?? LIMITS, async () => {
        try {
          const github = await openGithub(api, token, options.limit ?? LIMIT);
          return await fetchReviews(github, branch, remotes, missing);
        } catch (thrown) {
          return { kind: "failed", failure: githubFailureOf(thrown, Date.now()) };
        }
      });
    },
  };
}

interface Ready {
  readonly token: string;
  readonly branch: string;
  readonly remotes: readonly GithubRemote[];
}

/** What a fetch needs, or what is missing. */
async function prepare(options: GithubReviewsOptions, api: string): Promise<Ready | ReviewFetch> {
  const lacking = (detail: string, help?: string): ReviewFetch => ({
    kind: "not-configured",
    detail,
    ...(help === undefined ? {} : { help }),
  });
  const { token, folder, environment } = options;
  if (!token) return lacking("`GITHUB_TOKEN` is not set.");
  const fault = apiFault(api);
  if (fault !== null)
    return lacking(`\`GITHUB_API_URL\` cannot be used: ${fault}.`, "Correct `GITHUB_API_URL`, or unset it.");
  let checkout: Checkout;
  try {
    checkout = await lookAtCheckout(folder, environment, api);
  } catch {
    return lacking(
      "The project is not a git repository, or git cannot run, so its branch is unknown.",
      "Check that `git status` works in the project.",
    );
  }
  if (checkout.branch === null)
    return lacking("No branch is checked out.", "Check out the pull request's branch.");
  if (checkout.remotes.length === 0)
    return lacking(
      "No remote of the repository is on GitHub.",
      "Add the repository on GitHub as a remote (or set `GITHUB_API_URL`, if it is on a GitHub server of your own).",
    );
  return { token, branch: checkout.branch, remotes: checkout.remotes.slice(0, MAX_REMOTES) };
}

function apiFault(api: string): string | null {
  if (!URL.canParse(api)) return "it is not an address such as https://github.example.com/api/v3";
  const { protocol, hostname } = new URL(api);
  const loopback = hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
  if (protocol === "https:" || (protocol === "http:" && loopback)) return null;
  return "it must begin with https://, since the token is sent to it";
}

async function fetchReviews(
  github: Github,
  branch: string,
  remotes: readonly GithubRemote[],
  missing: ReviewMissing | undefined,
): Promise<ReviewFetch> {
  const repositories = [...new Set(remotes.map(({ owner, repository }) => `${owner}/${repository}`))];
  const pull = missing
    ? await readPull(github, missing, branch)
    : await findPull(github, repositories, branch);
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

/** The open pull request from the branch, in any of the repositories, from any of them (forks are remotes too). */
async function findPull(
  github: Github,
  repositories: readonly string[],
  branch: string,
): Promise<PullRequest | null> {
  let notFound: unknown = null;
  let answered = false;
  for (const base of repositories) {
    for (const head of repositories) {
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
      return { page, failure: githubFailureOf(thrown, Date.now()) };
    }
  }
}
