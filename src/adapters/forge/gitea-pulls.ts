/** Gitea's API 1, which Forgejo speaks too: https://docs.gitea.com/api/ */
import type { ApiSetup, Branch, ForgeApi, ForgeCheck, Named, Pull, Repository } from "./forge-api.ts";
import { type GiteaLineComment, type GiteaReview, openRemarks } from "./gitea-remarks.ts";
import { openRest, type Rest } from "./rest.ts";
import { orEmpty, shortened } from "./returned.ts";

export function openGitea(setup: ApiSetup): ForgeApi {
  const rest = openRest(setup, PAGES);
  const get = (target: Named, number: number) => rest.get<GiteaPull>(`/repos/${target.path}/pulls/${number}`);
  return {
    repository: (path) => repositoryOf(rest, path),
    async list(ways, state) {
      const pulls = await listed(rest, ways, state === "open" ? "open" : "closed");
      return Promise.all(pulls.map((each) => pullOf(rest, ways.target, each)));
    },
    async open({ branch, from, into, target }, text) {
      // From a fork, the head names the fork's owner, who can have only one.
      const head = from.id === target.id ? branch : `${from.path.split("/")[0]}:${branch}`;
      const body = { ...text, head, base: into };
      return pullOf(rest, target, await rest.send<GiteaPull>("POST", `/repos/${target.path}/pulls`, body));
    },
    async get(target, number) {
      const found = await get(target, number);
      const pull = await pullOf(rest, target, found);
      return { ...pull, isConflicting: isUnmergeable(setup.unmergeable, target, found) };
    },
    checks: (target, { head }) => orEmpty(statusesOf(rest, setup.server.web ?? "", target, head)),
    requested: (target, { number }, handledIds) => requestedChanges(rest, target, number, handledIds),
    remarks: openRemarks(rest),
  };
}

/** A server may allow fewer. */
const PAGES = { name: "limit", most: 50 };

async function repositoryOf(rest: Rest, path: string): Promise<Repository> {
  const { full_name, id } = await rest.get<{ readonly id: number; readonly full_name: string }>(
    `/repos/${path}`,
  );
  return { id, path: full_name };
}

interface GiteaPull {
  readonly number: number;
  readonly html_url: string;
  readonly state: string;
  readonly merged: boolean;
  readonly mergeable: boolean;
  readonly draft?: boolean;
  readonly title: string;
  /** `label` is the branch; `ref` is, too, but only while the branch exists. */
  readonly head: { readonly label: string; readonly sha: string; readonly repo_id: number };
  readonly base: { readonly ref: string; readonly sha: string };
}

const MAX_OVER = 5;

/** Gitea cannot filter by the branch. Closed pull requests are read as far back as they may matter. */
async function listed(
  rest: Rest,
  { branch, from, into, target }: Branch,
  state: "open" | "closed",
): Promise<readonly GiteaPull[]> {
  const pulls: GiteaPull[] = [];
  for (let page = 1; ; page++) {
    const query = { state, sort: "recentupdate", page };
    const { items, more } = await rest.page<GiteaPull>(`/repos/${target.path}/pulls`, query);
    pulls.push(
      ...items.filter(
        ({ base, head }) =>
          head.label === branch && (into === undefined || base.ref === into) && head.repo_id === from.id,
      ),
    );
    if (!more || (state === "closed" && page === MAX_OVER)) return pulls;
  }
}

async function pullOf(rest: Rest, target: Named, pull: GiteaPull): Promise<Pull> {
  const { head, html_url: url, merged, number, state, title } = pull;
  const isOpen = state === "open";
  return {
    number,
    title,
    url,
    state: merged ? "merged" : isOpen ? "open" : "closed",
    head: isOpen ? head.sha : await lastCommit(rest, target, pull),
    isConflicting: false,
  };
}

/** The pull request's own last commit: the shown head follows the branch while that exists. */
async function lastCommit(rest: Rest, target: Named, { head, number }: GiteaPull): Promise<string> {
  const query = { limit: 1, page: 1, verification: "false", files: "false" };
  const path = `/repos/${target.path}/pulls/${number}/commits`;
  const { items } = await rest.page<{ readonly sha: string }>(path, query);
  return items[0]?.sha ?? head.sha;
}

