/**
 * GitHub's API as opening and watching a pull request needs it: one open pull request per head and base, the head's
 * commit as long as it is open, its checks and statuses, and what reviewers say.
 */
import type { Answered } from "./github-types.ts";
import { type Answer, Loopback, type LoopbackRequest } from "./loopback.ts";
import {
  type CheckRun,
  FORGE_TOKEN,
  type GivenComment,
  type GivenReview,
  type Pull,
  PullServer,
  paged,
  refOf,
  TIME,
} from "./pull-server.ts";

/** Where GitHub sends on who asks for a log. */
export class LogHost extends Loopback {
  readonly logs = new Map<string, string>();

  static async open(): Promise<LogHost> {
    const host: LogHost = new LogHost(({ path }) => {
      const text = host.logs.get(path.slice(1));
      return text === undefined ? { status: 404 } : { text };
    });
    return host.listen();
  }
}

export class PullRequestServer extends PullServer {
  readonly statuses: { readonly sha: string; readonly context: string; readonly state: string }[] = [];
  logHost = "";

  static async open(repository: string): Promise<PullRequestServer> {
    const server: PullRequestServer = new PullRequestServer((asked) => server.reply(asked, repository));
    return server.listen();
  }

  get opened(): number {
    return this.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/pulls")).length;
  }

  get environment(): Readonly<Record<string, string>> {
    return { GITHUB_API_URL: this.url, GITHUB_TOKEN: FORGE_TOKEN };
  }

  private reply(asked: LoopbackRequest, repository: string): Answer {
    if (!/^(token|bearer) forge_token$/i.test(asked.headers.authorization ?? ""))
      return { status: 401, json: { message: "Bad credentials" } };
    if (asked.path === "/graphql") return this.threads();
    const former = this.former.find((each) => `${asked.path}/`.startsWith(`/repos/${each}/`));
    if (former !== undefined) {
      const location = `${this.url}/repositories/1${asked.path.slice(`/repos/${former}`.length)}?${asked.query}`;
      const status = asked.method === "GET" ? 301 : 307;
      return { status, headers: { location }, json: { message: "Moved Permanently", url: location } };
    }
    const path = asked.path.replace(/^\/repositories\/1(?=\/|$)/, `/repos/${repository}`);
    const named = path.slice("/repos/".length);
    if (named === repository) return { json: { id: 1, full_name: repository } };
    if (this.forks.includes(named)) return { json: { id: 2 + this.forks.indexOf(named), full_name: named } };
    if (this.forks.some((fork) => named === `${fork}/pulls`)) return { json: [] };
    return this.replyIn({ ...asked, path }, repository);
  }

  private replyIn(asked: LoopbackRequest, repository: string): Answer {
    const own = `/repos/${repository}/pulls`;
    if (asked.path === own)
      return asked.method === "POST" ? this.create(asked, repository) : this.list(asked, repository);
    const about = this.about(asked, `/repos/${repository}`);
    if (about) return about;
    const pull = this.pulls.find(({ number }) => asked.path === `${own}/${number}`);
    return pull ? { json: this.shown(pull, repository) } : { status: 404, json: { message: "Not Found" } };
  }

  /** What stands against a pull request. */
  private about({ path, query }: LoopbackRequest, own: string): Answer | null {
    const at = { size: Number(query.get("per_page") ?? 30), page: Number(query.get("page") ?? 1) };
    const [, sha, what] = /\/commits\/(\w+)\/(check-runs|status)$/.exec(path) ?? [];
    if (what === "check-runs") {
      const runs = this.checks.filter((each) => each.sha === sha).map(shownCheck);
      return paged(runs, at, (check_runs) => ({ total_count: runs.length, check_runs }));
    }
    if (what === "status") {
      const statuses = this.statuses
        .filter((each) => each.sha === sha)
        .map(({ context, state }) => ({
          context,
          state,
          description: `${context} says ${state}`,
          target_url: null,
        }));
      return paged(statuses, at, (shown) => ({ state: "x", total_count: statuses.length, statuses: shown }));
    }
    const job = path.startsWith(`${own}/actions/jobs/`) ? /(\d+)\/logs$/.exec(path)?.[1] : undefined;
    if (job) return { status: 302, headers: { location: `${this.logHost}/${job}` } };
    if (/\/pulls\/\d+\/reviews$/.test(path)) return paged(this.reviews.map(shownReview), at);
    if (/\/pulls\/\d+\/comments$/.test(path)) return paged(this.comments.flatMap(shownComment), at);
    if (/\/issues\/\d+\/comments$/.test(path)) return paged(this.said.map(shownAnswers), at);
    return null;
  }

