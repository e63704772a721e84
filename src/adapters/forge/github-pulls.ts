import type { ApiSetup, ForgeApi, ForgeCheck, Named, Pull, Repository, Ways } from "./forge-api.ts";
import { type Answer, type Item, openGitHubRest, presentRepository } from "./github-access.ts";
import { remarksOn, resolvedThreads } from "./github-remarks.ts";
import type { Rest } from "./rest.ts";
import { orEmpty, shortened } from "./returned.ts";

export function openGithub(setup: ApiSetup): ForgeApi {
  const rest = openGitHubRest(setup);
  const at = ({ path }: Named) => `/repos/${path}/pulls`;
  return {
    repository: (path) => presentRepository(rest, path),
    async list({ branch, from, into, target }, state) {
      const pulls = await rest.get<Answer<"pulls", "list">>(at(target), {
        ...{
          head: `${from.path.split("/")[0]}:${branch}`,
          ...(into !== undefined && { base: into }),
          per_page: 30,
        },
        state: state === "open" ? "open" : "closed",
      });
      // A server that does not support the filter returns all of them.
      return pulls
        .filter(({ base, head }) => head.ref === branch && (into === undefined || base.ref === into))
        .map(pullOf);
    },
    async open(ways, text) {
      const order = { ...text, ...headOf(ways), base: ways.into };
      return pullOf(await rest.send<Answer<"pulls", "create">>("POST", at(ways.target), order));
    },
    get: async (target, number) => pullOf(await rest.get<Answer<"pulls", "get">>(`${at(target)}/${number}`)),
    checks: async (target, { head }) => [
      ...(await orEmpty(checkRuns(rest, target, head))),
      ...(await orEmpty(statuses(rest, target, head))),
    ],
    requested: (target, { number }, handledIds) =>
      requestedChanges(rest, `${at(target)}/${number}`, handledIds),
    remarks: (part, path, number, page) => remarksOn(rest, part, path, number, page),
    // A server of one's own has GraphQL beside version 3.
    resolved: (path, number) => {
      const api = setup.server.api.replace(/\/api\/v3$/, "/api");
      return resolvedThreads(openGitHubRest({ ...setup, server: { ...setup.server, api } }), path, number);
    },
  };
}

/** From a fork, the head names the owner; and the repository, if the same owner has both. */
function headOf({ branch, from, target }: Ways): { readonly head: string; readonly head_repo?: string } {
  const [[owner, name], [targetOwner, targetName]] = [from.path.split("/"), target.path.split("/")];
  if (owner !== targetOwner) return { head: `${owner}:${branch}` };
  return { head: branch, ...(name !== undefined && name !== targetName && { head_repo: name }) };
}

function pullOf({
  head,
  html_url: url,
  mergeable,
  merged_at,
  number,
  state,
  title,
}: {
  readonly number: number;
  readonly title: string;
  readonly html_url: string;
  readonly state: string;
  readonly merged_at: string | null;
  readonly head: { readonly sha: string };
  /** Null: GitHub is computing it. */
  readonly mergeable?: boolean | null;
}): Pull {
  const isMerged = merged_at !== null;
  return {
    number,
    title,
    url,
    state: isMerged ? "merged" : state === "open" ? "open" : "closed",
    head: head.sha,
    isConflicting: mergeable === false,
  };
}

const FAILS: ReadonlySet<string | null> = new Set(["failure", "timed_out", "startup_failure"]);

async function checkRuns(rest: Rest, { path }: Repository, ref: string): Promise<readonly ForgeCheck[]> {
  type Runs = Answer<"checks", "listForRef">;
  const runs = await rest.all(
    `/repos/${path}/commits/${ref}/check-runs`,
    {},
    { itemsIn: ({ check_runs }: Runs) => check_runs },
  );
  return runs.map(({ app, conclusion, details_url, html_url, id, name, output, status }) => ({
    name,
    url: html_url ?? details_url,
    summary: [output.title, output.summary].filter(Boolean).join("\n\n"),
    state: status !== "completed" ? "running" : FAILS.has(conclusion) ? "failed" : "passed",
    // Only GitHub Actions has logs here; another service keeps its own. GitHub redirects to another host, which gets no
    // token.
    ...(app?.slug === "github-actions" && { log: () => rest.text(`/repos/${path}/actions/jobs/${id}/logs`) }),
  }));
}

async function statuses(rest: Rest, { path }: Repository, ref: string): Promise<readonly ForgeCheck[]> {
  type Combined = Answer<"repos", "getCombinedStatusForRef">;
  const reviews = await rest.all(
    `/repos/${path}/commits/${ref}/status`,
    {},
    { itemsIn: ({ statuses }: Combined) => statuses },
  );
  return reviews.map(({ context: name, description, state, target_url: url }) => ({
    name,
    url,
    summary: description ?? "",
    state: state === "pending" ? "running" : state === "success" ? "passed" : "failed",
  }));
}

const MAY_WRITE: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
const VERDICTS: ReadonlySet<string> = new Set(["APPROVED", "CHANGES_REQUESTED", "DISMISSED"]);

/** `pull`: its path. */
async function requestedChanges(
  rest: Rest,
  pull: string,
  handledIds: readonly string[],
): ReturnType<ForgeApi["requested"]> {
  const last = new Map<string, Item<"pulls", "listReviews">>();
  for (const review of await rest.all<Item<"pulls", "listReviews">>(`${pull}/reviews`))
    if (review.user && VERDICTS.has(review.state) && MAY_WRITE.has(review.author_association))
      last.set(review.user.login, review);
  const wanted = [...last.values()].filter(
    ({ id, state }) => state === "CHANGES_REQUESTED" && !handledIds.includes(String(id)),
  );
  if (wanted.length === 0) return [];
  const comments = await rest.all<Item<"pulls", "listReviewComments">>(`${pull}/comments`);
  return wanted.map(({ body, id, user }) => ({
    id: String(id),
    author: user?.login ?? "",
    ...shortened(
      body,
      comments
        .filter((each) => each.pull_request_review_id === id)
        .map(({ body: text, line, path }) => ({ file: path, line: line ?? null, text })),
    ),
  }));
}
