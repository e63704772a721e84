/**
 * Jira Cloud and Data Center, by the platform API. Bodies are requested in rendered form and converted to markdown.
 */

import {
  addComment,
  doTransition,
  getComments,
  getIssue,
  getTransitions,
  searchAndReconsileIssuesUsingJqlPost,
} from "jira.js/cloud";
import { createClient } from "jira.js/core";
import TurndownService from "turndown";
import type { TrackedTask, Tracker } from "../../core/ports/trackers.ts";
import { type Asked, ask, noSuchStatus } from "./failure.ts";

export interface JiraAccess {
  readonly host: string;
  /** With a Cloud token; otherwise the token is a personal access token. */
  readonly email?: string;
  readonly token: string;
}

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

interface Issue {
  readonly key?: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of an issue are the site's own
  readonly fields?: Record<string, any> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly renderedFields?: Record<string, any> | undefined;
}

export function openJira({ email, host, token }: JiraAccess): Tracker {
  const client = createClient({
    host,
    auth: email ? { type: "basic", email, apiToken: token } : { type: "bearer", token },
  });
  const asked: Asked = { tracker: "Jira", url: host, token: "ATLASSIAN_API_TOKEN" };
  const url = (key: string) => `${host.replace(/\/$/, "")}/browse/${key}`;
  return {
    list: (project) => ask(asked, () => listIssues(client, project, url)),
    read: (id) =>
      ask(asked, async () => {
        try {
          return toTask(
            await getIssue(client, { issueIdOrKey: id, fields: FIELDS, expand: "renderedFields" }),
            url,
          );
        } catch (thrown) {
          if ((thrown as { status?: number }).status === 404) return null;
          throw thrown;
        }
      }),
    setStatus: (id, name) => ask(asked, () => moveIssue(client, id, name)),
    comment: (id, mark, text) =>
      ask(asked, async () => {
        const { comments = [] } = await getComments(client, {
          issueIdOrKey: id,
          maxResults: PAGE,
          orderBy: "-created",
        });
        if (comments.some((comment) => JSON.stringify(comment.body ?? "").includes(mark))) return;
        await addComment(client, { issueIdOrKey: id, body: `${text} (${mark})` });
      }),
  };
}

type Client = ReturnType<typeof createClient>;

async function listIssues(
  client: Client,
  project: string | null,
  url: (key: string) => string,
): Promise<readonly TrackedTask[]> {
  const scope =
    project === null ? "assignee = currentUser()" : `project = "${project.replace(/["\\]/g, "\\$&")}"`;
  const tasks: TrackedTask[] = [];
  let nextPageToken: string | undefined;
  do {
    const page = await searchAndReconsileIssuesUsingJqlPost(client, {
      jql: `${scope} AND statusCategory != Done ORDER BY key ASC`,
      fields: FIELDS,
      expand: "renderedFields",
      maxResults: PAGE,
      ...(nextPageToken !== undefined && { nextPageToken }),
    });
    tasks.push(...(page.issues ?? []).map((issue) => toTask(issue, url)));
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken !== undefined);
  return tasks;
}

async function moveIssue(client: Client, id: string, name: string): Promise<void> {
  const issue = await getIssue(client, { issueIdOrKey: id, fields: ["status"] });
  if (same(issue.fields?.status?.name, name)) return;
  const { transitions = [] } = await getTransitions(client, { issueIdOrKey: id });
  const transition = transitions.find(({ to }) => same(to?.name, name));
  if (!transition?.id)
    throw noSuchStatus(
      "Jira",
      id,
      name,
      transitions.map(({ to }) => to?.name ?? ""),
    );
  await doTransition(client, { issueIdOrKey: id, transition: { id: transition.id } });
}

function toTask(
  { fields = {}, key = "", renderedFields = {} }: Issue,
  url: (key: string) => string,
): TrackedTask {
  const links: readonly { type?: { inward?: string }; inwardIssue?: { key?: string } }[] =
    fields.issuelinks ?? [];
  return {
    id: key,
    title: String(fields.summary ?? ""),
    description: toMarkdown(renderedFields.description ?? ""),
    status: String(fields.status?.name ?? ""),
    isDone: fields.status?.statusCategory?.key === "done",
    priority: PRIORITIES[String(fields.priority?.name ?? "").toLowerCase()] ?? null,
    dependencies: links
      .filter(({ type }) => same(type?.inward, "is blocked by"))
      .flatMap(({ inwardIssue }) => (inwardIssue?.key ? [inwardIssue.key] : [])),
    url: url(key),
  };
}

const turndown = new TurndownService({
  headingStyle: "atx",
  codeBlockStyle: "fenced",
  bulletListMarker: "-",
});
const toMarkdown = (html: string): string => (html === "" ? "" : turndown.turndown(html));
const same = (one: unknown, other: string): boolean =>
  typeof one === "string" && one.toLowerCase() === other.toLowerCase();
