/**
 * GitHub's issues, by REST. An issue there is only open or closed, so a mapped status is `Open`, `Closed` (or
 * `Done`), or a label of the repository, which replaces the other mapped labels.
 */
import type { Octokit } from "@octokit/rest";
import { PawlError } from "../../core/error.ts";
import type { TrackedTask, Tracker } from "../../core/ports/trackers.ts";
import { forgeFailureOf } from "../forge/failure.ts";
import { openOctokit, presentRepository, split } from "../forge/github-access.ts";
import { hasNext } from "../forge/pages.ts";
import { HttpFailure } from "../net/failure.ts";
import type { Limits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { ask, noSuchStatus, type TrackerRequest } from "./failure.ts";

export interface GitHubAccess {
  readonly token: string;
  readonly api: string;
  /** `owner/name` */
  readonly repository: string;
  /** The statuses that Pawl writes: an issue has one of them at a time. */
  readonly statuses: readonly string[];
  readonly environment: Environment;
  readonly limits?: Limits;
}

const PAGE = 100;
const MOST_PAGES = 50;
const AT_ONCE = 8;

/** The fields of an issue that Pawl reads, as REST returns it. */
interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body?: string | null;
  readonly state: string;
  readonly html_url: string;
  readonly repository_url?: string;
  readonly pull_request?: unknown;
  readonly labels: readonly (string | { readonly name?: string })[];
  /** Absent on servers without dependencies between issues. */
  readonly issue_dependencies_summary?: { readonly total_blocked_by?: number };
}

export function openGitHub({ api, environment, limits, statuses, token, ...given }: GitHubAccess): Tracker {
  const asked: TrackerRequest = { tracker: "GitHub", url: api, token: "GITHUB_TOKEN", limits };
  let present: string | undefined;
  const asking = <T>(work: (octokit: Octokit, repository: string) => Promise<T>): Promise<T> =>
    ask(asked, async () => {
      try {
        const octokit = await openOctokit(api, token, environment);
        present ??= (await presentRepository(octokit, given.repository)).path;
        return await work(octokit, present);
      } catch (thrown) {
        throw named(thrown);
      }
    });
  return {
    list: () => asking((octokit, repository) => listIssues(octokit, repository, statuses)),
    read: (id) =>
      asking(async (octokit, repository) => {
        const issue_number = numberOf(id);
        if (issue_number === null) return null;
        const issue = await found(octokit.rest.issues.get({ ...split(repository), issue_number }));
        return issue && isIssueOf(issue, repository) ? toTask(octokit, issue, repository, statuses) : null;
      }),
    setStatus: (id, name) =>
      asking((octokit, repository) => moveIssue(octokit, repository, id, name, statuses)),
    comment: (id, mark, text) =>
      asking(async (octokit, repository) => {
        const issue = { ...split(repository), issue_number: knownNumber(id) };
        const comments = await pages((page) =>
          octokit.rest.issues.listComments({ ...issue, per_page: PAGE, page }),
        );
        if (comments.some(({ body }) => body?.includes(mark))) return;
        await octokit.rest.issues.createComment({ ...issue, body: `${text} (${mark})` });
      }),
  };
}

async function listIssues(
  octokit: Octokit,
  repository: string,
  statuses: readonly string[],
): Promise<readonly TrackedTask[]> {
  const issues = await pages((page) =>
    octokit.rest.issues.listForRepo({
      ...split(repository),
      state: "open",
      // The oldest first: a new issue during the paging moves no issue to another page.
      direction: "asc",
      per_page: PAGE,
      page,
    }),
  );
  const own = (issues as readonly Issue[]).filter((issue) => isIssueOf(issue, repository));
  const tasks: TrackedTask[] = [];
  // Each blocked issue needs a query for its blockers: a few run at once.
  for (let at = 0; at < own.length; at += AT_ONCE) {
    const some = own.slice(at, at + AT_ONCE);
    tasks.push(...(await Promise.all(some.map((issue) => toTask(octokit, issue, repository, statuses)))));
  }
  return tasks;
}

async function moveIssue(
  octokit: Octokit,
  repository: string,
  id: string,
  name: string,
  statuses: readonly string[],
): Promise<void> {
  const issue = { ...split(repository), issue_number: knownNumber(id) };
  const { data } = await octokit.rest.issues.get(issue);
  const present = namesOf(data as Issue);
  const isClosed = CLOSED.some((each) => same(each, name));
  const label = isClosed ? null : await labelFor(octokit, repository, id, name);
  const others = present.filter(
    (each) => !same(each, label ?? "") && statuses.some((status) => same(status, each)),
  );
  if (label !== null && !present.some((each) => same(each, label)))
    await octokit.rest.issues.addLabels({ ...issue, labels: [label] });
  for (const other of others) await found(octokit.rest.issues.removeLabel({ ...issue, name: other }));
  const state = isClosed ? "closed" : "open";
  if (data.state !== state)
    await octokit.rest.issues.update({
      ...issue,
      state,
      ...(isClosed ? { state_reason: "completed" } : {}),
    });
}

