import type { Octokit } from "@octokit/rest";
import { type Http, openHttp } from "../net/http.ts";
import { jsonOnly } from "../net/json.ts";
import type { Environment } from "../process/environment.ts";
import type { Repository } from "./forge-api.ts";
import { everyPage, hasNext } from "./pages.ts";
import { type Checkout, lookAtCheckout, NO_CHECKOUT } from "./remotes.ts";
import { type Lacking, pathOn, serverOf } from "./servers.ts";

export interface AccessOptions {
  /** The project's folder, absolute. */
  readonly folder: string;
  /** Git's environment; git gets only what is on the allow-list. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `GITHUB_TOKEN` */
  readonly token?: string | undefined;
  /** `GITHUB_API_URL`, for a self-hosted server. */
  readonly api?: string | undefined;
}

export interface Access extends Pick<Checkout, "branch" | "pushedAs"> {
  readonly token: string;
  readonly api: string;
  /** `owner/name`, of `origin` first. */
  readonly repositories: readonly string[];
}

const MAX_REMOTES = 4;

/** The access to GitHub for this repository, or what is missing; without `help` it is the token. */
export async function accessOf({
  token,
  folder,
  environment,
  ...options
}: AccessOptions): Promise<Access | { readonly detail: string; readonly help?: string }> {
  if (!token) return { detail: "`GITHUB_TOKEN` is not set." };
  const server = serverOf("github", { GITHUB_API_URL: options.api });
  if ("detail" in server) return server;
  try {
    const { remotes, ...checkout } = await lookAtCheckout(folder, environment);
    const paths = remotes.flatMap(
      ({ addresses }) => addresses.map((each) => pathOn(server, each)).find((path) => path !== null) ?? [],
    );
    const repositories = [...new Set(paths)].slice(0, MAX_REMOTES);
    if (repositories.length > 0) return { ...checkout, token, api: server.api, repositories };
  } catch {
    return NO_CHECKOUT;
  }
  return {
    detail: "No remote of the repository is on GitHub.",
    help: "Add the repository on GitHub as a remote (or set `GITHUB_API_URL`, if it is on a GitHub server of your own).",
  };
}

/** `GITHUB_API_URL`, or GitHub's own; or why it cannot be used. */
export function apiOf(variable: string | undefined): string | Lacking {
  const server = serverOf("github", { GITHUB_API_URL: variable });
  return "detail" in server ? server : server.api;
}

const silent = () => undefined;

/** The one answer that is no JSON: a job's log. */
const LOGS = /\/actions\/jobs\/\d+\/logs$/;

export async function openOctokit(api: string, token: string, environment: Environment): Promise<Octokit> {
  const { Octokit } = await import("./octokit.ts");
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const http = openHttp(environment);
  const json = jsonOnly(http);
  const request = {
    fetch: (...asked: Parameters<Http>) => (LOGS.test(String(asked[0])) ? http : json)(...asked),
  };
  return new Octokit({ auth: token, baseUrl: api, userAgent: "pawl", log, request });
}

const A_PAGE = 100;

interface Answered<T> {
  readonly data: readonly T[];
  readonly headers: { readonly link?: string | undefined };
}

/** Throws if there are too many pages. */
export function everyAnswer<T>(
  read: (order: { readonly per_page: number; readonly page: number }) => Promise<Answered<T>>,
): Promise<readonly T[]> {
  return everyPage(async (page) => {
    const { data, headers } = await read({ per_page: A_PAGE, page });
    return { items: data, more: hasNext(headers.link) };
  });
}

/**
 * The repository under its present name, if it was renamed or moved: GitHub follows the old name for reads,
 * not for writes.
 */
export async function presentRepository(
  octokit: Octokit,
  path: string,
  request: { readonly signal?: AbortSignal } = {},
): Promise<Repository> {
  try {
    const { data } = await octokit.rest.repos.get({ ...split(path), request });
    return { id: data.id, path: data.full_name };
  } catch (thrown) {
    if ((thrown as { status?: number }).status !== 404) throw thrown;
    // The next request reports the problem.
    return { id: 0, path };
  }
}

export function split(repository: string): { owner: string; repo: string } {
  const [owner = "", repo = ""] = repository.split("/");
  return { owner, repo };
}
