/** GitHub's issues: all pages of them, and the state of one. */
import type { Octokit } from "@octokit/rest";
import { PawlError } from "../../core/error.ts";
import type { FetchFailure } from "../../core/ports/references.ts";
import type { IssueState, Issues } from "../../core/ports/sources.ts";
import { HttpFailure } from "../net/failure.ts";
import { type Limits, withinLimits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { forgeFailureOf } from "./failure.ts";
import { type Access, apiOf, openOctokit, presentRepository, split } from "./github-access.ts";
import { hasNext } from "./pages.ts";

export interface IssuesSetup {
  /** `GITHUB_TOKEN` */
  readonly token: string | undefined;
  /** `GITHUB_API_URL` */
  readonly api: string | undefined;
  readonly environment: Environment;
  readonly now: () => number;
  readonly limits?: Limits;
}

const PAGE = 100;
const MOST_PAGES = 500;
/** For everything that one call fetches: fifty thousand issues are many pages. */
const LIMITS: Limits = { bytes: 200_000_000, milliseconds: 600_000 };

export function openGitHubIssues(setup: IssuesSetup): Issues {
  const asking = async <T>(what: string, work: (octokit: Octokit) => Promise<T>): Promise<T> => {
    const { api, token } = accessIn(setup);
    const octokit = await openOctokit(api, token, setup.environment);
    try {
      return await withinLimits(setup.limits ?? LIMITS, () => work(octokit));
    } catch (thrown) {
      throw failed(what, thrown, setup.now());
    }
  };
  return {
    list: (repository) => asking(repository, (octokit) => allPages(octokit, repository)),
    read: (repository, number) =>
      asking(`${repository}#${number}`, async (octokit) => {
        const { data } = await octokit.rest.issues.get({ ...split(repository), issue_number: number });
        return stateOf(data.state, data.state_reason);
      }),
    setState: (repository, number, { reason, state }) =>
      asking(`${repository}#${number}`, async (octokit) => {
        const { path } = await presentRepository(octokit, repository);
        await octokit.rest.issues.update({
          ...split(path),
          issue_number: number,
          state,
          ...(reason ? { state_reason: reason } : {}),
        });
      }),
  };
}

async function allPages(octokit: Octokit, repository: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { data, headers } = await octokit.rest.issues.listForRepo({
      ...split(repository),
      state: "all",
      // The oldest first: a new issue during the paging moves no issue to another page.
      direction: "asc",
      per_page: PAGE,
      page,
    });
    found.push(...data);
    if (!hasNext(headers.link)) return found;
  }
  throw new HttpFailure({ reason: "too-large", detail: `more than ${MOST_PAGES * PAGE} issues` });
}

function stateOf(state: string, reason: string | null | undefined): IssueState {
  const isDropped = reason === "not_planned" || reason === "duplicate";
  if (state !== "closed") return { state: "open", reason: null };
  return { state: "closed", reason: isDropped ? "not_planned" : "completed" };
}

function accessIn({ api: variable, token }: IssuesSetup): Pick<Access, "api" | "token"> {
  if (!token)
    throw new PawlError(
      "forge-unconfigured",
      "GitHub cannot be asked for issues: `GITHUB_TOKEN` is not set.",
      "Set `GITHUB_TOKEN` to a token that may read the repository's issues (and write them, for an export).",
    );
  const api = apiOf(variable);
  if (typeof api === "string") return { api, token };
  throw new PawlError("forge-unconfigured", api.detail, api.help);
}

function failed(what: string, thrown: unknown, now: number): PawlError {
  const { detail, reason, retryAfter } = forgeFailureOf(thrown, now);
  const fixes: Partial<Record<FetchFailure["reason"], string>> = {
    "not-found": "Check the name, and what the token may see.",
    unauthorized: "Set a valid GITHUB_TOKEN: this one was refused, it may have expired.",
    forbidden: "Let the token read the repository's issues.",
    "rate-limited": `Try again ${retryAfter === undefined ? "later" : `in ${retryAfter} seconds`}.`,
    "too-large": "Import them in parts: `gh issue list --json …` into a file.",
  };
  return new PawlError(
    "forge-failed",
    `GitHub could not be asked about ${what} (${reason}: ${detail}).`,
    fixes[reason] ?? "Try again later; check the address and the network.",
    thrown,
  );
}
