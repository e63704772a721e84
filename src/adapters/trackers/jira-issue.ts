import { getComments, getIssue, getRemoteIssueLinks } from "jira.js/cloud";
import { createClient } from "jira.js/core";
import { type AtlassianAccess, clientOf, within } from "./atlassian.ts";
import { renderDocument, renderHtml } from "./markdown.ts";

type Client = ReturnType<typeof createClient>;
type Fields = Readonly<Record<string, unknown>>;

const FIELDS = ["*all", "-comment", "-attachment", "-worklog"];
const COMMENTS_A_PAGE = 100;
const MAX_COMMENTS = 2_000;

/**
 * Fetches an issue with its whole text: summary, description, acceptance criteria, links and every comment. Rejects if
 * any part is missing: half an issue is none. Reads Jira's REST API, version 3.
 */
export async function fetchIssue(access: AtlassianAccess, key: string): Promise<string> {
  const client = createClient(clientOf(access));
  const ask = <T>(answer: Promise<T>) => within(access.limit, answer);
  const issue = await ask(
    getIssue(client, { issueIdOrKey: key, fields: FIELDS, expand: ["renderedFields", "names"] }),
  );
  const fields = (issue.fields ?? {}) as Fields;
  const rendered = (issue.renderedFields ?? {}) as Fields;
  const names = (issue.names ?? {}) as Readonly<Record<string, string>>;
  const links = await ask(webLinks(client, key));
  const comments = await fetchComments(client, key, ask);
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

async function fetchComments(
  client: Client,
  key: string,
  ask: <T>(answer: Promise<T>) => Promise<T>,
): Promise<readonly string[]> {
  const comments: string[] = [];
  for (;;) {
    const page = await ask(
      getComments(client, {
        issueIdOrKey: key,
        startAt: comments.length,
        maxResults: COMMENTS_A_PAGE,
        expand: "renderedBody",
      }),
    );
    const found = page.comments ?? [];
    for (const { author, created, renderedBody, body } of found) {
      const when = created === undefined ? "" : `, ${day(created)}`;
      comments.push(`### ${author?.displayName ?? "unknown"}${when}\n\n${richText(renderedBody, body)}`);
    }
    if (found.length === 0 || comments.length >= Math.min(page.total ?? 0, MAX_COMMENTS)) return comments;
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

/** Links to other pages. A site that has switched them off answers 403 or 404: then there are none. */
async function webLinks(client: Client, key: string): Promise<readonly string[]> {
  try {
    const links = (await getRemoteIssueLinks(client, { issueIdOrKey: key })) as unknown as readonly {
      readonly object?: { readonly title?: string; readonly url?: string };
    }[];
    return links.flatMap(({ object }) => (object?.url ? [`- ${object.title ?? "link"}: ${object.url}`] : []));
  } catch (thrown) {
    const { status } = thrown as { status?: number };
    if (status === 403 || status === 404) return [];
    throw thrown;
  }
}

/** The server's own rendering, if there is one. */
function richText(rendered: unknown, document: unknown): string {
  if (typeof rendered === "string" && rendered.trim() !== "") return renderHtml(rendered);
  return document === null || document === undefined ? "" : renderDocument(document);
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

function day(moment: unknown): string {
  return new Date(moment as string | Date).toISOString().slice(0, 10);
}
