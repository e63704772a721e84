/**
 * Jira Cloud's REST API on loopback, as far as Pawl asks it: the shapes, codes and refusals of the documented endpoints
 * (issue, search/jql, transitions, comment, remotelink). State is kept; a transition moves the issue.
 */
import { type Answer, type Asked, Loopback } from "./loopback.ts";

export const ATLASSIAN = { email: "ann@acme.example", token: "api-token" } as const;

const AUTHORIZATION = `Basic ${Buffer.from(`${ATLASSIAN.email}:${ATLASSIAN.token}`).toString("base64")}`;

export interface JiraIssue {
  summary: string;
  status: string;
  /** HTML, as `renderedFields` gives it. */
  readonly description: string;
  readonly criteria?: string;
  readonly priority: string;
  readonly blocks?: string;
  readonly blockedBy: readonly string[];
  /** HTML of each. */
  readonly comments: string[];
}

const CATEGORIES: Readonly<Record<string, string>> = {
  "To Do": "new",
  "In Progress": "indeterminate",
  Done: "done",
};
const STATUSES = Object.keys(CATEGORIES);
const FIRST_TRANSITION = 11;

export class JiraServer extends Loopback {
  readonly issues = new Map<string, JiraIssue>();
  /** Of a search. */
  pageSize = 100;

  static async open(issues: Readonly<Record<string, Partial<JiraIssue>>> = {}): Promise<JiraServer> {
    const server: JiraServer = new JiraServer((asked) => answerTo(asked, server));
    for (const [key, issue] of Object.entries(issues)) server.add(key, issue);
    return server.listen();
  }

  get environment(): Record<string, string> {
    return {
      JIRA_BASE_URL: this.url,
      ATLASSIAN_EMAIL: ATLASSIAN.email,
      ATLASSIAN_API_TOKEN: ATLASSIAN.token,
    };
  }

  add(key: string, more: Partial<JiraIssue> = {}): void {
    const plain = { description: "", status: "To Do", priority: "Medium", blockedBy: [], comments: [] };
    this.issues.set(key, { ...plain, summary: `Issue ${key}`, ...more });
  }
}

export function isAtlassianUser({ headers }: Asked): boolean {
  return headers.authorization === AUTHORIZATION;
}

const ENDPOINT = /^\/rest\/api\/[23]\/issue\/([^/]+)(?:\/(comment|remotelink|transitions)(?:\/(\w+))?)?$/;

function answerTo(asked: Asked, server: JiraServer): Answer {
  if (!isAtlassianUser(asked))
    return {
      status: 401,
      json: { errorMessages: ["Client must be authenticated to access this resource."] },
    };
  if (/^\/rest\/api\/3\/search\/jql$/.test(asked.path)) return { json: found(asked, server) };
  const [, name = "", part, id] = ENDPOINT.exec(asked.path) ?? [];
  const key = name.toUpperCase();
  const issue = server.issues.get(key);
  const missing = ["Issue does not exist or you do not have permission to see it."];
  if (!issue) return { status: 404, json: { errorMessages: missing, errors: {} } };
  if (part === "comment") return comments(asked, issue, id);
  if (part === "transitions") return transitions(asked, issue, server.url);
  if (part === "remotelink")
    return {
      json: [{ id: 1, self: "https://x", object: { title: "Design", url: "https://design.example/1" } }],
    };
  return { json: shown(asked, key, issue, server.url) };
}

