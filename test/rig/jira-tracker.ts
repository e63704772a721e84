/**
 * Jira's platform API on loopback, as far as Pawl asks it: the shapes, codes and refusals of the documented endpoints
 * (issue, search/jql, transitions, comment). State is kept; a transition moves the issue.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface JiraIssue {
  readonly key: string;
  summary: string;
  /** As the site renders it: HTML. */
  html: string;
  status: string;
  priority: string;
  readonly blockedBy: readonly string[];
}

const CATEGORIES: Readonly<Record<string, string>> = {
  "To Do": "new",
  "In Progress": "indeterminate",
  Done: "done",
};
const STATUSES = Object.keys(CATEGORIES);

export class JiraTracker {
  readonly issues = new Map<string, JiraIssue>();
  readonly comments: { readonly key: string; readonly body: string }[] = [];
  /** `METHOD path`, in order. */
  readonly asked: string[] = [];
  pageSize = 100;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(): Promise<JiraTracker> {
    const server = new JiraTracker();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get host(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get environment(): Record<string, string> {
    return { JIRA_HOST: this.host, JIRA_EMAIL: "dev@example.com", JIRA_API_TOKEN: "right" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  add(key: string, more: Partial<JiraIssue> = {}): JiraIssue {
    const issue = {
      key,
      summary: `Issue ${key}`,
      html: "",
      status: "To Do",
      priority: "Medium",
      blockedBy: [],
      ...more,
    };
    this.issues.set(key, issue);
    return issue;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.host);
    this.asked.push(`${request.method} ${url.pathname}`);
    const send = (code: number, body?: unknown) => {
      response.writeHead(code, { "content-type": "application/json;charset=UTF-8" });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    };
    const expected = `Basic ${Buffer.from("dev@example.com:right").toString("base64")}`;
    if (request.headers.authorization !== expected)
      return send(401, { errorMessages: ["Client must be authenticated to access this resource."] });
    const body = await bodyOf(request);
    const [, version, resource, key, sub, id] =
      /^\/rest\/api\/([23])\/(\w+)\/([^/]+)(?:\/(\w+))?(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    if (resource === "search" && key === "jql") return send(200, this.#search(body));
    const issue =
      resource === "issue" ? this.issues.get(decodeURIComponent(key ?? "").toUpperCase()) : undefined;
    if (!issue)
      return send(404, {
        errorMessages: ["Issue does not exist or you do not have permission to see it."],
        errors: {},
      });
    if (sub === undefined) return send(200, this.#render(issue));
    if (sub === "transitions" && request.method === "GET")
      return send(200, {
        expand: "transitions",
        transitions: STATUSES.map((name, index) => this.#transition(name, index)),
      });
    if (sub === "transitions") {
      const status = STATUSES[Number((body.transition as { id?: string } | undefined)?.id) - 11];
      if (status === undefined)
        return send(400, {
          errorMessages: ["It seems that you have tried to perform an illegal workflow operation."],
          errors: {},
        });
      issue.status = status;
      response.writeHead(204);
      return void response.end();
    }
    if (sub === "comment" && request.method === "POST" && version === "2") {
      this.comments.push({ key: issue.key, body: String(body.body) });
      return send(201, { id: String(this.comments.length), body: body.body });
    }
    const comments = this.comments
      .map((comment, index) => ({ ...comment, id: String(index + 1) }))
      .filter((comment) => comment.key === issue.key)
      .map((comment) => ({
        id: comment.id,
        body: document(comment.body),
        created: "2026-01-01T00:00:00.000+0000",
      }));
    if (sub === "comment" && id !== undefined)
      return send(
        200,
        comments.find((comment) => comment.id === id),
      );
    return send(200, { startAt: 0, maxResults: 100, total: comments.length, comments });
  }

  #transition(name: string, index: number) {
    return {
      id: String(index + 11),
      name: `To ${name}`,
      hasScreen: false,
      isGlobal: true,
      to: this.#status(name),
    };
  }

  #status(name: string) {
    const id = CATEGORIES[name] === "new" ? 2 : CATEGORIES[name] === "done" ? 3 : 4;
    return {
      self: `${this.host}/rest/api/3/status/${id}`,
      name,
      id: String(id),
      statusCategory: {
        self: `${this.host}/rest/api/3/statuscategory/${id}`,
        id,
        key: CATEGORIES[name],
        colorName: "blue-gray",
        name,
      },
    };
  }

  #render(issue: JiraIssue) {
    return {
      id: "10001",
      key: issue.key,
      self: `${this.host}/rest/api/3/issue/10001`,
      fields: {
        summary: issue.summary,
        description: issue.html === "" ? null : document(issue.html),
        status: this.#status(issue.status),
        priority: { name: issue.priority, id: "3" },
        issuelinks: issue.blockedBy.map((key) => ({
          id: "1",
          type: { id: "1", name: "Blocks", inward: "is blocked by", outward: "blocks" },
          inwardIssue: { id: "2", key },
        })),
      },
      renderedFields: { description: issue.html },
    };
  }

  #search(body: Record<string, unknown>) {
    const jql = String(body.jql);
    const project = /project = "([^"]+)"/.exec(jql)?.[1];
    const found = [...this.issues.values()].filter(
      ({ key, status }) => status !== "Done" && (project === undefined || key.startsWith(`${project}-`)),
    );
    const start = Number(body.nextPageToken ?? 0);
    const page = found.slice(start, start + this.pageSize);
    const isLast = start + this.pageSize >= found.length;
    return {
      issues: page.map((issue) => this.#render(issue)),
      isLast,
      ...(!isLast && { nextPageToken: String(start + this.pageSize) }),
    };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

const document = (text: string) => ({
  type: "doc",
  version: 1,
  content: [{ type: "paragraph", content: [{ type: "text", text }] }],
});
