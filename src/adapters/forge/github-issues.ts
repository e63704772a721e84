/** GitHub's issues: all pages of them, and the state of one. */
import { PawlError } from "../../core/error.ts";
import type { IssueState, Issues } from "../../core/ports/sources.ts";
import { type Limits, withinLimits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { githubError } from "./failure.ts";
import { type Answer, type Item, openGitHubRest, presentRepository } from "./github-access.ts";
import type { Rest, RestAccess } from "./rest.ts";
import { serverOf } from "./servers.ts";

const MAX_PAGES = 500;
/** For everything that one call fetches: fifty thousand issues are many pages. */
const LIMITS: Limits = { bytes: 200_000_000, milliseconds: 600_000 };

export function openGitHubIssues(environment: Environment): Issues {
  const asking = async <T>(what: string, work: (rest: Rest) => Promise<T>): Promise<T> => {
    const rest = openGitHubRest({ server: accessIn(environment), environment });
    try {
      return await withinLimits(LIMITS, () => work(rest));
    } catch (thrown) {
      throw issuesError(what, thrown);
    }
  };
  return {
    list: (repository) =>
      // The oldest first: a new issue during the paging moves no issue to another page.
      asking(repository, async (rest) => {
        const path = `/repos/${repository}/issues`;
        const issues = await rest.all<Item<"issues", "listForRepo">>(
          path,
          { state: "all", direction: "asc" },
          { most: MAX_PAGES },
        );
        const found: unknown[] = [];
        for (const issue of issues) {
          // Servers without dependencies between issues give no summary of them.
          const isBlocked = issue.state === "open" && issue.issue_dependencies_summary?.total_blocked_by;
          found.push(
            isBlocked
              ? { ...issue, blockedBy: await rest.all(`${path}/${issue.number}/dependencies/blocked_by`) }
              : issue,
          );
        }
        return found;
      }),
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

function accessIn(environment: Environment): RestAccess["server"] {
  const { GITHUB_TOKEN: token } = environment;
  if (!token)
    throw new PawlError(
      "forge-unconfigured",
      "GitHub cannot be asked for issues: `GITHUB_TOKEN` is not set.",
      "Set `GITHUB_TOKEN` to a token that may read the repository's issues (and write them, for an export).",
    );
  const server = serverOf("github", environment);
  if ("detail" in server) throw new PawlError("forge-unconfigured", server.detail, server.help);
  return { api: server.api, token };
}

function issuesError(what: string, thrown: unknown): PawlError {
  return githubError(
    thrown,
    (reason, detail) => `GitHub could not be asked about ${what} (${reason}: ${detail}).`,
    {
      "not-found": "Check the name, and what the token may see.",
      forbidden: "Let the token read the repository's issues.",
      "too-large": "Import them in parts: `gh issue list --json …` into a file.",
    },
  );
}
