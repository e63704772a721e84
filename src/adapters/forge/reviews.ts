/**
 * Fetches the comments on the pull request of the checked-out branch.
 *
 * G1  The token goes only to the configured address: pages are requested by number, never by a returned link.
 * G2  A part that was read incompletely is kept, with the place where it stopped, so that a retry begins
 *     there.
 */
import type { FetchFailure } from "../../core/ports/references.ts";
import type {
  PullRequest,
  Remark,
  ReviewFetch,
  ReviewMissing,
  ReviewPart,
  Reviews,
} from "../../core/ports/reviews.ts";
import { failureIn, LIMITS, type Limits, withinLimits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { findForges, openForge } from "./find-forge.ts";
import type { ForgeApi, Pull, RemarksPage, Repository } from "./forge-api.ts";

export interface ReviewsSetup {
  /** The project's folder, absolute. */
  readonly folder: string;
  /** With the forges' addresses and tokens (`servers.ts`). */
  readonly environment: Environment;
  /** Limits for the whole fetch. */
  readonly limits?: Limits;
}

const PARTS: readonly ReviewPart[] = ["reviews", "review-comments", "comments"];
const MAX_PAGES = 100;
const MAX_REMOTES = 4;

export function openReviews({ environment, folder, limits = LIMITS }: ReviewsSetup): Reviews {
  return {
    async fetch({ missing }): Promise<ReviewFetch> {
      const forges = await findForges(folder, environment);
      if ("detail" in forges) return { kind: "not-configured", ...forges };
      const { branch, pushedAs, remotes } = forges;
      if (branch === null)
        return {
          kind: "not-configured",
          detail: "No branch is checked out.",
          help: "Check out the pull request's branch.",
        };
      // Uses a mirror's server if the first has no token.
      const { server } = remotes.find((remote) => remote.server.token !== undefined) ?? remotes[0];
      const { token, variable } = server;
      if (token === undefined)
        return {
          kind: "not-configured",
          detail: `\`${variable}\` is not set.`,
          help: `Set \`${variable}\` to a token that may read the repository's pull requests, in the environment of the MCP server (and restart it) or of your terminal.`,
        };
      const paths = new Set(remotes.filter((remote) => remote.server === server).map(({ path }) => path));
      const names = [branch, ...(pushedAs ? [pushedAs] : [])] as const;
      return withinLimits(limits, async () => {
        try {
          const setup = { environment, server: { ...server, token }, unmergeable: new Set<string>() };
          const api = await openForge(setup);
          return await fetchReviews(api, names, [...paths].slice(0, MAX_REMOTES), missing);
        } catch (thrown) {
          return { kind: "failed", failure: failureIn(thrown) };
        }
      });
    },
  };
}

async function fetchReviews(
  api: ForgeApi,
  names: readonly [branch: string, ...pushedAs: string[]],
  paths: readonly string[],
  missing: ReviewMissing | undefined,
): Promise<ReviewFetch> {
  const [branch] = names;
  const pull = missing ? await readPull(api, missing, branch) : await findPull(api, paths, names);
  if (pull === null) return { kind: "no-pull-request", branch, repositories: paths };
  const { remarks, pages, failure } = await readParts(api, pull, missing);
  const marked = await markThreads(api, pull, remarks);
  const stopped = Object.keys(pages).length > 0;
  return {
    kind: "fetched",
    pull,
    remarks: marked.remarks,
    threads: marked.threads,
    missing: stopped ? { repository: pull.repository, number: pull.number, pages } : null,
    failure,
  };
}

/**
 * The open pull request of the first branch name that has one, in and from any of the repositories (forks are
 * remotes).
 */
async function findPull(
  api: ForgeApi,
  paths: readonly string[],
  names: readonly string[],
): Promise<PullRequest | null> {
  let notFound: unknown = null;
  /** Null: it does not exist, or the token may not see it. */
  const orNull = async <T>(request: Promise<T>): Promise<T | null> => {
    try {
      return await request;
    } catch (thrown) {
      if (failureIn(thrown).reason !== "not-found") throw thrown;
      notFound = thrown;
      return null;
    }
  };
  const sources: (Repository & { readonly former: string })[] = [];
  // A fork that the token may not see still names its owner.
  for (const path of paths)
    sources.push({ ...((await orNull(api.repository(path))) ?? { id: UNSEEN, path }), former: path });
  let answered = false;
  for (const target of sources.filter(({ id }) => id !== UNSEEN))
    for (const [branch, from] of names.flatMap((name) => sources.map((each) => [name, each] as const))) {
      const pulls = await orNull(api.list({ target, from, branch }, "open"));
      if (pulls === null) break;
      answered = true;
      if (!pulls[0]) continue;
      const isRenamed = target.former.toLowerCase() !== target.path.toLowerCase();
      const renamed = isRenamed ? { former: target.former } : {};
      return { ...headOf(pulls[0]), repository: target.path, ...renamed, branch };
    }
  if (!answered && notFound !== null) throw notFound;
  return null;
}

const UNSEEN = -1;

/**
 * Adds to the remarks whether their threads are resolved. A failure leaves these marks out, since the remarks
 * matter more.
 */
async function markThreads(
  api: ForgeApi,
  { number, repository }: PullRequest,
  remarks: Read["remarks"],
): Promise<{ readonly remarks: readonly Remark[]; readonly threads: "known" | "unknown" }> {
  const hasThreads = api.resolved && remarks.some(({ root }) => root !== undefined);
  const resolved = hasThreads ? await api.resolved?.(repository, number).catch(() => null) : undefined;
  const marked = remarks.map(({ root, ...remark }) => {
    const mark = root === undefined ? undefined : resolved?.get(root);
    return mark === undefined ? remark : { ...remark, resolved: mark };
  });
  return { remarks: marked, threads: resolved === null ? "unknown" : "known" };
}

async function readPull(api: ForgeApi, missing: ReviewMissing, branch: string): Promise<PullRequest> {
  const { number, repository } = missing;
  return { ...headOf(await api.get({ path: repository }, number)), repository, branch };
}

function headOf({ number, title, url }: Pull): Pick<PullRequest, "number" | "title" | "url"> {
  return { number, title, url };
}

interface Read {
  readonly remarks: RemarksPage["remarks"];
  /** The next page of each incomplete part. */
  readonly pages: Readonly<Partial<Record<ReviewPart, number>>>;
  readonly failure: FetchFailure | null;
}

/** Whether the next request would fail in the same way. */
function repeatsItself({ reason }: FetchFailure): boolean {
  return reason !== "not-found" && reason !== "unexpected";
}

async function readParts(
  api: ForgeApi,
  pull: PullRequest,
  missing: ReviewMissing | undefined,
): Promise<Read> {
  const remarks: Read["remarks"][number][] = [];
  const pages: Partial<Record<ReviewPart, number>> = {};
  let failure: FetchFailure | null = null;
  for (const part of PARTS) {
    const first = missing ? missing.pages[part] : 1;
    if (first === undefined) continue;
    if (failure !== null && repeatsItself(failure)) {
      pages[part] = first;
      continue;
    }
    const stop = await readPart(api, pull, part, first, remarks);
    if (stop === null) continue;
    pages[part] = stop.page;
    failure ??= stop.failure;
  }
  return { remarks, pages, failure };
}

/**
 * Adds a part's remarks from a page on. Null: complete; otherwise where it stopped, and why unless there was
 * too much.
 */
async function readPart(
  api: ForgeApi,
  { repository, number }: PullRequest,
  part: ReviewPart,
  first: number,
  remarks: Read["remarks"][number][],
): Promise<{ readonly page: number; readonly failure: FetchFailure | null } | null> {
  for (let page = first; ; page++) {
    if (page >= first + MAX_PAGES) return { page, failure: null };
    try {
      const answer = await api.remarks(part, repository, number, page);
      remarks.push(...answer.remarks);
      if (!answer.more) return null;
    } catch (thrown) {
      return { page, failure: failureIn(thrown) };
    }
  }
}