function shown(asked: Asked, key: string, issue: JiraIssue, url: string): object {
  const { summary, description, criteria, status, priority } = issue;
  const isGiven = (what: string) =>
    asked.method === "POST" || asked.query.getAll("expand").join().includes(what);
  return {
    id: "10001",
    key,
    self: `${url}/rest/api/3/issue/10001`,
    fields: {
      summary,
      issuetype: { name: "Story" },
      status: statusOf(status, url),
      priority: { name: priority, id: "3" },
      labels: ["list"],
      description: description === "" ? null : document("the document"),
      customfield_10042: criteria === undefined ? null : document("criteria"),
      issuelinks: linksOf(issue),
    },
    ...(isGiven("renderedFields")
      ? { renderedFields: { description, customfield_10042: criteria ?? null } }
      : {}),
    ...(isGiven("names") ? { names: { summary: "Summary", customfield_10042: "Acceptance Criteria" } } : {}),
  };
}

function linksOf({ blocks, blockedBy }: JiraIssue): readonly object[] {
  const type = { id: "1", name: "Blocks", inward: "is blocked by", outward: "blocks" };
  const fields = { summary: "The other one" };
  return [
    ...(blocks ? [{ id: "1", type, outwardIssue: { id: "2", key: blocks, fields } }] : []),
    ...blockedBy.map((key) => ({ id: "1", type, inwardIssue: { id: "2", key, fields } })),
  ];
}

function comments(asked: Asked, { comments: all }: JiraIssue, id: string | undefined): Answer {
  if (asked.method === "POST") {
    const { body } = JSON.parse(asked.body) as { body: unknown };
    all.push(String(body));
    return { status: 201, json: { id: String(all.length), body } };
  }
  const each = all.map((renderedBody, at) => ({
    id: String(at + 1),
    author: { accountId: "1", displayName: "Ann" },
    created: "2026-01-02T03:04:05.000+0000",
    body: document(renderedBody),
    renderedBody,
  }));
  if (id !== undefined) return { json: each.find((comment) => comment.id === id) };
  const startAt = Number(asked.query.get("startAt") ?? 0);
  const maxResults = Math.min(Number(asked.query.get("maxResults") ?? 50), 100);
  const page = each.slice(startAt, startAt + maxResults);
  return { json: { startAt, maxResults, total: all.length, comments: page } };
}

function transitions(asked: Asked, issue: JiraIssue, url: string): Answer {
  if (asked.method === "GET")
    return {
      json: {
        expand: "transitions",
        transitions: STATUSES.map((name, at) => ({
          id: String(at + FIRST_TRANSITION),
          name: `To ${name}`,
          hasScreen: false,
          isGlobal: true,
          to: statusOf(name, url),
        })),
      },
    };
  const { transition } = JSON.parse(asked.body) as { transition?: { id?: string } };
  const status = STATUSES[Number(transition?.id) - FIRST_TRANSITION];
  const illegal = ["It seems that you have tried to perform an illegal workflow operation."];
  if (status === undefined) return { status: 400, json: { errorMessages: illegal, errors: {} } };
  issue.status = status;
  return { status: 204 };
}

function statusOf(name: string, url: string): object {
  const key = CATEGORIES[name];
  const id = key === "new" ? 2 : key === "done" ? 3 : 4;
  const category = { id, key, colorName: "blue-gray", name, self: `${url}/rest/api/3/statuscategory/${id}` };
  return { self: `${url}/rest/api/3/status/${id}`, name, id: String(id), statusCategory: category };
}

/** The issues of the project that are not done, page by page. */
function found(asked: Asked, { issues, pageSize, url }: JiraServer): object {
  const body = JSON.parse(asked.body) as { readonly jql?: string; readonly nextPageToken?: string };
  const project = /project = "([^"]+)"/.exec(String(body.jql))?.[1];
  const open = [...issues].filter(
    ([key, { status }]) => status !== "Done" && (project === undefined || key.startsWith(`${project}-`)),
  );
  const start = Number(body.nextPageToken ?? 0);
  const end = start + pageSize;
  return {
    issues: open.slice(start, end).map(([key, issue]) => shown(asked, key, issue, url)),
    isLast: end >= open.length,
    ...(end < open.length && { nextPageToken: String(end) }),
  };
}

function document(text: string): object {
  return { type: "doc", version: 1, content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
}