const OPEN = "Open";
/** Names of an open issue's status, if the repository has no such label. */
const OPENS = [OPEN, "In Progress"];
const CLOSED = ["Closed", "Done"];

/**
 * The label in the repository's spelling; null: no label, an open issue has this status. Throws if the
 * repository does not know the name.
 */
async function labelFor(
  octokit: Octokit,
  repository: string,
  id: string,
  name: string,
): Promise<string | null> {
  const labels = await pages((page) =>
    octokit.rest.issues.listLabelsForRepo({ ...split(repository), per_page: PAGE, page }),
  );
  const label = labels.find((each) => same(each.name, name))?.name;
  if (label !== undefined) return label;
  if (OPENS.some((each) => same(each, name))) return null;
  throw noSuchStatus("GitHub", id, name, [OPEN, ...CLOSED, ...labels.map((each) => each.name)]);
}

async function toTask(
  octokit: Octokit,
  issue: Issue,
  repository: string,
  statuses: readonly string[],
): Promise<TrackedTask> {
  const names = namesOf(issue);
  const isDone = issue.state === "closed";
  const status = names.find((each) => statuses.some((wanted) => same(wanted, each)));
  return {
    id: idOf(issue.number),
    title: issue.title,
    description: issue.body ?? "",
    status: isDone ? "Closed" : (status ?? OPEN),
    isDone,
    priority: names.map(priorityOf).find((each) => each !== null) ?? null,
    dependencies: await blockersOf(octokit, issue, repository),
    url: issue.html_url,
  };
}

/** The issues of the same repository that block it. Issues of others are no tasks here. */
async function blockersOf(octokit: Octokit, issue: Issue, repository: string): Promise<readonly string[]> {
  if (!issue.issue_dependencies_summary?.total_blocked_by) return [];
  const blockers = await pages((page) =>
    octokit.request("GET /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by", {
      ...split(repository),
      issue_number: issue.number,
      per_page: PAGE,
      page,
    }),
  );
  return (blockers as readonly Issue[])
    .filter((each) => isIssueOf(each, repository))
    .map((each) => idOf(each.number));
}

async function pages<T>(
  ask: (page: number) => Promise<{ readonly data: readonly T[]; readonly headers: { link?: string } }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { data, headers } = await ask(page);
    all.push(...data);
    if (!hasNext(headers.link)) break;
  }
  return all;
}

/** Null: it does not exist, or no longer. */
async function found<T>(asked: Promise<{ readonly data: T }>): Promise<T | null> {
  try {
    return (await asked).data;
  } catch (thrown) {
    const { status } = thrown as { status?: number };
    if (status === 404 || status === 410) return null;
    throw thrown;
  }
}

/** Neither a pull request nor an issue that moved to another repository. */
function isIssueOf({ pull_request, repository_url }: Issue, repository: string): boolean {
  const isHere =
    repository_url === undefined ||
    repository_url.toLowerCase().endsWith(`/repos/${repository.toLowerCase()}`);
  return isHere && (pull_request === undefined || pull_request === null);
}

const PRIORITIES = [
  ["critical", /^(?:priority\W{0,3})?(?:critical|urgent|blocker|p0)$/i],
  ["high", /^(?:priority\W{0,3})?(?:high|p1)(?:\W?priority)?$/i],
  ["medium", /^(?:priority\W{0,3})?(?:medium|p2)(?:\W?priority)?$/i],
  ["low", /^(?:priority\W{0,3})?(?:low|p3)(?:\W?priority)?$/i],
] as const;

function priorityOf(label: string): TrackedTask["priority"] {
  return PRIORITIES.find(([, pattern]) => pattern.test(label))?.[0] ?? null;
}

function namesOf({ labels }: Issue): readonly string[] {
  return labels.flatMap((each) => (typeof each === "string" ? [each] : each.name ? [each.name] : []));
}

/** The same ids as an import's. */
const idOf = (number: number) => `GH-${number}`;

function numberOf(id: string): number | null {
  const digits = /^GH-([1-9]\d{0,11})$/.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}

function knownNumber(id: string): number {
  const number = numberOf(id);
  if (number !== null) return number;
  throw new PawlError(
    "tracker-failed",
    `GitHub has no issue ${id}: its issues are GH-1, GH-2 and so on.`,
    "Nothing to do: the task is not from GitHub.",
  );
}

/** Octokit's error in Pawl's words. */
function named(thrown: unknown): unknown {
  if (thrown instanceof PawlError) return thrown;
  const { response, status } = thrown as { status?: number; response?: unknown };
  const answered = response !== undefined && status !== undefined ? { status } : {};
  return new HttpFailure(forgeFailureOf(thrown, Date.now()), { cause: thrown, ...answered });
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
