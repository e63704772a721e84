/**
 * Implements the port `Approvals` on GitHub. Fails on incomplete answers: a newer review may be on the
 * missing page.
 */
import type { Octokit } from "@octokit/rest";
import { PawlError } from "../../core/error.ts";
import type { Approvals, PullsFound, Review, ReviewedPull } from "../../core/ports/approvals.ts";
import type { FetchFailure } from "../../core/ports/references.ts";
import { LIMITS, withinLimits } from "../net/limits.ts";
import { forgeFailureOf } from "./failure.ts";
import { type AccessOptions, accessOf, everyAnswer, openOctokit, split } from "./github-access.ts";

export function openGithubApprovals(options: AccessOptions): Approvals {
  return {
    async find({ commit, pull }): Promise<PullsFound> {
      const access = await accessOf(options);
      if ("detail" in access) throw unconfigured(access.detail, access.help);
      const { api, repositories, token } = access;
      try {
        return await withinLimits(LIMITS, async () => {
          const octokit = await openOctokit(api, token, options.environment);
          return { repositories, pulls: await pullsIn(octokit, repositories, commit, pull) };
        });
      } catch (thrown) {
        throw failed(api, repositories, forgeFailureOf(thrown, Date.now()), thrown);
      }
    },
  };
}

/** The pull requests in each repository that the token may see. Throws if it may see none. */
async function pullsIn(
  octokit: Octokit,
  repositories: readonly string[],
  commit: string,
  pull: number | null,
): Promise<readonly ReviewedPull[]> {
  const found: ReviewedPull[] = [];
  let notFound: { readonly thrown: unknown } | null = null;
  let answered = false;
  for (const repository of repositories)
    try {
      const numbers = pull === null ? await numbersOf(octokit, repository, commit) : [pull];
      for (const number of numbers) found.push(await readPull(octokit, repository, number));
      answered = true;
    } catch (thrown) {
      if ((thrown as { status?: number }).status !== 404) throw thrown;
      notFound = { thrown };
    }
  if (!answered && notFound) throw notFound.thrown;
  return found;
}

/** The pull requests with this head. GitHub leaves out those from forks. */
async function numbersOf(octokit: Octokit, repository: string, commit: string): Promise<readonly number[]> {
  try {
    const pulls = await everyAnswer((page) =>
      octokit.rest.repos.listPullRequestsAssociatedWithCommit({
        ...split(repository),
        commit_sha: commit,
        ...page,
      }),
    );
    return pulls.filter(({ head }) => head.sha === commit).map(({ number }) => number);
  } catch (thrown) {
    // GitHub knows no such commit.
    if ((thrown as { status?: number }).status === 422) return [];
    throw thrown;
  }
}

/** If the base branch is changed, rewritten or made again, a review was about another difference. */
const MOVES = new Set([
  "automatic_base_change_succeeded",
  "base_ref_changed",
  "base_ref_deleted",
  "base_ref_force_pushed",
  "reopened",
]);

async function readPull(octokit: Octokit, repository: string, number: number): Promise<ReviewedPull> {
  const at = { ...split(repository), pull_number: number };
  const { pulls, issues } = octokit.rest;
  const { data } = await pulls.get(at);
  const commits = await everyAnswer((page) => pulls.listCommits({ ...at, ...page }));
  const reviews = await everyAnswer((page) => pulls.listReviews({ ...at, ...page }));
  const events = await everyAnswer((page) =>
    issues.listEvents({ ...split(repository), issue_number: number, ...page }),
  );
  const moves = events.filter(({ event }) => MOVES.has(event)).map(({ created_at }) => created_at);
  return {
    name: `${repository}#${number}`,
    url: data.html_url,
    head: data.head.sha,
    author: data.user?.login ?? null,
    commits: commits.map(({ sha, author, committer }) => ({
      id: sha,
      logins: [author?.login, committer?.login].filter((login) => login !== undefined),
    })),
    moved: moves.sort().at(-1) ?? null,
    reviews: reviews.flatMap(reviewOf),
  };
}

const VERDICTS: Readonly<Record<string, Review["verdict"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes-requested",
  DISMISSED: "dismissed",
};

interface Given {
  readonly user: { readonly login: string } | null;
  readonly state: string;
  readonly commit_id: string | null;
  readonly submitted_at?: string | undefined;
}

function reviewOf({ commit_id: commit, state, submitted_at: time, user }: Given): readonly Review[] {
  const verdict = VERDICTS[state];
  return user && verdict && time ? [{ login: user.login, verdict, commit, time }] : [];
}

function unconfigured(detail: string, help?: string): PawlError {
  return new PawlError(
    "forge-unconfigured",
    `GitHub cannot be asked: ${detail}`,
    help ?? "Set `GITHUB_TOKEN` to a token that may read the repository's pull requests.",
  );
}

function failed(
  api: string,
  repositories: readonly string[],
  { detail, reason, retryAfter }: FetchFailure,
  thrown: unknown,
): PawlError {
  const wait = retryAfter === undefined ? "later" : `in ${retryAfter} seconds`;
  const rights = "Let the token read pull requests (in a workflow: `permissions: {pull-requests: read}`).";
  const fixes: Partial<Record<FetchFailure["reason"], string>> = {
    unauthorized: "Set a valid GITHUB_TOKEN.",
    forbidden: rights,
    "not-found": `Check the number of the pull request and the repository's remotes. ${rights}`,
    "rate-limited": `Try again ${wait}.`,
  };
  return new PawlError(
    "forge-failed",
    `GitHub at ${api} did not say who approved the work in ${repositories.join(", ")} (${reason}): ${detail}.`,
    fixes[reason] ?? "Check the network and the address, and try again.",
    thrown,
  );
}
