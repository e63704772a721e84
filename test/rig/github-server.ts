/**
 * GitHub's API as what was said about a pull request needs it: pages by Link header, tokens, GraphQL threads, at most 250
 * commits, and no way from a commit to a pull request out of a fork.
 */
import type { Answered } from "./github-types.ts";
import { type Answer, Loopback, type LoopbackRequest } from "./loopback.ts";

export const GITHUB_TOKEN = "ghp_token";

export interface GithubPull {
  readonly number: number;
  readonly title: string;
  /** `owner:branch` */
  readonly head: string;
  readonly state?: "open" | "closed";
  readonly reviews?: readonly object[];
  readonly reviewComments?: readonly { readonly id: number; readonly in_reply_to_id?: number }[];
  readonly comments?: readonly object[];
  /** Ids of the first comments of the threads that are resolved. */
  readonly resolved?: readonly number[];
  /** Who opened it. */
  readonly author?: string;
  /** The head's commit. */
  readonly sha?: string;
  readonly fromFork?: true;
  readonly commits?: readonly GithubCommit[];
  /** What happened to it: `{event, created_at}`. */
  readonly events?: readonly object[];
}

export interface GithubCommit {
  readonly sha: string;
  /** Their logins; null: unknown to GitHub. */
  readonly author: string | null;
  readonly committer: string | null;
}

const user = (login: string) => ({ login });

export function review(login: string, state: string, body: string, more: object = {}): object {
  const html_url = `https://github.com/acme/app/pull/7#pullrequestreview-${login}`;
  const submitted_at = "2026-01-02T03:04:05Z";
  const plain = { user: user(login), state, body, html_url, submitted_at, commit_id: null };
  return { ...(plain satisfies Answered<"pulls", "listReviews">), ...more };
}

export function codeComment(id: number, body: string, more: object = {}): { readonly id: number } {
  const html_url = `https://github.com/acme/app/pull/7#discussion_r${id}`;
  return {
    id,
    user: user("rev"),
    body,
    html_url,
    path: "src/list.ts",
    line: id,
    original_line: id,
    created_at: "2026-01-02T03:04:05Z",
    ...more,
  } as { id: number };
}

export function comment(login: string, body: string): object {
  const html_url = `https://github.com/acme/app/pull/7#issuecomment-${login}`;
  return { user: user(login), body, html_url, created_at: "2026-01-02T03:04:05Z" };
}

export class GithubServer extends Loopback {
  static async open(repository: string, pulls: readonly GithubPull[]): Promise<GithubServer> {
    const server: GithubServer = new GithubServer((asked) => answerTo(asked, server.url, repository, pulls));
    return server.listen();
  }
}

function answerTo(
  asked: LoopbackRequest,
  url: string,
  repository: string,
  pulls: readonly GithubPull[],
): Answer {
  if (!/^(token|bearer) ghp_token$/i.test(asked.headers.authorization ?? ""))
    return { status: 401, json: { message: "Bad credentials" } };
  if (asked.path === "/graphql" && asked.method === "POST") return threads(asked, pulls);
  if (asked.path === `/repos/${repository}`) return { json: { id: 1, full_name: repository } };
  const base = `/repos/${repository}`;
  const notFound = { status: 404, json: { message: "Not Found" } };
  if (!asked.path.startsWith(`${base}/`)) return notFound;
  const rest = asked.path.slice(base.length);
  if (rest === "/pulls") {
    const [head, state] = [asked.query.get("head"), asked.query.get("state") ?? "open"];
    const found = pulls.filter((pull) => pull.head === head && (pull.state ?? "open") === state);
    return { json: found.map((pull) => shown(pull, repository)) };
  }
  const [, sha] = /^\/commits\/([0-9a-f]{40})\/pulls$/.exec(rest) ?? [];
  if (sha !== undefined) {
    const known = pulls.filter((pull) => pull.commits?.some((commit) => commit.sha === sha));
    if (known.length === 0) return { status: 422, json: { message: `No commit found for SHA: ${sha}` } };
    const shownPulls = known.filter(({ fromFork }) => !fromFork).map((pull) => shown(pull, repository));
    return page(asked, url, shownPulls);
  }
  const [, number, part] = /^\/(?:pulls|issues)\/(\d+)(?:\/(.*))?$/.exec(rest) ?? [];
  const pull = pulls.find((one) => String(one.number) === number);
  if (!pull) return notFound;
  if (part === undefined) return { json: shown(pull, repository) };
  if (part === "reviews") return page(asked, url, pull.reviews ?? []);
  if (part === "commits") return page(asked, url, (pull.commits ?? []).slice(0, 250).map(shownCommit));
  if (part === "events") return page(asked, url, pull.events ?? []);
  if (part !== "comments") return notFound;
  return page(asked, url, rest.startsWith("/pulls") ? (pull.reviewComments ?? []) : (pull.comments ?? []));
}

function shown(
  { author = "dev", head, number, sha = "", state = "open", title }: GithubPull,
  repository: string,
): object {
  const html_url = `https://github.com/${repository}/pull/${number}`;
  const branches = { head: { sha, ref: head.split(":")[1] ?? "" }, base: { ref: "main" } };
  const pull = { number, title, html_url, state, merged_at: null, user: user(author), ...branches };
  return pull satisfies Answered<"pulls", "list">;
}

function shownCommit({ author, committer, sha }: GithubCommit): object {
  const of = (login: string | null) => (login === null ? null : user(login));
  return { sha, author: of(author), committer: of(committer) } satisfies Answered<"pulls", "listCommits">;
}

function page(asked: LoopbackRequest, url: string, items: readonly unknown[]): Answer {
  const size = Math.min(Number(asked.query.get("per_page") ?? 30), 100);
  const at = Number(asked.query.get("page") ?? 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const to = (number: number, rel: string) =>
    `<${url}${asked.path}?per_page=${size}&page=${number}>; rel="${rel}"`;
  const links = [
    ...(at > 1 ? [to(at - 1, "prev"), to(1, "first")] : []),
    ...(at < last ? [to(at + 1, "next"), to(last, "last")] : []),
  ];
  return {
    json: items.slice((at - 1) * size, at * size),
    ...(links.length > 0 ? { headers: { link: links.join(", ") } } : {}),
  };
}

function threads(asked: LoopbackRequest, pulls: readonly GithubPull[]): Answer {
  const { variables } = JSON.parse(asked.body) as { variables: { number: number; after: string | null } };
  const pull = pulls.find(({ number }) => number === variables.number);
  const roots = (pull?.reviewComments ?? []).filter(({ in_reply_to_id }) => in_reply_to_id === undefined);
  const start = Number(variables.after ?? 0);
  const nodes = roots.slice(start, start + 100).map(({ id }) => ({
    isResolved: pull?.resolved?.includes(id) ?? false,
    comments: { nodes: [{ databaseId: id }] },
  }));
  const end = start + nodes.length;
  const pageInfo = { hasNextPage: end < roots.length, endCursor: String(end) };
  return { json: { data: { repository: { pullRequest: { reviewThreads: { pageInfo, nodes } } } } } };
}
