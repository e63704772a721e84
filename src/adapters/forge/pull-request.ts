/**
 * The port `PullRequests` on GitHub, or a server of one's own that speaks its API. Looked for before it is opened, and
 * looked for again when the forge says that there is one: a crash or a second process never makes a second one.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Octokit } from "@octokit/rest";
import type { PullRequestEnsured, PullRequestOrder, PullRequests } from "../../base/ports.ts";
import { GITHUB_API, lookAtCheckout } from "./github-remote.ts";

export interface PullRequestsSetup {
  readonly projectRoot: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The API's address; GitHub's own by default. */
  readonly api?: string;
  readonly token: string | null;
  /** Milliseconds for one request. */
  readonly limit?: number;
}

const LIMIT = 30_000;
const silent = () => undefined;

export function openPullRequests(setup: PullRequestsSetup): PullRequests {
  return {
    ensure: async (order) => {
      try {
        return await ensure(setup, order);
      } catch (thrown) {
        return failureOf(thrown);
      }
    },
  };
}

async function ensure(setup: PullRequestsSetup, order: PullRequestOrder): Promise<PullRequestEnsured> {
  const api = setup.api ?? GITHUB_API;
  if (setup.token === null) return refused("there is no token for the forge: set GITHUB_TOKEN");
  const folder = order.repo === "." ? setup.projectRoot : join(setup.projectRoot, order.repo);
  const { remotes } = await lookAtCheckout(realpathSync(folder), setup.environment, api);
  const [remote] = remotes;
  if (!remote) return refused(`no remote of ${order.repo} is a repository of ${api}`);
  const { Octokit } = await import("@octokit/rest");
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const octokit = new Octokit({ auth: setup.token, baseUrl: api, userAgent: "pawl", log });
  const place = { owner: remote.owner, repo: remote.repository };
  const request = () => ({ signal: AbortSignal.timeout(setup.limit ?? LIMIT) });
  return (await find(octokit, place, order, request)) ?? (await open(octokit, place, order, request));
}

type Place = { readonly owner: string; readonly repo: string };
type Request = () => { readonly signal: AbortSignal };

async function find(
  octokit: Octokit,
  place: Place,
  order: PullRequestOrder,
  request: Request,
): Promise<PullRequestEnsured | null> {
  const head = `${place.owner}:${order.branch}`;
  const query = {
    ...place,
    head,
    base: order.into,
    state: "open",
    per_page: 10,
    request: request(),
  } as const;
  const { data } = await octokit.rest.pulls.list(query);
  // A server that does not know the filter answers with all of them.
  const found = data.find((pull) => pull.head.ref === order.branch && pull.base.ref === order.into);
  return found ? { kind: "found", number: found.number, url: found.html_url } : null;
}

async function open(
  octokit: Octokit,
  place: Place,
  order: PullRequestOrder,
  request: Request,
): Promise<PullRequestEnsured> {
  const { title, body, branch, into } = order;
  try {
    const asked = { ...place, title, body, head: branch, base: into, request: request() };
    const { data } = await octokit.rest.pulls.create(asked);
    return { kind: "opened", number: data.number, url: data.html_url };
  } catch (thrown) {
    if (statusOf(thrown) !== 422) throw thrown;
    const found = await find(octokit, place, order, request);
    if (found) return found;
    throw thrown;
  }
}

interface Failure {
  readonly status?: number;
  readonly message?: string;
  readonly response?: { readonly headers?: Readonly<Record<string, string | number | undefined>> };
  readonly cause?: { readonly code?: string };
}

function failureOf(thrown: unknown): PullRequestEnsured {
  const { message = String(thrown), response, cause } = thrown as Failure;
  const status = statusOf(thrown);
  const headers = response?.headers;
  if (headers === undefined) return { kind: "unreachable", reason: cause?.code ?? message.slice(0, 300) };
  const reason = `${status}: ${message.slice(0, 300)}`;
  const limited = status === 429 || (status === 403 && isRateLimit(headers, message));
  if (limited) return { kind: "unreachable", reason, ...waitOf(headers) };
  return (status ?? 500) >= 500 ? { kind: "unreachable", reason } : refused(reason);
}

function statusOf(thrown: unknown): number | undefined {
  return (thrown as Failure).status;
}

function isRateLimit(
  headers: Readonly<Record<string, string | number | undefined>>,
  message: string,
): boolean {
  return (
    headers["retry-after"] !== undefined ||
    /rate limit/i.test(message) ||
    headers["x-ratelimit-remaining"] === "0"
  );
}

function waitOf(headers: Readonly<Record<string, string | number | undefined>>): { retryAfter?: number } {
  const after = Number(headers["retry-after"]);
  return Number.isFinite(after) && after >= 0 ? { retryAfter: Math.ceil(after) } : {};
}

function refused(reason: string): PullRequestEnsured {
  return { kind: "refused", reason };
}