  private threads(): Answer {
    const nodes = this.comments.map(({ resolved = false }, at) => ({
      isResolved: resolved,
      comments: { nodes: [{ databaseId: at + 1 }] },
    }));
    const reviewThreads = { pageInfo: { hasNextPage: false, endCursor: null }, nodes };
    return { json: { data: { repository: { pullRequest: { reviewThreads } } } } };
  }

  private list({ query }: LoopbackRequest, repository: string): Answer {
    const owner = repository.split("/")[0];
    const state = query.get("state") ?? "open";
    const found = this.pulls.filter(
      (pull) =>
        (state === "all" || pull.state === state) &&
        (!query.has("head") || query.get("head") === ownedHead(pull.head, owner)) &&
        (!query.has("base") || query.get("base") === pull.base),
    );
    // The newest first, as GitHub does it.
    return { json: found.map((pull) => this.shown(pull, repository)).reverse() };
  }

  private create(asked: LoopbackRequest, repository: string): Answer {
    const { title, body, head, base } = JSON.parse(asked.body) as Record<string, string>;
    const problem = (message: string): Answer => ({
      status: 422,
      json: { message: "Validation Failed", errors: [{ resource: "PullRequest", code: "custom", message }] },
    });
    if (!title || !head || !base) return problem("missing field");
    if (this.openOne(head, base)) return problem(`A pull request already exists for acme:${head}.`);
    const sha = this.heads(refOf(head));
    if (sha === null) return problem("head is invalid");
    if (refOf(head).startsWith("empty") || sha === this.heads(base))
      return problem(`No commits between ${base} and ${head}`);
    return { status: 201, json: this.shown(this.add(head, base, title, body ?? ""), repository) };
  }

  private shown(pull: Pull, repository: string): object {
    const { number, title, body, state, merged } = pull;
    return {
      number,
      title,
      body,
      state,
      html_url: `https://github.com/${repository}/pull/${number}`,
      mergeable: this.mergeable,
      merged_at: merged ? "2026-01-01T00:00:00Z" : null,
      head: { ref: refOf(pull.head), sha: this.headOf(pull) },
      base: { ref: pull.base },
    } satisfies Answered<"pulls", "get">;
  }
}

function shownCheck({ app = "github-actions", conclusion, id, name, summary = "" }: CheckRun): object {
  return {
    ...{ id, name, conclusion, app: { slug: app } },
    status: conclusion === null ? "in_progress" : "completed",
    html_url: `https://github.com/checks/${id}`,
    details_url: null,
    output: { title: null, summary, text: null },
  } satisfies Answered<"checks", "get">;
}

const page = (what: string) => `https://github.com/acme/app/pull/1#${what}`;

function userOf(login: string) {
  return { login, type: login.endsWith("[bot]") ? "Bot" : "User" };
}

function shownReview({ body, id, isStranger, login, state }: GivenReview): object {
  return {
    ...{ id, body, state, user: userOf(login), html_url: page(`review-${id}`), submitted_at: TIME },
    author_association: isStranger ? "NONE" : "MEMBER",
  } satisfies Answered<"pulls", "listReviews">;
}

function shownComment(given: GivenComment, at: number): readonly object[] {
  const { answer, body, hunk = "", isFormer, isOutdated, line, path, review, start, startsFormer } = given;
  const id = at + 1;
  const about = {
    pull_request_review_id: review,
    path,
    // The description has no null here, but GitHub answers with it.
    line: (isOutdated ? null : line) as number,
    original_line: line ?? 1,
    start_line: isOutdated ? null : (start ?? null),
    original_start_line: start ?? null,
    side: isFormer ? "LEFT" : "RIGHT",
    start_side: start === undefined ? null : isFormer || startsFormer ? "LEFT" : "RIGHT",
    subject_type: "line",
    diff_hunk: hunk,
    created_at: TIME,
  } satisfies Answered<"pulls", "listReviewComments">;
  const first = { id, body, user: userOf("ann"), html_url: page(`r${id}`), ...about };
  const said = answer && { body: answer.body, user: userOf(answer.login), html_url: page(`r${id}a`) };
  return [first, ...(said ? [{ id: id + 1000, ...said, ...about, in_reply_to_id: id }] : [])];
}

function shownAnswers({ body, login }: PullServer["said"][number], at: number): object {
  return {
    ...{ body, user: userOf(login), html_url: page(`c${at}`), created_at: TIME },
  } satisfies Answered<"issues", "listComments">;
}

function ownedHead(head: string, owner: string | undefined): string {
  return head.includes(":") ? head : `${owner}:${head}`;
}
