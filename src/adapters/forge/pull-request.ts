/**
 * Implements the port `PullRequests` on GitHub, GitLab, Gitea and Forgejo.
 *
 * P1  It searches for a pull request before it opens one, and again when the forge reports that there is one:
 *     neither a crash nor a second process makes a second one.
 * P2  A merged or closed one counts only for its own commit: later work on the branch needs another.
 * P3  It uses the repository's present name: a forge follows an old name for reads, not for writes.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type {
  ForgeFailure,
  PullRequestEnsured,
  PullRequestOrder,
  PullRequestState,
  PullRequests,
  WatchedPull,
} from "../../core/ports/pull-requests.ts";
import type { FetchFailure } from "../../core/ports/references.ts";
import type { Repo } from "../../core/ports/worktrees.ts";
import { remoteOf, upstreamOf } from "../git/refs.ts";
import { httpFailureIn } from "../net/failure.ts";
import { failureIn, LIMITS, type Limits, withinLimits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { type ForgeRemote, findForges, openForge } from "./find-forge.ts";
import type { ApiSetup, ForgeApi, Repository, Ways } from "./forge-api.ts";
import { returnedOf } from "./returned.ts";

export interface PullRequestsSetup {
  readonly projectRoot: string;
  /** With the forges' addresses and tokens (`servers.ts`). */
  readonly environment: Environment;
  readonly warn?: ((line: string) => void) | undefined;
  /** Milliseconds for one request. */
  readonly limit?: number;
  /** Limits for everything that one order or query fetches; default: `LIMITS`. */
  readonly limits?: Limits;
}

const REQUEST_TIMEOUT = 30_000;

export function openPullRequests(setup: PullRequestsSetup): PullRequests {
  // Looks are frequent, so neither git nor the forge is queried for the repository each time.
  const cache = new Map<string, PullRepositories>();
  const memory: Memory = { renamed: new Set(), unmergeable: new Set() };
  const limited = <T>(work: () => Promise<T>) => withinLimits(setup.limits ?? LIMITS, work).catch(failureOf);
  return {
    ensure: (order, stop) =>
      limited(async () => {
        const repositories = await findRepositories(setup, memory, order, stop);
        if ("kind" in repositories) return repositories;
        return ensure(await openApi(setup, memory, repositories.server, stop), repositories, order);
      }),
    inspect: (pull, stop) =>
      limited(async () => {
        const key = `${pull.repo}\0${pull.into}`;
        const repositories = cache.get(key) ?? (await findRepositories(setup, memory, pull, stop));
        if ("kind" in repositories) return repositories;
        cache.set(key, repositories);
        return readState(await openApi(setup, memory, repositories.server, stop), repositories, pull);
      }),
  };
}

interface Memory extends Pick<ApiSetup, "unmergeable"> {
  /** Old names of which a person was warned. */
  readonly renamed: Set<string>;
}

interface PullRepositories extends Pick<Ways, "target" | "from"> {
  readonly server: ApiSetup["server"];
}

interface Wanted {
  readonly repo: Repo;
  readonly into: string;
  /** Absent: the branch's own remote does not matter. */
  readonly branch?: string;
}

async function findRepositories(
  setup: PullRequestsSetup,
  memory: Memory,
  { branch, into, repo }: Wanted,
  stop: AbortSignal | undefined,
): Promise<PullRepositories | ForgeFailure> {
  const folder = realpathSync(repo === "." ? setup.projectRoot : join(setup.projectRoot, repo));
  const forges = await findForges(folder, setup.environment);
  if ("detail" in forges) return refusedFailure(`${forges.detail} ${forges.help}`);
  const call = { folder, environment: setup.environment };
  const named = (name: string | null) => forges.remotes.find((each) => each.name === name);
  const target = named(await upstreamOf(call, into)) ?? forges.remotes[0];
  const pushed = (branch === undefined ? null : named(await remoteOf(call, branch))) ?? target;
  const { name, token, variable } = target.server;
  if (token === undefined) return refusedFailure(`there is no token for ${name}: set ${variable}`);
  const server = { ...target.server, token };
  const api = await openApi(setup, memory, server, stop);
  const present = async (remote: ForgeRemote) => {
    const repository = await api.repository(remote.path);
    const isRenamed = repository.path.toLowerCase() !== remote.path.toLowerCase();
    if (isRenamed && !memory.renamed.has(remote.path)) setup.warn?.(renamed(remote, repository));
    memory.renamed.add(remote.path);
    return repository;
  };
  const at = await present(target);
  const isFork = pushed.path !== target.path && pushed.server.api === server.api;
  return { server, target: at, from: isFork ? await present(pushed) : at };
}

