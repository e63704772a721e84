/** GitHub's issues: all pages of them, and the state of one. */
import { PawlError } from "../../core/error.ts";
import type { IssueState, Issues } from "../../core/ports/sources.ts";
import { type Limits, withinLimits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { githubFailed } from "./failure.ts";
import {
  type Access,
  type Answer,
  apiOf,
  type Item,
  openGitHubRest,
  presentRepository,
} from "./github-access.ts";
import type { Rest } from "./rest.ts";

export interface IssuesSetup {
  /** `GITHUB_TOKEN` */
  readonly token: string | undefined;
  /** `GITHUB_API_URL` */
  readonly api: string | undefined;
  readonly environment: Environment;
  readonly limits?: Limits;
}

const MOST_PAGES = 500;
/** For everything that one call fetches: fifty thousand issues are many pages. */
const LIMITS: Limits = { bytes: 200_000_000, milliseconds: 600_000 };

export function openGitHubIssues(setup: IssuesSetup): Issues {
  const asking = async <T>(what: string, work: (rest: Rest) => Promise<T>): Promise<T> => {
    const rest = openGitHubRest({ server: accessIn(setup), environment: setup.environment });
    try {
      return await withinLimits(setup.limits ?? LIMITS, () => work(rest));
    } catch (thrown) {
      throw failed(what, thrown);
    }
  };
  return {
    list: (repository) =>
      // The oldest first: a new issue during the paging moves no issue to another page.
      asking(repository, (rest) =>
        rest.all<Item<"issues", "listForRepo">>(
          `/repos/${repository}/issues`,
          { state: "all", direction: "asc" },
          { most: MOST_PAGES },
        ),
      ),
    read: (repository, number) =>
      asking(`${repository}#${number}`, async (rest) => {
        const path = `/repos/${repository}/issues/${number}`;
        const { state, state_reason } = await rest.get<Answer<"issues", "get">>(path);
        return stateOf(state, state_reason);
      }),
    setState: (repository, number, { reason, state }) =>
      asking(`${repository}#${number}`, async (rest) => {
        const { path } = await presentRepository(rest, repository);
        const order = { state, ...(reason ? { state_reason: reason } : {}) };
        await rest.send("PATCH", `/repos/${path}/issues/${number}`, order);
      }),
  };
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

function failed(what: string, thrown: unknown): PawlError {
  return githubFailed(
    thrown,
    (reason, detail) => `GitHub could not be asked about ${what} (${reason}: ${detail}).`,
    {
      "not-found": "Check the name, and what the token may see.",
      forbidden: "Let the token read the repository's issues.",
      "too-large": "Import them in parts: `gh issue list --json …` into a file.",
    },
  );
}
