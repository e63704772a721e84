/**
 * Implements the port `PullRequests` on GitHub, or on another server that speaks its API.
 *
 * P1  It looks for a pull request before it opens one, and again when the forge says that there is one: neither a crash
 *     nor a second process makes a second one.
 * P2  A merged or closed one counts only for its own commit: later work on the branch needs another.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Octokit } from "@octokit/rest";
import type {
  ForgeFailure,
  PullRequestEnsured,
  PullRequestLook,
  PullRequestOrder,
  PullRequests,
  WatchedPull,
} from "../../core/ports/pull-requests.ts";
import type { Repo } from "../../core/ports/worktrees.ts";
import { remoteOf, upstreamOf } from "../git/refs.ts";
import { LIMITS, LimitExceeded, type Limits, withinLimits } from "../net/limits.ts";
import { openOctokit } from "./github-access.ts";
import { GITHUB_API, lookAtCheckout } from "./github-remote.ts";
import { returnedOf } from "./github-returned.ts";

export interface PullRequestsSetup {
  readonly projectRoot: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The API's address; GitHub's own by default. */
  readonly api?: string;
  readonly token: string | null;
  /** Milliseconds for one request. */
  readonly limit?: number;
  /** Limits for everything that one order or look fetches; default: `LIMITS`. */
  readonly limits?: Limits;
}

const LIMIT = 30_000;

export function openPullRequests(setup: PullRequestsSetup): PullRequests {
  // Looks are frequent, so git is not asked each time where a repository's forge is.
  const forges = new Map<string, Forge>();
  const forgeOf = async (pull: WatchedPull) => {
    const place = `${pull.repo}\0${pull.into}`;
    const known = forges.get(place);
    if (known) return known;
    const forge = await openForge(setup, pull);
    if (!("kind" in forge)) forges.set(place, forge);
    return forge;
  };
  const limited = <T>(work: () => Promise<T>) => withinLimits(setup.limits ?? LIMITS, work).catch(failureOf);
  return {
    ensure: (order, stop) => limited(async () => ensure(await openForge(setup, order), order, stop)),
    look: (pull, stop) => limited(async () => look(await forgeOf(pull), pull, stop)),
  };
}

interface Forge {
  readonly octokit: Octokit;
  /** Where pull requests are opened: the target's repository. */
  readonly place: { readonly owner: string; readonly repo: string };
  /** Where the branch is pushed to: the same, or a fork. */
  readonly head: { readonly owner: string; readonly repo: string };
  request(stop: AbortSignal | undefined): { readonly signal: AbortSignal };
}

interface Ways {
  readonly repo: Repo;
  readonly into: string;
  /** Absent: nobody asks where it is pushed to. */
  readonly branch?: string;
}

async function openForge(
  setup: PullRequestsSetup,
  { branch, into, repo }: Ways,
): Promise<Forge | ForgeFailure> {
  const api = setup.api ?? GITHUB_API;
  if (setup.token === null) return refused("there is no token for the forge: set GITHUB_TOKEN");
  const folder = realpathSync(repo === "." ? setup.projectRoot : join(setup.projectRoot, repo));
  const { remotes } = await lookAtCheckout(folder, setup.environment, api);
  const call = { folder, environment: setup.environment };
  const named = (name: string | null) => {
    const remote = remotes.find((each) => each.name === name) ?? remotes[0];
    return remote && { owner: remote.owner, repo: remote.repository };
  };
  const place = named(await upstreamOf(call, into));
  if (!place) return refused(`no remote of ${repo} is a repository of ${api}`);
  const head = branch === undefined ? place : (named(await remoteOf(call, branch)) ?? place);
  return {
    octokit: await openOctokit(api, setup.token, setup.environment),
    place,
    head,
    request: (stop) => {
      const late = AbortSignal.timeout(setup.limit ?? LIMIT);
      return { signal: stop ? AbortSignal.any([late, stop]) : late };
    },
  };
}

