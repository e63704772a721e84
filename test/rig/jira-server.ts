/**
 * Jira's REST API on loopback, as far as Pawl asks it: the shapes, codes and refusals of the documented endpoints (issue,
 * search, transitions, comment, remotelink, serverInfo), of the Cloud (versions 2 and 3) or of a Data Center (version 2,
 * texts in wiki markup, personal access tokens and passwords). State is kept; a transition moves the issue. Compared with
 * the Cloud's description in jira.js 6.2, with Atlassian's pages on limits and logins, and with what clients of both have
 * recorded: to a login that Jira does not know it answers as to a stranger.
 */
import { type Answer, Loopback, type LoopbackRequest } from "./loopback.ts";

export const ATLASSIAN = { email: "ann@acme.example", token: "api-token" } as const;

/** What a Data Center lets in, below its context path. */
export const DATA_CENTER = {
  path: "/jira",
  user: "jdoe",
  password: "pa:ss wörd",
  token: "personal-token",
} as const;

export const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

const AUTHORIZATION = basic(ATLASSIAN.email, ATLASSIAN.token);

export interface JiraIssue {
  summary: string;
  status: string;
  /** HTML, as `renderedFields` gives it. */
  readonly description: string;
  /** Of the Cloud: a document in Atlassian's format; empty unless given. */
  readonly document?: object;
  /** Of a Data Center, which then renders nothing. */
  readonly markup?: string;
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
  isDataCenter = false;

  static async open(
    issues: Readonly<Record<string, Partial<JiraIssue>>> = {},
    { isDataCenter = false } = {},
  ): Promise<JiraServer> {
    const server: JiraServer = new JiraServer((asked) =>
      isDataCenter ? answerOfDataCenter(asked, server) : answerTo(asked, server),
    );
    server.isDataCenter = isDataCenter;
    for (const [key, issue] of Object.entries(issues)) server.add(key, issue);
    return server.listen();
  }

