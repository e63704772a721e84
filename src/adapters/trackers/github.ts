/**
 * GitHub's issues, by REST. An issue there is only open or closed, so a mapped status is `Open`, `Closed` (or
 * `Done`), or a label of the repository, which replaces the other mapped labels.
 */
import { PawlError } from "../../core/error.ts";
import type { TrackedTask, Tracker } from "../../core/ports/trackers.ts";
import { type Item, openGitHubRest, presentRepository } from "../forge/github-access.ts";
import type { Rest } from "../forge/rest.ts";
import { orNull } from "../net/failure.ts";
import type { Limits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { ask, type TrackerRequest, unknownStatusError } from "./failure.ts";

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
  const request: TrackerRequest = { tracker: "GitHub", url: api, token: "GITHUB_TOKEN", limits };
  let present: string | undefined;
  const rest = openGitHubRest({ server: { api, token }, environment });
  const asking = <T>(work: (repository: string) => Promise<T>): Promise<T> =>
    ask(request, async () => {
      present ??= (await presentRepository(rest, given.repository)).path;
      return work(present);
    });
  return {
    list: () => asking((repository) => listIssues(rest, repository, statuses)),
    read: (id) =>
      asking(async (repository) => {
        const number = numberOf(id);
        if (number === null) return null;
        const issue = await there(rest.get<Issue>(`/repos/${repository}/issues/${number}`));
        return issue && isIssueOf(issue, repository) ? toTask(rest, issue, repository, statuses) : null;
      }),
    setStatus: (id, name) => asking((repository) => moveIssue(rest, repository, id, name, statuses)),
    comment: (id, mark, text) =>
      asking(async (repository) => {
        const path = `/repos/${repository}/issues/${knownNumber(id)}/comments`;
        const comments = await rest.all<Item<"issues", "listComments">>(path);
        if (comments.some(({ body }) => body?.includes(mark))) return;
        await rest.send("POST", path, { body: `${text} (${mark})` });
      }),
  };
}

async function listIssues(
  rest: Rest,
  repository: string,
  statuses: readonly string[],
): Promise<readonly TrackedTask[]> {
  // The oldest first: a new issue during the paging moves no issue to another page.
  const query = { state: "open", direction: "asc" };
  const issues = await rest.all<Issue>(`/repos/${repository}/issues`, query);
  const inRepository = issues.filter((issue) => isIssueOf(issue, repository));
  const tasks: TrackedTask[] = [];
  // Each blocked issue needs a query for its blockers: a few run at once.
  for (let at = 0; at < inRepository.length; at += AT_ONCE) {
    const some = inRepository.slice(at, at + AT_ONCE);
    tasks.push(...(await Promise.all(some.map((issue) => toTask(rest, issue, repository, statuses)))));
  }
  return tasks;
}

async function moveIssue(
  rest: Rest,
  repository: string,
  id: string,
  name: string,
  statuses: readonly string[],
): Promise<void> {
  const path = `/repos/${repository}/issues/${knownNumber(id)}`;
  const issue = await rest.get<Issue>(path);
  const present = namesOf(issue);
  const isClosed = CLOSED.some((each) => same(each, name));
  const label = isClosed ? null : await labelFor(rest, repository, id, name);
  const others = present.filter(
    (each) => !same(each, label ?? "") && statuses.some((status) => same(status, each)),
  );
  if (label !== null && !present.some((each) => same(each, label)))
    await rest.send("POST", `${path}/labels`, { labels: [label] });
  for (const other of others) await there(rest.send("DELETE", `${path}/labels/${encodeURIComponent(other)}`));
  const state = isClosed ? "closed" : "open";
  if (issue.state !== state)
    await rest.send("PATCH", path, { state, ...(isClosed ? { state_reason: "completed" } : {}) });
}

const OPEN = "Open";
/** Names of an open issue's status, if the repository has no such label. */
const OPENS = [OPEN, "In Progress"];
const CLOSED = ["Closed", "Done"];

/**
 * The label in the repository's spelling; null: no label, an open issue has this status. Throws if the
 * repository does not know the name.
 */
async function labelFor(rest: Rest, repository: string, id: string, name: string): Promise<string | null> {
  const labels = await rest.all<Item<"issues", "listLabelsForRepo">>(`/repos/${repository}/labels`);
  const label = labels.find((each) => same(each.name, name))?.name;
  if (label !== undefined) return label;
  if (OPENS.some((each) => same(each, name))) return null;
  throw unknownStatusError("GitHub", id, name, [OPEN, ...CLOSED, ...labels.map((each) => each.name)]);
}

async function toTask(
  rest: Rest,
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
    dependencies: await blockersOf(rest, issue, repository),
    url: issue.html_url,
  };
}

/** The issues of the same repository that block it. Issues of other repositories are not tasks here. */
async function blockersOf(rest: Rest, issue: Issue, repository: string): Promise<readonly string[]> {
  if (!issue.issue_dependencies_summary?.total_blocked_by) return [];
  const path = `/repos/${repository}/issues/${issue.number}/dependencies/blocked_by`;
  const blockers = await rest.all<Issue>(path);
  return blockers.filter((each) => isIssueOf(each, repository)).map((each) => idOf(each.number));
}

/** GitHub answers 410 for an issue that was deleted. */
const there = <T>(answer: Promise<T>): Promise<T | null> => orNull(answer, [404, 410]);

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

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
