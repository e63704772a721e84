import type { ApiSetup, ForgeApi, ForgeCheck, Pull, Repository, Ways } from "./forge-api.ts";
import { everyAnswer, openOctokit, presentRepository, split } from "./github-access.ts";
import { allowed, shortened } from "./returned.ts";

type Octokit = Awaited<ReturnType<typeof openOctokit>>;

interface Asking {
  readonly octokit: Octokit;
  request(): { readonly signal: AbortSignal };
}

export async function openGithubPulls({ environment, server, ...setup }: ApiSetup): Promise<ForgeApi> {
  const octokit = await openOctokit(server.api, server.token, environment);
  const { pulls } = octokit.rest;
  const request = () => ({ signal: setup.request() });
  return {
    repository: (path) => presentRepository(octokit, path, request()),
    async list({ branch, from, into, target }, state) {
      const { data } = await pulls.list({
        ...split(target.path),
        head: `${split(from.path).owner}:${branch}`,
        base: into,
        state: state === "open" ? "open" : "closed",
        per_page: 30,
        request: request(),
      });
      // A server that does not support the filter returns all of them.
      return data.filter(({ base, head }) => head.ref === branch && base.ref === into).map(pullOf);
    },
    async open(ways, text) {
      const { data } = await pulls.create({
        ...split(ways.target.path),
        ...text,
        ...headOf(ways),
        base: ways.into,
        request: request(),
      });
      return pullOf(data);
    },
    async get(target, number) {
      const { data } = await pulls.get({ ...split(target.path), pull_number: number, request: request() });
      return pullOf(data);
    },
    checks: async (target, { head }) => [
      ...(await allowed(checkRuns({ octokit, request }, target, head))),
      ...(await allowed(statuses({ octokit, request }, target, head))),
    ],
    requested: (target, { number }, known) =>
      requestedChanges({ octokit, request }, { ...split(target.path), pull_number: number }, known),
  };
}

/** From a fork, the head names the owner; and the repository, if the same owner has both. */
function headOf({ branch, from, target }: Ways): { readonly head: string; readonly head_repo?: string } {
  const [head, place] = [split(from.path), split(target.path)];
  if (head.owner !== place.owner) return { head: `${head.owner}:${branch}` };
  return { head: branch, ...(head.repo === place.repo ? {} : { head_repo: head.repo }) };
}

function pullOf({
  head,
  html_url: url,
  mergeable,
  merged_at,
  number,
  state,
}: {
  readonly number: number;
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
    url,
    state: isMerged ? "merged" : state === "open" ? "open" : "closed",
    head: head.sha,
    isConflicting: mergeable === false,
  };
}

const FAILS: ReadonlySet<string | null> = new Set(["failure", "timed_out", "startup_failure"]);

async function checkRuns(
  { octokit, request }: Asking,
  { path }: Repository,
  ref: string,
): Promise<readonly ForgeCheck[]> {
  const { actions, checks } = octokit.rest;
  const runs = await everyAnswer(async (page) => {
    const order = { ...split(path), ref, ...page, request: request() };
    const { data, headers } = await checks.listForRef(order);
    return { data: data.check_runs, headers };
  });
  return runs.map(({ app, conclusion, details_url, html_url, id, name, output, status }) => ({
    name,
    url: html_url ?? details_url,
    summary: [output.title, output.summary].filter(Boolean).join("\n\n"),
    state: status !== "completed" ? "running" : FAILS.has(conclusion) ? "failed" : "passed",
    // Only GitHub Actions has logs here; another service keeps its own.
    ...(app?.slug === "github-actions" && {
      // GitHub redirects to another host, which gets no token.
      log: async () => {
        const order = { ...split(path), job_id: id, request: request() };
        return textOf((await actions.downloadJobLogsForWorkflowRun(order)).data);
      },
    }),
  }));
}

async function statuses(
  { octokit, request }: Asking,
  { path }: Repository,
  ref: string,
): Promise<readonly ForgeCheck[]> {
  const found = await everyAnswer(async (page) => {
    const order = { ...split(path), ref, ...page, request: request() };
    const { data, headers } = await octokit.rest.repos.getCombinedStatusForRef(order);
    return { data: data.statuses, headers };
  });
  return found.map(({ context: name, description, state, target_url: url }) => ({
    name,
    url,
    summary: description ?? "",
    state: state === "pending" ? "running" : state === "success" ? "passed" : "failed",
  }));
}

function textOf(data: unknown): string | null {
  if (typeof data === "string") return data;
  return data instanceof ArrayBuffer ? new TextDecoder().decode(data) : null;
}

const MAY_WRITE: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
const VERDICTS: ReadonlySet<string> = new Set(["APPROVED", "CHANGES_REQUESTED", "DISMISSED"]);

async function requestedChanges(
  { octokit, request }: Asking,
  at: { readonly owner: string; readonly repo: string; readonly pull_number: number },
  known: readonly string[],
): ReturnType<ForgeApi["requested"]> {
  const { pulls } = octokit.rest;
  const reviews = await everyAnswer((page) => pulls.listReviews({ ...at, ...page, request: request() }));
  const last = new Map<string, (typeof reviews)[number]>();
  for (const review of reviews)
    if (review.user && VERDICTS.has(review.state) && MAY_WRITE.has(review.author_association))
      last.set(review.user.login, review);
  const wanted = [...last.values()].filter(
    ({ id, state }) => state === "CHANGES_REQUESTED" && !known.includes(String(id)),
  );
  if (wanted.length === 0) return [];
  const comments = await everyAnswer((page) =>
    pulls.listReviewComments({ ...at, ...page, request: request() }),
  );
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
