/**
 * Implements the port `Approvals` on GitHub. Fails on incomplete answers: a newer review may be on the
 * missing page.
 */
import { PawlError } from "../../core/error.ts";
import type { Approvals, PullsFound, Review, ReviewedPull } from "../../core/ports/approvals.ts";
import { httpFailureIn } from "../net/failure.ts";
import { LIMITS, withinLimits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { githubError } from "./failure.ts";
import { type Answer, accessOf, type Item, openGitHubRest } from "./github-access.ts";
import type { Rest } from "./rest.ts";

export function openGithubApprovals(folder: string, environment: Environment): Approvals {
  return {
    async find({ commit, pull }): Promise<PullsFound> {
      const access = await accessOf(folder, environment);
      if ("detail" in access) throw unconfiguredError(access.detail, access.help);
      const { api, repositories, token } = access;
      try {
        return await withinLimits(LIMITS, async () => {
          const rest = openGitHubRest({ server: { api, token }, environment });
          return { repositories, pulls: await pullsIn(rest, repositories, commit, pull) };
        });
      } catch (thrown) {
        throw approvalsError(api, repositories, thrown);
      }
    },
  };
}

/** The pull requests in each repository that the token may see. Throws if it may see none. */
async function pullsIn(
  rest: Rest,
  repositories: readonly string[],
  commit: string,
  pull: number | null,
): Promise<readonly ReviewedPull[]> {
  const pulls: ReviewedPull[] = [];
  let notFound: { readonly thrown: unknown } | null = null;
  let answered = false;
  for (const repository of repositories)
    try {
      const numbers = pull === null ? await numbersOf(rest, repository, commit) : [pull];
      for (const number of numbers) pulls.push(await readPull(rest, repository, number));
      answered = true;
    } catch (thrown) {
      if (httpFailureIn(thrown)?.status !== 404) throw thrown;
      notFound = { thrown };
    }
  if (!answered && notFound) throw notFound.thrown;
  return pulls;
}

/** The pull requests with this head. GitHub leaves out those from forks. */
async function numbersOf(rest: Rest, repository: string, commit: string): Promise<readonly number[]> {
  try {
    type Pulls = Item<"repos", "listPullRequestsAssociatedWithCommit">;
    const pulls = await rest.all<Pulls>(`/repos/${repository}/commits/${commit}/pulls`);
    return pulls.filter(({ head }) => head.sha === commit).map(({ number }) => number);
  } catch (thrown) {
    // GitHub knows no such commit.
    if (httpFailureIn(thrown)?.status === 422) return [];
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

async function readPull(rest: Rest, repository: string, number: number): Promise<ReviewedPull> {
  const pull = `/repos/${repository}/pulls/${number}`;
  const data = await rest.get<Answer<"pulls", "get">>(pull);
  const commits = await rest.all<Item<"pulls", "listCommits">>(`${pull}/commits`);
  const reviews = await rest.all<Item<"pulls", "listReviews">>(`${pull}/reviews`);
  const events = await rest.all<Item<"issues", "listEvents">>(`/repos/${repository}/issues/${number}/events`);
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

function unconfiguredError(detail: string, help?: string): PawlError {
  return new PawlError(
    "forge-unconfigured",
    `GitHub cannot be asked: ${detail}`,
    help ?? "Set `GITHUB_TOKEN` to a token that may read the repository's pull requests.",
  );
}

const RIGHTS = "Let the token read pull requests (in a workflow: `permissions: {pull-requests: read}`).";

function approvalsError(api: string, repositories: readonly string[], thrown: unknown): PawlError {
  return githubError(
    thrown,
    (reason, detail) =>
      `GitHub at ${api} did not say who approved the work in ${repositories.join(", ")} (${reason}): ${detail}.`,
    {
      forbidden: RIGHTS,
      "not-found": `Check the number of the pull request and the repository's remotes. ${RIGHTS}`,
    },
  );
}