  get environment(): Record<string, string> {
    if (this.isDataCenter)
      return { JIRA_BASE_URL: `${this.url}${DATA_CENTER.path}/`, ATLASSIAN_API_TOKEN: DATA_CENTER.token };
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

export function isAtlassianUser({ headers }: LoopbackRequest): boolean {
  return headers.authorization === AUTHORIZATION;
}

const ENDPOINT = /^\/rest\/api\/[23]\/issue\/([^/]+)(?:\/(comment|remotelink|transitions)(?:\/(\w+))?)?$/;

function answerTo(asked: LoopbackRequest, server: JiraServer): Answer {
  if (asked.headers.authorization?.startsWith("Bearer "))
    return { status: 403, json: { error: "Failed to parse Connect Session Auth Token" } };
  if (!isAtlassianUser(asked))
    return { ...toStranger(asked), headers: { "x-seraph-loginreason": "AUTHENTICATED_FAILED" } };
  if (/^\/rest\/api\/[23]\/serverInfo$/.test(asked.path)) return { json: CLOUD };
  if (/^\/rest\/api\/3\/search\/jql$/.test(asked.path)) return { json: found(asked, server) };
  return ofIssue(asked, server);
}

const CLOUD = { baseUrl: "https://acme.atlassian.net", deploymentType: "Cloud" };

function toStranger({ path }: LoopbackRequest): Answer {
  if (path.endsWith("/serverInfo")) return { json: CLOUD };
  if (path.endsWith("/search/jql")) return { json: { issues: [], isLast: true } };
  return { status: 404, json: { errorMessages: [MISSING], errors: {} } };
}

const MISSING = "Issue does not exist or you do not have permission to see it.";

/** In every answer to a user whom a limit is set for. */
const LIMITS = {
  "x-ratelimit-limit": "50",
  "x-ratelimit-remaining": "49",
  "x-ratelimit-interval-seconds": "60",
  "x-ratelimit-fillrate": "50",
  "retry-after": "0",
};

const UNAUTHORIZED = `<html><head><title>Unauthorized (401)</title></head>
<body><p>Basic Authentication Failure - Reason : AUTHENTICATED_FAILED</p></body></html>`;

/** Where it serves nothing, a Data Center answers in XML; a page to sign in stands at the root. */
function answerOfDataCenter(asked: LoopbackRequest, server: JiraServer): Answer {
  const { authorization } = asked.headers;
  const { password, path: root, token, user } = DATA_CENTER;
  if (!asked.path.startsWith(`${root}/rest/api/2/`))
    return { status: 404, headers: { "content-type": "application/xml" }, json: "null for uri" };
  const path = asked.path.slice(root.length);
  if (path === "/rest/api/2/serverInfo") return { json: { deploymentType: "Server", version: "9.12.0" } };
  if (authorization?.startsWith("Basic ") && authorization !== basic(user, password))
    return {
      status: 401,
      headers: {
        "www-authenticate": 'OAuth realm="x"',
        "x-seraph-loginreason": "AUTHENTICATED_FAILED",
        "content-type": "text/html;charset=UTF-8",
      },
      text: UNAUTHORIZED,
    };
  // A token that it does not know leaves the request to nobody.
  if (!authorization?.startsWith("Basic ") && authorization !== `Bearer ${token}`)
    return { ...ofDataCenterToStranger(path), headers: { "x-ausername": "anonymous" } };
  const answer =
    path === "/rest/api/2/search"
      ? { json: foundByStart(asked, server) }
      : ofIssue({ ...asked, path }, server);
  return { ...answer, headers: { "x-ausername": user, "x-seraph-loginreason": "OK", ...LIMITS } };
}

function ofDataCenterToStranger(path: string): Answer {
  const said = ["The value 'WEB' does not exist for the field 'project'."];
  if (path === "/rest/api/2/search") return { status: 400, json: { errorMessages: said, errors: {} } };
  const refused = ["You do not have the permission to see the specified issue.", "Login Required"];
  return { status: 401, json: { errorMessages: refused, errors: {} } };
}

function ofIssue(asked: LoopbackRequest, server: JiraServer): Answer {
  const [, name = "", part, id] = ENDPOINT.exec(asked.path) ?? [];
  const key = name.toUpperCase();
  const issue = server.issues.get(key);
  if (!issue) return { status: 404, json: { errorMessages: [MISSING], errors: {} } };
  if (part === "comment") return comments(asked, issue, id, server);
  if (part === "transitions") return transitions(asked, issue, server.url);
  if (part === "remotelink")
    return {
      json: [{ id: 1, self: "https://x", object: { title: "Design", url: "https://design.example/1" } }],
    };
  return { json: shown(asked, key, issue, server) };
}

function shown(
  asked: LoopbackRequest,
  key: string,
  issue: JiraIssue,
  { isDataCenter, url }: JiraServer,
): object {
  const { summary, description, criteria, status, priority } = issue;
  const asks = asked.query.get("fields") ?? String(jsonIn(asked).fields ?? "*all");
  const isAsked = ([name]: readonly [string, unknown]) =>
    ["*all", name].some((each) => asks.split(",").includes(each));
  const expanded = String(jsonIn(asked).expand ?? asked.query.getAll("expand")).split(",");
  const isGiven = (what: string) => expanded.includes(what);
  return {
    id: "10001",
    key,
    self: `${url}/rest/api/3/issue/10001`,
    fields: Object.fromEntries(
      Object.entries({
        summary,
        issuetype: { name: "Story" },
        status: statusOf(status, url),
        priority: { name: priority, id: "3" },
        labels: ["list"],
        description: isDataCenter ? (issue.markup ?? null) : (issue.document ?? EMPTY),
        customfield_10042: criteria === undefined ? null : EMPTY,
        issuelinks: linksOf(issue),
      }).filter(isAsked),
    ),
    ...(isGiven("renderedFields")
      ? {
          renderedFields: {
            description: issue.markup === undefined ? description : null,
            customfield_10042: criteria ?? null,
          },
        }
      : {}),
    ...(isGiven("names") ? { names: { summary: "Summary", customfield_10042: "Acceptance Criteria" } } : {}),
  };
}

function jsonIn({ body }: LoopbackRequest): Readonly<Record<string, unknown>> {
  return body === "" ? {} : JSON.parse(body);
}

function linksOf({ blocks, blockedBy }: JiraIssue): readonly object[] {
  const type = { id: "1", name: "Blocks", inward: "is blocked by", outward: "blocks" };
  const fields = { summary: "The other one" };
  return [
    ...(blocks ? [{ id: "1", type, outwardIssue: { id: "2", key: blocks, fields } }] : []),
    ...blockedBy.map((key) => ({ id: "1", type, inwardIssue: { id: "2", key, fields } })),
  ];
}

function comments(
  asked: LoopbackRequest,
  { comments: all }: JiraIssue,
  id: string | undefined,
  { isDataCenter }: JiraServer,
): Answer {
  if (asked.method === "POST") {
    const { body } = JSON.parse(asked.body) as { body: unknown };
    all.push(String(body));
    return { status: 201, json: { id: String(all.length), body } };
  }
  const each = all.map((renderedBody, at) => ({
    id: String(at + 1),
    author: { accountId: "1", displayName: "Ann" },
    created: "2026-01-02T03:04:05.000+0000",
    body: isDataCenter ? renderedBody : documentOf(renderedBody),
    renderedBody,
  }));
  if (id !== undefined) return { json: each.find((comment) => comment.id === id) };
  const startAt = Number(asked.query.get("startAt") ?? 0);
  const maxResults = Math.min(Number(asked.query.get("maxResults") ?? 50), 100);
  const page = each.slice(startAt, startAt + maxResults);
  return { json: { startAt, maxResults, total: all.length, comments: page } };
}

function transitions(asked: LoopbackRequest, issue: JiraIssue, url: string): Answer {
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

/** The issues of the project that are not done. */
function openIn(jql: string, { issues }: JiraServer) {
  const project = /project = "([^"]+)"/.exec(jql)?.[1];
  return [...issues].filter(
    ([key, { status }]) => status !== "Done" && (project === undefined || key.startsWith(`${project}-`)),
  );
}

/** The Cloud's pages follow one another by a token. */
function found(asked: LoopbackRequest, server: JiraServer): object {
  const body = JSON.parse(asked.body) as { readonly jql?: string; readonly nextPageToken?: string };
  const open = openIn(String(body.jql), server);
  const start = Number(body.nextPageToken ?? 0);
  const end = start + server.pageSize;
  return {
    issues: open.slice(start, end).map(([key, issue]) => shown(asked, key, issue, server)),
    isLast: end >= open.length,
    nextPageToken: end < open.length ? String(end) : null,
  };
}

/** A Data Center's begin at a number. */
function foundByStart(asked: LoopbackRequest, server: JiraServer): object {
  const open = openIn(String(asked.query.get("jql")), server);
  const startAt = Number(asked.query.get("startAt") ?? 0);
  const maxResults = Math.min(Number(asked.query.get("maxResults") ?? 50), server.pageSize);
  const page = open.slice(startAt, startAt + maxResults);
  const issues = page.map(([key, issue]) => shown(asked, key, issue, server));
  return { startAt, maxResults, total: open.length, issues };
}

const EMPTY = { type: "doc", version: 1, content: [] };

/** Of a comment that was sent as plain text; of HTML it has none. */
function documentOf(text: string): object {
  if (text.startsWith("<")) return EMPTY;
  return { ...EMPTY, content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
}
