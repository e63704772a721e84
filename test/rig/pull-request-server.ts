/**
 * GitHub's API as opening and watching a pull request needs it: one open pull request per head and base, the head's
 * commit as long as it is open, its checks and statuses, and what reviewers say.
 */
import { type Answer, type Asked, Loopback } from "./loopback.ts";

export const FORGE_TOKEN = "ghp_token";

export interface Pull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** `owner:branch` from a fork. */
  readonly head: string;
  readonly base: string;
  state: "open" | "closed";
  merged: boolean;
  /** The head's commit, kept once it is closed. */
  sha: string;
}

/** A check run, as GitHub Actions makes it unless `app` says otherwise. */
export interface CheckRun {
  readonly id: number;
  readonly name: string;
  readonly sha: string;
  readonly conclusion: string | null;
  readonly app?: string;
  readonly summary?: string;
}

export interface GivenReview {
  readonly id: number;
  readonly login: string;
  readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
  readonly body: string;
  readonly association?: string;
}

export interface GivenComment {
  readonly review: number;
  readonly path: string;
  /** Null: its lines have changed since. */
  readonly line: number | null;
  readonly body: string;
}

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

/** The commit of a branch in the forge's repository, or null. */
export type Heads = (branch: string) => string | null;

export class PullRequestServer extends Loopback {
  readonly pulls: Pull[] = [];
  readonly checks: CheckRun[] = [];
  readonly statuses: { readonly sha: string; readonly context: string; readonly state: string }[] = [];
  readonly reviews: GivenReview[] = [];
  readonly comments: GivenComment[] = [];
  /** Null: GitHub is still finding out. */
  mergeable: boolean | null = true;
  logHost = "";
  /** Made of the branch's name where no repository is behind the forge. */
  heads: Heads = (branch) => Buffer.from(branch).toString("hex").padEnd(40, "0").slice(0, 40);

  static async open(repository: string): Promise<PullRequestServer> {
    const server: PullRequestServer = new PullRequestServer((asked) => server.reply(asked, repository));
    return server.listen();
  }

  /** A person's doing, on the forge's page. */
  close(number: number, how: "merged" | "closed"): void {
    const pull = this.pulls.find((each) => each.number === number);
    if (pull?.state !== "open") throw new Error(`#${number} is not open`);
    Object.assign(pull, {
      sha: this.heads(refOf(pull.head)) ?? pull.sha,
      state: "closed",
      merged: how === "merged",
    });
  }

  reopen(number: number): void {
    const pull = this.pulls.find((each) => each.number === number);
    if (pull?.state !== "closed" || pull.merged) throw new Error(`#${number} cannot be reopened`);
    pull.state = "open";
  }

  get opened(): number {
    return this.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/pulls")).length;
  }

  private reply(asked: Asked, repository: string): Answer {
    if (!/^(token|bearer) ghp_token$/i.test(asked.headers.authorization ?? ""))
      return { status: 401, json: { message: "Bad credentials" } };
    const own = `/repos/${repository}/pulls`;
    if (asked.path === own)
      return asked.method === "POST" ? this.create(asked, repository) : this.list(asked, repository);
    const about = this.about(asked, `/repos/${repository}`);
    if (about) return about;
    const pull = this.pulls.find(({ number }) => asked.path === `${own}/${number}`);
    return pull ? { json: this.shown(pull, repository) } : { status: 404, json: { message: "Not Found" } };
  }

  /** What stands against a pull request. */
  private about({ path, query }: Asked, own: string): Answer | null {
    const [, sha, what] = /\/commits\/(\w+)\/(check-runs|status)$/.exec(path) ?? [];
    if (what === "check-runs") {
      const runs = this.checks.filter((each) => each.sha === sha).map(shownCheck);
      return paged(runs, query, (check_runs) => ({ total_count: runs.length, check_runs }));
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
      return paged(statuses, query, (shown) => ({
        state: "x",
        total_count: statuses.length,
        statuses: shown,
      }));
    }
    const job = path.startsWith(`${own}/actions/jobs/`) ? /(\d+)\/logs$/.exec(path)?.[1] : undefined;
    if (job) return { status: 302, headers: { location: `${this.logHost}/${job}` } };
    if (/\/pulls\/\d+\/reviews$/.test(path)) return paged(this.reviews.map(shownReview), query);
    if (/\/pulls\/\d+\/comments$/.test(path)) return paged(this.comments.map(shownComment), query);
    return null;
  }

  private list({ query }: Asked, repository: string): Answer {
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

  private create(asked: Asked, repository: string): Answer {
    const { title, body, head, base } = JSON.parse(asked.body) as Record<string, string>;
    const problem = (message: string): Answer => ({
      status: 422,
      json: { message: "Validation Failed", errors: [{ resource: "PullRequest", code: "custom", message }] },
    });
    if (!title || !head || !base) return problem("missing field");
    if (this.pulls.some((pull) => pull.state === "open" && pull.head === head && pull.base === base))
      return problem(`A pull request already exists for acme:${head}.`);
    const sha = this.heads(refOf(head));
    if (sha === null) return problem("head is invalid");
    if (refOf(head).startsWith("empty") || sha === this.heads(base))
      return problem(`No commits between ${base} and ${head}`);
    const number = this.pulls.length + 1;
    const pull: Pull = { number, title, body: body ?? "", head, base, state: "open", merged: false, sha };
    this.pulls.push(pull);
    return { status: 201, json: this.shown(pull, repository) };
  }

  private shown(pull: Pull, repository: string): object {
    const { number, title, body, state, merged } = pull;
    const sha = (state === "open" ? this.heads(refOf(pull.head)) : null) ?? pull.sha;
    return {
      number,
      title,
      body,
      state,
      html_url: `https://github.com/${repository}/pull/${number}`,
      mergeable: this.mergeable,
      merged_at: merged ? "2026-01-01T00:00:00Z" : null,
      head: { ref: refOf(pull.head), sha },
      base: { ref: pull.base },
    };
  }
}

function paged<T>(
  all: readonly T[],
  query: URLSearchParams,
  shown: (page: readonly T[]) => unknown = (page) => page,
): Answer {
  const size = Number(query.get("per_page") ?? 30);
  const page = Number(query.get("page") ?? 1);
  const isMore = all.length > page * size;
  return {
    json: shown(all.slice((page - 1) * size, page * size)),
    ...(isMore ? { headers: { link: `<https://elsewhere.example/?page=${page + 1}>; rel="next"` } } : {}),
  };
}

function shownCheck({ app = "github-actions", conclusion, id, name, summary = "" }: CheckRun): object {
  return {
    ...{ id, name, conclusion, app: { slug: app } },
    status: conclusion === null ? "in_progress" : "completed",
    html_url: `https://github.com/checks/${id}`,
    details_url: null,
    output: { title: null, summary, text: null },
  };
}

function shownReview({ association = "MEMBER", body, id, login, state }: GivenReview): object {
  return { id, body, state, user: { login }, author_association: association };
}

function shownComment({ body, line, path, review }: GivenComment): object {
  return { pull_request_review_id: review, path, line, original_line: 1, body };
}

function refOf(head: string): string {
  return head.slice(head.indexOf(":") + 1);
}

function ownedHead(head: string, owner: string | undefined): string {
  return head.includes(":") ? head : `${owner}:${head}`;
}