function renamed({ name, path, server }: ForgeRemote, { path: now }: Repository): string {
  return `The remote ${name} names ${path}, which is ${now} on ${server.name} now: git remote set-url ${name} gives it the present address.`;
}

function openApi(
  { environment, limit = REQUEST_TIMEOUT }: PullRequestsSetup,
  { unmergeable }: Memory,
  server: ApiSetup["server"],
  stop: AbortSignal | undefined,
): Promise<ForgeApi> {
  const request = () => {
    const late = AbortSignal.timeout(limit);
    return stop ? AbortSignal.any([late, stop]) : late;
  };
  return openForge({ environment, server, request, unmergeable });
}

async function ensure(
  api: ForgeApi,
  repositories: PullRepositories,
  order: PullRequestOrder,
): Promise<PullRequestEnsured> {
  const ways = { ...repositories, branch: order.branch, into: order.into };
  return (await findOpen(api, ways)) ?? (await findOver(api, ways, order)) ?? open(api, ways, order);
}

async function readState(
  api: ForgeApi,
  { target }: PullRepositories,
  { number, returns }: WatchedPull,
): Promise<PullRequestState> {
  const pull = await api.get(target, number);
  if (pull.state === "merged") return { kind: "merged", head: pull.head };
  if (pull.state === "closed") return { kind: "closed" };
  if (!returns || pull.head !== returns.commit) return { kind: "open" };
  const returned = await returnedOf(api, target, pull, returns.reviews);
  return { kind: "open", ...(returned ? { returned } : {}) };
}

async function findOpen(api: ForgeApi, ways: Ways): Promise<PullRequestEnsured | null> {
  const [pull] = await api.list(ways, "open");
  return pull ? { kind: "found", number: pull.number, url: pull.url } : null;
}

/** A merged or closed one with the branch's present commit. */
async function findOver(
  api: ForgeApi,
  ways: Ways,
  order: PullRequestOrder,
): Promise<PullRequestEnsured | null> {
  const over = (await api.list(ways, "over")).filter(
    ({ head, number }) => head === order.commit && number !== order.inPlaceOf,
  );
  const pull = over.find(({ state }) => state === "merged") ?? over[0];
  if (!pull) return null;
  return { kind: pull.state === "merged" ? "merged" : "closed", number: pull.number, url: pull.url };
}

/** GitLab and Gitea answer 409, GitHub 422. */
const MAY_BE_THERE: ReadonlySet<number | undefined> = new Set([409, 422]);

async function open(
  api: ForgeApi,
  ways: Ways,
  { body, title }: PullRequestOrder,
): Promise<PullRequestEnsured> {
  try {
    const { number, url } = await api.open(ways, { title, body });
    return { kind: "opened", number, url };
  } catch (thrown) {
    const found = MAY_BE_THERE.has(statusOf(thrown)) ? await findOpen(api, ways) : null;
    if (found) return found;
    throw thrown;
  }
}

const PASSES: ReadonlySet<FetchFailure["reason"]> = new Set(["rate-limited", "timed-out", "unreachable"]);

function failureOf(thrown: unknown): ForgeFailure {
  const { detail: reason, reason: why, retryAfter } = failureIn(thrown);
  const passes = PASSES.has(why) || (why === "unexpected" && (statusOf(thrown) ?? 500) >= 500);
  if (!passes) return refusedFailure(reason);
  return { kind: "unreachable", reason, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

function statusOf(thrown: unknown): number | undefined {
  return httpFailureIn(thrown)?.status ?? (thrown as { readonly status?: number }).status;
}

function refusedFailure(reason: string): ForgeFailure {
  return { kind: "refused", reason };
}