async function ensure(
  opened: Forge | ForgeFailure,
  order: PullRequestOrder,
  stop: AbortSignal | undefined,
): Promise<PullRequestEnsured> {
  if ("kind" in opened) return opened;
  const forge: Forge = { ...opened, request: () => opened.request(stop) };
  return (await findOpen(forge, order)) ?? (await findOver(forge, order)) ?? open(forge, order);
}

async function look(
  forge: Forge | ForgeFailure,
  { number, returns }: WatchedPull,
  stop: AbortSignal | undefined,
): Promise<PullRequestLook> {
  if ("kind" in forge) return forge;
  const { octokit, place, request } = forge;
  const { data } = await octokit.rest.pulls.get({ ...place, pull_number: number, request: request(stop) });
  if (data.merged_at !== null) return { kind: "merged", head: data.head.sha };
  if (data.state !== "open") return { kind: "closed" };
  if (!returns || data.head.sha !== returns.commit) return { kind: "open" };
  const returned = await returnedOf({ octokit, place, request: () => request(stop) }, data, returns);
  return { kind: "open", ...(returned ? { returned } : {}) };
}

async function listed(
  { head: from, octokit, place, request }: Forge,
  order: PullRequestOrder,
  state: "open" | "closed",
) {
  const head = `${from.owner}:${order.branch}`;
  const query = { ...place, head, base: order.into, state, per_page: 30, request: request(undefined) };
  const { data } = await octokit.rest.pulls.list(query);
  // A server that does not know the filter returns all of them.
  return data.filter((pull) => pull.head.ref === order.branch && pull.base.ref === order.into);
}

async function findOpen(forge: Forge, order: PullRequestOrder): Promise<PullRequestEnsured | null> {
  const [found] = await listed(forge, order, "open");
  return found ? { kind: "found", number: found.number, url: found.html_url } : null;
}

/** A merged or closed one with the branch's present commit. */
async function findOver(forge: Forge, order: PullRequestOrder): Promise<PullRequestEnsured | null> {
  const over = (await listed(forge, order, "closed")).filter(
    ({ head, number }) => head.sha === order.commit && number !== order.inPlaceOf,
  );
  const found = over.find(({ merged_at }) => merged_at) ?? over[0];
  if (!found) return null;
  return { kind: found.merged_at ? "merged" : "closed", number: found.number, url: found.html_url };
}

async function open(forge: Forge, order: PullRequestOrder): Promise<PullRequestEnsured> {
  const { title, body, branch, into } = order;
  try {
    const asked = {
      ...forge.place,
      title,
      body,
      ...headOf(forge, branch),
      base: into,
      request: forge.request(undefined),
    };
    const { data } = await forge.octokit.rest.pulls.create(asked);
    return { kind: "opened", number: data.number, url: data.html_url };
  } catch (thrown) {
    if (statusOf(thrown) !== 422) throw thrown;
    const found = await findOpen(forge, order);
    if (found) return found;
    throw thrown;
  }
}

/** From a fork, the head names its owner; and the repository, where the same owner has both. */
function headOf(
  { head, place }: Forge,
  branch: string,
): { readonly head: string; readonly head_repo?: string } {
  if (head.owner !== place.owner) return { head: `${head.owner}:${branch}` };
  return { head: branch, ...(head.repo === place.repo ? {} : { head_repo: head.repo }) };
}

interface Failure {
  readonly status?: number;
  readonly message?: string;
  readonly response?: { readonly headers?: Readonly<Record<string, string | number | undefined>> };
  readonly cause?: { readonly code?: string };
}

function failureOf(thrown: unknown): ForgeFailure {
  if (thrown instanceof LimitExceeded) {
    const reason = `the forge's answer was ${thrown.message}`;
    return thrown.reason === "too-large" ? refused(reason) : { kind: "unreachable", reason };
  }
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

function refused(reason: string): ForgeFailure {
  return { kind: "refused", reason };
}
