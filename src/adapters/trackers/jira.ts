/** Issues of Jira, Cloud and Data Center, as tasks. */
import type { TrackedTask, Tracker } from "../../core/ports/trackers.ts";
import type { Limits } from "../net/limits.ts";
import type { AtlassianAccess } from "./atlassian.ts";
import { ask, type TrackerRequest, unknownStatusError } from "./failure.ts";
import { type Fields, type Issue, type Jira, openJiraSite, richText } from "./jira-site.ts";

const FIELDS = ["summary", "description", "status", "priority", "issuelinks"];
const PAGE = 100;
const PRIORITIES: Readonly<Record<string, TrackedTask["priority"]>> = {
  highest: "critical",
  blocker: "critical",
  critical: "critical",
  high: "high",
  major: "high",
  medium: "medium",
  low: "low",
  minor: "low",
  lowest: "low",
  trivial: "low",
};

export function openJira(access: AtlassianAccess, limits?: Limits): Tracker {
  const jira = openJiraSite(access);
  const request: TrackerRequest = { tracker: "Jira", url: jira.base, token: "ATLASSIAN_API_TOKEN", limits };
  return {
    list: (project) =>
      ask(request, async () => {
        const issues = await listIssues(jira, project);
        const web = await jira.web();
        return issues.map((issue) => toTask(issue, web));
      }),
    read: (id) =>
      ask(request, async () => {
        const issue = await jira.issue(id, FIELDS);
        return issue && toTask(issue, await jira.web());
      }),
    setStatus: (id, name) => ask(request, () => moveIssue(jira, id, name)),
    comment: (id, mark, text) =>
      ask(request, async () => {
        const path = `issue/${encodeURIComponent(id)}/comment`;
        const query = { maxResults: PAGE, orderBy: "-created" };
        const { comments = [] } = (await jira.get(path, query)) as {
          comments?: readonly { body?: unknown }[];
        };
        if (comments.some(({ body }) => JSON.stringify(body ?? "").includes(mark))) return;
        await jira.post(path, { body: `${text} (${mark})` });
      }),
  };
}

interface Page {
  readonly issues?: readonly Issue[];
  /** The Cloud's; null, or absent, on the last page. */
  readonly nextPageToken?: string | null;
  readonly isLast?: boolean;
  /** Data Center's. */
  readonly total?: number;
}

async function listIssues(jira: Jira, project: string | null): Promise<readonly Issue[]> {
  const scope =
    project === null ? "assignee = currentUser()" : `project = "${project.replace(/["\\]/g, "\\$&")}"`;
  const jql = `${scope} AND statusCategory != Done ORDER BY key ASC`;
  const isCloud = await jira.isCloud();
  const allIssues: Issue[] = [];
  let nextPageToken: string | null | undefined;
  for (;;) {
    const order = { jql, fields: FIELDS, maxResults: PAGE };
    const page = (
      isCloud
        ? await jira.post("search/jql", {
            ...order,
            expand: "renderedFields",
            ...(nextPageToken && { nextPageToken }),
          })
        : await jira.get("search", {
            ...order,
            fields: FIELDS.join(","),
            expand: "renderedFields",
            startAt: allIssues.length,
          })
    ) as Page;
    const issues = page.issues ?? [];
    allIssues.push(...issues);
    nextPageToken = page.isLast === true ? null : page.nextPageToken;
    // A page of the Cloud may be empty before the last one.
    const isLast = isCloud ? !nextPageToken : issues.length === 0 || allIssues.length >= (page.total ?? 0);
    if (isLast) return allIssues;
  }
}

interface Transition {
  readonly id?: string;
  readonly to?: { readonly name?: string };
}

async function moveIssue(jira: Jira, id: string, name: string): Promise<void> {
  const path = `issue/${encodeURIComponent(id)}`;
  const { fields } = (await jira.get(path, { fields: "status" })) as Issue;
  if (same(statusOf(fields).name, name)) return;
  const { transitions = [] } = (await jira.get(`${path}/transitions`)) as {
    transitions?: readonly Transition[];
  };
  const transition = transitions.find(({ to }) => same(to?.name, name));
  if (!transition?.id)
    throw unknownStatusError(
      "Jira",
      id,
      name,
      transitions.map(({ to }) => to?.name ?? ""),
    );
  await jira.post(`${path}/transitions`, { transition: { id: transition.id } });
}

interface Status {
  readonly name?: string;
  readonly statusCategory?: { readonly key?: string };
}

const statusOf = (fields: Fields | undefined) => (fields?.status ?? {}) as Status;

function toTask(issue: Issue, web: string): TrackedTask {
  const { fields = {}, key = "", renderedFields } = issue;
  const links = (fields.issuelinks ?? []) as readonly {
    readonly type?: { readonly inward?: string };
    readonly inwardIssue?: { readonly key?: string };
  }[];
  const { name: status, statusCategory } = statusOf(fields);
  const priority = (fields.priority as { name?: string } | null | undefined)?.name;
  return {
    id: key,
    title: String(fields.summary ?? ""),
    description: richText(renderedFields?.description, fields.description),
    status: String(status ?? ""),
    isDone: statusCategory?.key === "done",
    priority: PRIORITIES[String(priority ?? "").toLowerCase()] ?? null,
    dependencies: links
      .filter(({ type }) => same(type?.inward, "is blocked by"))
      .flatMap(({ inwardIssue }) => (inwardIssue?.key ? [inwardIssue.key] : [])),
    url: `${web}/browse/${key}`,
  };
}

const same = (one: unknown, other: string): boolean =>
  typeof one === "string" && one.toLowerCase() === other.toLowerCase();
