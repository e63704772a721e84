/** Jira Cloud's REST API, version 3, as reading an issue needs it. */
import { type Answer, type Asked, Loopback } from "./loopback.ts";

export const ATLASSIAN = { email: "ann@acme.example", token: "api-token" } as const;

const AUTHORIZATION = `Basic ${Buffer.from(`${ATLASSIAN.email}:${ATLASSIAN.token}`).toString("base64")}`;

export interface JiraIssue {
  readonly summary: string;
  /** HTML, as `renderedFields` gives it. */
  readonly description: string;
  readonly criteria?: string;
  /** HTML of each comment. */
  readonly comments?: readonly string[];
  readonly blocks?: string;
}

export class JiraServer extends Loopback {
  static async open(issues: Readonly<Record<string, JiraIssue>>): Promise<JiraServer> {
    const server = new JiraServer((asked) => answerTo(asked, issues));
    return server.listen();
  }
}

export function isAtlassianUser({ headers }: Asked): boolean {
  return headers.authorization === AUTHORIZATION;
}

function answerTo(asked: Asked, issues: Readonly<Record<string, JiraIssue>>): Answer {
  if (!isAtlassianUser(asked)) return { status: 401, json: { message: "Client must be authenticated" } };
  const [, key = "", part] =
    /^\/rest\/api\/3\/issue\/([^/]+)(?:\/(comment|remotelink))?$/.exec(asked.path) ?? [];
  const issue = issues[key];
  const missing = ["Issue does not exist or you do not have permission to see it."];
  if (!issue) return { status: 404, json: { errorMessages: missing, errors: {} } };
  if (part === "comment") return comments(asked, issue);
  if (part === "remotelink")
    return {
      json: [{ id: 1, self: "https://x", object: { title: "Design", url: "https://design.example/1" } }],
    };
  return { json: shown(asked, key, issue) };
}

function shown(asked: Asked, key: string, issue: JiraIssue): object {
  const expand = (asked.query.getAll("expand").join(",") ?? "").split(",");
  return {
    id: "10001",
    key,
    self: `https://acme.atlassian.net/rest/api/3/issue/10001`,
    fields: {
      summary: issue.summary,
      issuetype: { name: "Story" },
      status: { name: "In Progress" },
      labels: ["list"],
      description: document("the document"),
      customfield_10042: issue.criteria === undefined ? null : document("criteria"),
      issuelinks: issue.blocks
        ? [
            {
              id: "1",
              type: { name: "Blocks", inward: "is blocked by", outward: "blocks" },
              outwardIssue: { key: issue.blocks, fields: { summary: "The other one" } },
            },
          ]
        : [],
    },
    ...(expand.includes("renderedFields")
      ? { renderedFields: { description: issue.description, customfield_10042: issue.criteria ?? null } }
      : {}),
    ...(expand.includes("names")
      ? { names: { summary: "Summary", customfield_10042: "Acceptance Criteria" } }
      : {}),
  };
}

function comments(asked: Asked, { comments: all = [] }: JiraIssue): Answer {
  const startAt = Number(asked.query.get("startAt") ?? 0);
  const maxResults = Math.min(Number(asked.query.get("maxResults") ?? 50), 100);
  const page = all.slice(startAt, startAt + maxResults).map((renderedBody, at) => ({
    id: String(startAt + at),
    author: { accountId: "1", displayName: "Ann" },
    created: "2026-01-02T03:04:05.000+0000",
    body: document("the document"),
    renderedBody,
  }));
  return { json: { startAt, maxResults, total: all.length, comments: page } };
}

function document(text: string): object {
  return { type: "doc", version: 1, content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
}
