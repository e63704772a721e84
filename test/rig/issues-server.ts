/** GitHub's issues: pages by Link header, one issue, and its state. */
import { type Answer, type Asked, Loopback } from "./loopback.ts";

export interface ServedIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly pull_request?: object;
  state: "open" | "closed";
  state_reason: string | null;
}

export class IssuesServer extends Loopback {
  static async open(repository: string, issues: readonly ServedIssue[]): Promise<IssuesServer> {
    const server: IssuesServer = new IssuesServer((asked) => answerTo(asked, server.url, repository, issues));
    return server.listen();
  }
}

function answerTo(asked: Asked, url: string, repository: string, issues: readonly ServedIssue[]): Answer {
  if (!/^(token|bearer) ghp_token$/i.test(asked.headers.authorization ?? ""))
    return { status: 401, json: { message: "Bad credentials" } };
  const base = `/repos/${repository}/issues`;
  if (asked.path === base && asked.method === "GET") return page(asked, `${url}${base}`, repository, issues);
  const issue = issues.find(({ number }) => asked.path === `${base}/${number}`);
  if (!issue) return { status: 404, json: { message: "Not Found" } };
  if (asked.method === "PATCH") {
    const { state, state_reason } = JSON.parse(asked.body) as ServedIssue;
    // GitHub has a reason of its own for each state.
    const reason = state === "closed" ? (state_reason ?? "completed") : "reopened";
    Object.assign(issue, { state, state_reason: reason });
  }
  return { json: shown(issue, repository) };
}

function page(asked: Asked, url: string, repository: string, issues: readonly ServedIssue[]): Answer {
  const size = Number(asked.query.get("per_page") ?? 30);
  const at = Number(asked.query.get("page") ?? 1);
  const wanted = asked.query.get("state") ?? "open";
  const all = issues.filter(({ state }) => wanted === "all" || state === wanted);
  const last = Math.ceil(all.length / size);
  const link =
    at < last ? { link: `<${url}?page=${at + 1}>; rel="next", <${url}?page=${last}>; rel="last"` } : {};
  return {
    json: all.slice((at - 1) * size, at * size).map((each) => shown(each, repository)),
    headers: link,
  };
}

function shown(issue: ServedIssue, repository: string): object {
  return { ...issue, html_url: `https://github.com/${repository}/issues/${issue.number}`, labels: [] };
}
