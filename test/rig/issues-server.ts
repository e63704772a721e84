/** GitHub's issues: pages by Link header, one issue, its state, labels, comments, and what blocks it. */
import type { Answered } from "./github-types.ts";
import { type Answer, Loopback, type LoopbackRequest } from "./loopback.ts";

export interface ServedIssue {
  readonly number: number;
  title: string;
  readonly body: string | null;
  readonly pull_request?: object;
  state: "open" | "closed";
  state_reason: string | null;
  readonly labels?: string[];
  readonly comments?: string[];
  readonly blockedBy?: readonly number[];
}

interface ServedRepository {
  readonly repository: string;
  readonly url: string;
  readonly issues: readonly ServedIssue[];
  /** The labels that the repository has. */
  readonly labels: readonly string[];
}

export class IssuesServer extends Loopback {
  static async open(
    repository: string,
    issues: readonly ServedIssue[],
    labels: readonly string[] = [],
  ): Promise<IssuesServer> {
    const server: IssuesServer = new IssuesServer(
      (asked) =>
        moved(asked, server) ??
        answerTo(
          present(asked, repository),
          { repository, url: server.url, issues, labels },
          server.pageSize,
        ),
    );
    return server.listen();
  }

  /** The most on a page. */
  pageSize = 100;
  /** What the repository was called before. */
  former = "";
}

/** GitHub knows a repository by its id, wherever it goes. */
function moved({ method, path, query }: LoopbackRequest, { former, url }: IssuesServer): Answer | null {
  const root = `/repos/${former}`;
  if (former === "" || !`${path}/`.startsWith(`${root}/`)) return null;
  const location = `${url}/repositories/1${path.slice(root.length)}?${query}`;
  return {
    status: method === "GET" ? 301 : 307,
    headers: { location },
    json: { message: "Moved Permanently" },
  };
}

function present(asked: LoopbackRequest, repository: string): LoopbackRequest {
  return { ...asked, path: asked.path.replace(/^\/repositories\/1(?=\/|$)/, `/repos/${repository}`) };
}

function answerTo(asked: LoopbackRequest, place: ServedRepository, most: number): Answer {
  if (!/^(token|bearer) ghp_token$/i.test(asked.headers.authorization ?? ""))
    return { status: 401, json: { message: "Bad credentials" } };
  const { issues, labels, repository } = place;
  const root = `/repos/${repository}`;
  if (asked.method === "GET" && asked.path === root) return { json: { id: 1, full_name: repository } };
  const base = `${root}/issues`;
  if (asked.method === "GET" && asked.path === `${root}/labels`)
    return page(asked, place, labels.map(labelled), most);
  if (asked.method === "GET" && asked.path === base) {
    const wanted = asked.query.get("state") ?? "open";
    const all = issues.filter(({ state }) => wanted === "all" || state === wanted);
    return page(
      asked,
      place,
      all.map((each) => shown(each, place)),
      most,
    );
  }
  const [, number, rest = ""] = /^\/(\d+)(?:\/(.*))?$/.exec(asked.path.slice(base.length)) ?? [];
  const issue = asked.path.startsWith(base) && issues.find((each) => String(each.number) === number);
  if (!issue) return { status: 404, json: { message: "Not Found" } };
  if (rest === "" && asked.method === "PATCH") changeState(issue, asked);
  return rest === "" ? { json: shown(issue, place) } : below(asked, rest, issue, place, most);
}

function changeState(issue: ServedIssue, { body }: LoopbackRequest): void {
  const { state, state_reason } = JSON.parse(body) as ServedIssue;
  // GitHub has a reason of its own for each state.
  const reason = state === "closed" ? (state_reason ?? "completed") : "reopened";
  Object.assign(issue, { state, state_reason: reason });
}

function below(
  asked: LoopbackRequest,
  rest: string,
  issue: ServedIssue,
  place: ServedRepository,
  most: number,
): Answer {
  const { blockedBy = [], comments = [], labels = [] } = issue;
  const [name, ...words] = rest.split("/");
  if (asked.method === "GET" && rest === "comments") return page(asked, place, comments.map(commented), most);
  if (asked.method === "POST" && rest === "comments") {
    comments.push(JSON.parse(asked.body).body);
    return { status: 201, json: commented(comments.at(-1) ?? "") };
  }
  if (asked.method === "GET" && rest === "dependencies/blocked_by") {
    const found = place.issues.filter(({ number }) => blockedBy.includes(number));
    return page(
      asked,
      place,
      found.map((each) => shown(each, place)),
      most,
    );
  }
  if (asked.method === "POST" && rest === "labels") {
    labels.push(...(JSON.parse(asked.body).labels as string[]));
    return { json: labels.map(labelled) };
  }
  const at = labels.indexOf(words.join("/"));
  if (asked.method === "DELETE" && name === "labels" && at >= 0) {
    labels.splice(at, 1);
    return { json: labels.map(labelled) };
  }
  return { status: 404, json: { message: "Not Found" } };
}

const labelled = (name: string) =>
  ({ id: 1, name, color: "ededed", default: false }) satisfies Answered<"issues", "listLabelsForRepo">;
const commented = (body: string) =>
  ({ id: 1, body, user: { login: "pawl" } }) satisfies Answered<"issues", "listComments">;

function page(
  asked: LoopbackRequest,
  { url }: ServedRepository,
  all: readonly object[],
  most: number,
): Answer {
  const size = Math.min(Number(asked.query.get("per_page") ?? 30), most);
  const at = Number(asked.query.get("page") ?? 1);
  const last = Math.ceil(all.length / size);
  const base = `${url}${asked.path}`;
  const link =
    at < last ? { link: `<${base}?page=${at + 1}>; rel="next", <${base}?page=${last}>; rel="last"` } : {};
  return { json: all.slice((at - 1) * size, at * size), headers: link };
}

function shown(
  { blockedBy, comments = [], labels = [], ...issue }: ServedIssue,
  { repository, url }: ServedRepository,
) {
  const { state_reason, ...given } = issue;
  return {
    ...given,
    state_reason: state_reason as "completed" | null,
    url: `${url}/repos/${repository}/issues/${issue.number}`,
    repository_url: `${url}/repos/${repository}`,
    html_url: `https://github.com/${repository}/issues/${issue.number}`,
    labels: labels.map(labelled),
    comments: comments.length,
    ...(blockedBy && {
      issue_dependencies_summary: { blocked_by: blockedBy.length, total_blocked_by: blockedBy.length },
    }),
  } satisfies Answered<"issues", "listForRepo">;
}
