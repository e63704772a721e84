import { HttpFailure } from "../net/failure.ts";
import type { AtlassianAccess } from "./atlassian.ts";
import { type Fields, type Jira, openJiraSite, richText } from "./jira-site.ts";

const FIELDS = ["*all", "-comment", "-attachment", "-worklog"];
const COMMENTS_A_PAGE = 100;
const MAX_COMMENTS = 2_000;

/**
 * Fetches an issue with its whole text: summary, description, acceptance criteria, links and every comment.
 * Rejects if any part is missing.
 */
export async function fetchIssue(access: AtlassianAccess, key: string): Promise<string> {
  const jira = openJiraSite(access);
  const issue = await jira.issue(key, FIELDS);
  if (issue === null)
    throw new HttpFailure({ reason: "not-found", detail: `${access.address.host} has no issue ${key}` });
  const { fields = {}, names = {}, renderedFields: rendered = {} } = issue;
  const links = await webLinks(jira, key);
  const comments = await fetchComments(jira, key);
  return [
    `# ${issue.key ?? key}: ${text(fields.summary)}`,
    facts(fields),
    titled("Description", richText(rendered.description, fields.description)),
    ...acceptanceCriteria(fields, rendered, names),
    titled("Links", [...issueLinks(fields), ...links].join("\n")),
    titled("Comments", comments.join("\n\n")),
  ]
    .filter(Boolean)
    .join("\n\n");
}

interface CommentsPage {
  readonly comments?: readonly {
    readonly author?: { readonly displayName?: string };
    readonly created?: string;
    readonly renderedBody?: unknown;
    readonly body?: unknown;
  }[];
  readonly total?: number;
}

async function fetchComments(jira: Jira, key: string): Promise<readonly string[]> {
  const comments: string[] = [];
  for (;;) {
    const page = (await jira.get(`issue/${encodeURIComponent(key)}/comment`, {
      startAt: comments.length,
      maxResults: COMMENTS_A_PAGE,
      expand: "renderedBody",
    })) as CommentsPage;
    const found = page.comments ?? [];
    for (const { author, created, renderedBody, body } of found) {
      const when = created === undefined ? "" : `, ${day(created)}`;
      comments.push(`### ${author?.displayName ?? "unknown"}${when}\n\n${richText(renderedBody, body)}`);
    }
    const { total = 0 } = page;
    if (comments.length >= MAX_COMMENTS && total > comments.length)
      return [...comments, `The other ${total - comments.length} comments are left out.`];
    if (found.length === 0 || comments.length >= total) return comments;
  }
}

function facts(fields: Fields): string {
  const known = [
    ["Type", nameOf(fields.issuetype)],
    ["Status", nameOf(fields.status)],
    ["Priority", nameOf(fields.priority)],
    ["Assignee", nameOf(fields.assignee)],
    ["Labels", Array.isArray(fields.labels) ? fields.labels.join(", ") : ""],
  ];
  return known
    .filter(([, value]) => value)
    .map(([label, value]) => `- ${label}: ${value}`)
    .join("\n");
}

/** A custom field of the site, recognised by its name. */
function acceptanceCriteria(
  fields: Fields,
  rendered: Fields,
  names: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(names)
    .filter(([id, name]) => /acceptance\s+criteri/i.test(name) && fields[id])
    .map(([id, name]) => titled(name, richText(rendered[id], fields[id])));
}

interface LinkedIssue {
  readonly key?: string;
  readonly fields?: Fields;
}

function issueLinks(fields: Fields): readonly string[] {
  const line = (how: string, issue: LinkedIssue | undefined) =>
    issue?.key ? [`- ${how}: ${issue.key} ${text(issue.fields?.summary)}`.trimEnd()] : [];
  const links = (fields.issuelinks ?? []) as readonly {
    readonly type?: { readonly inward?: string; readonly outward?: string };
    readonly inwardIssue?: LinkedIssue;
    readonly outwardIssue?: LinkedIssue;
  }[];
  return [
    ...line("parent", fields.parent as LinkedIssue | undefined),
    ...((fields.subtasks ?? []) as readonly LinkedIssue[]).flatMap((issue) => line("subtask", issue)),
    ...links.flatMap(({ type, inwardIssue, outwardIssue }) => [
      ...line(type?.inward ?? "linked from", inwardIssue),
      ...line(type?.outward ?? "links to", outwardIssue),
    ]),
  ];
}

/** Links to other pages. A site that has disabled them answers 403 or 404: then there are none. */
async function webLinks(jira: Jira, key: string): Promise<readonly string[]> {
  try {
    const links = (await jira.get(`issue/${encodeURIComponent(key)}/remotelink`)) as readonly {
      readonly object?: { readonly title?: string; readonly url?: string };
    }[];
    return links.flatMap(({ object }) => (object?.url ? [`- ${object.title ?? "link"}: ${object.url}`] : []));
  } catch (thrown) {
    if (thrown instanceof HttpFailure && (thrown.status === 403 || thrown.status === 404)) return [];
    throw thrown;
  }
}

function titled(title: string, body: string): string {
  return body.trim() === "" ? "" : `## ${title}\n\n${body}`;
}

function nameOf(value: unknown): string {
  const { name, displayName } = (value ?? {}) as { name?: unknown; displayName?: unknown };
  return text(displayName ?? name);
}

function text(value: unknown): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
}

/** The day of a time in Jira's form: `2026-01-02T03:04:05.000+0000`. */
const day = (moment: string): string => moment.slice(0, 10);