/** Gitea also reports this while it is computing: only a second report for the same two commits counts. */
function isUnmergeable(
  before: Set<string>,
  { path }: Named,
  { base, draft, head, mergeable, number, state, title }: GiteaPull,
): boolean {
  const isDraft = draft ?? /^(?:wip:|\[wip\])/i.test(title);
  if (state !== "open" || mergeable || isDraft) return false;
  const key = [path, number, head.sha, base.sha].join(" ");
  if (before.has(key)) return true;
  before.add(key);
  return false;
}

interface Status {
  readonly context: string;
  readonly description: string;
  readonly status: string;
  readonly target_url: string;
}

const STATES: Readonly<Record<string, ForgeCheck["state"]>> = {
  pending: "running",
  failure: "failed",
  error: "failed",
};

async function statusesOf(
  rest: Rest,
  web: string,
  target: Repository,
  sha: string,
): Promise<readonly ForgeCheck[]> {
  const path = `/repos/${target.path}/commits/${sha}/status`;
  const found = new Map<string, Status>();
  // No answer says whether another page follows, nor how many entries a page has.
  for (let page = 1, before = -1; found.size > before; page++) {
    before = found.size;
    const query = { page, limit: PAGES.most };
    const { statuses } = await rest.get<{ readonly statuses: readonly Status[] | null }>(path, query);
    for (const each of statuses ?? []) found.set(each.context, each);
  }
  return [...found.values()].map(({ context: name, description: summary, status, target_url }) => {
    const url = URL.canParse(target_url, web) && target_url !== "" ? new URL(target_url, web).href : null;
    return {
      name,
      url,
      summary,
      state: STATES[status] ?? "passed",
      ...(url !== null && /\/actions\/runs\/\d+/.test(url) && { log: () => logOf(rest, target, sha, url) }),
    };
  });
}

interface Run {
  readonly id: number;
  readonly html_url: string;
}

/** The log of a job of its Actions, on servers that offer it. */
async function logOf(rest: Rest, target: Repository, sha: string, url: string): Promise<string | null> {
  const actions = `/repos/${target.path}/actions`;
  const { workflow_runs } = await rest.get<{ readonly workflow_runs: readonly Run[] }>(`${actions}/runs`, {
    head_sha: sha,
    limit: PAGES.most,
  });
  const run = workflow_runs.find(({ html_url }) => url === html_url || url.startsWith(`${html_url}/`));
  if (!run) return null;
  const { jobs } = await rest.get<{ readonly jobs: readonly Run[] }>(`${actions}/runs/${run.id}/jobs`);
  const job = jobs.find(({ html_url }) => html_url === url);
  return job ? rest.text(`${actions}/jobs/${job.id}/logs`) : null;
}

async function requestedChanges(
  rest: Rest,
  target: Repository,
  number: number,
  handledIds: readonly string[],
): ReturnType<ForgeApi["requested"]> {
  const path = `/repos/${target.path}/pulls/${number}/reviews`;
  const last = new Map<string, GiteaReview>();
  for (const review of await orEmpty(rest.all<GiteaReview>(path)))
    if (review.user && /^(?:APPROVED|REQUEST_CHANGES)$/.test(review.state))
      last.set(review.user.login, review);
  const found: Awaited<ReturnType<ForgeApi["requested"]>>[number][] = [];
  for (const [author, { body, dismissed, id, official, state }] of last) {
    if (state !== "REQUEST_CHANGES" || dismissed || handledIds.includes(String(id))) continue;
    if (!official && !(await mayWrite(rest, target, author))) continue;
    const comments = await orEmpty(rest.get<readonly GiteaLineComment[]>(`${path}/${id}/comments`));
    const commentTexts = comments
      .filter(({ resolver }) => !resolver)
      .map(({ body: text, path: file, position }) => ({ file, line: position || null, text }));
    found.push({ id: String(id), author, ...shortened(body, commentTexts) });
  }
  return found;
}

const WRITES: ReadonlySet<string | undefined> = new Set(["write", "admin", "owner"]);

/** Only an administrator of the repository may query this; for other tokens the answer is false. */
async function mayWrite(rest: Rest, target: Repository, login: string): Promise<boolean> {
  const path = `/repos/${target.path}/collaborators/${encodeURIComponent(login)}/permission`;
  const [answer] = await orEmpty(rest.get<{ readonly permission: string }>(path).then((each) => [each]));
  return WRITES.has(answer?.permission);
}
