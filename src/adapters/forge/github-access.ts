import type { RestEndpointMethodTypes as Endpoints } from "@octokit/rest";
import { orNull } from "../net/failure.ts";
import type { Environment } from "../process/environment.ts";
import type { Repository } from "./forge-api.ts";
import { NO_CHECKOUT, readCheckout } from "./remotes.ts";
import { openRest, type Rest, type RestAccess } from "./rest.ts";
import { pathOn, serverOf } from "./servers.ts";

interface Access {
  readonly token: string;
  readonly api: string;
  /** `owner/name`, of `origin` first. */
  readonly repositories: readonly string[];
}

const MAX_REMOTES = 4;

/** The access to GitHub for this repository, or what is missing; without `help` it is the token. */
export async function accessOf(
  folder: string,
  environment: Environment,
): Promise<Access | { readonly detail: string; readonly help?: string }> {
  const { GITHUB_TOKEN: token } = environment;
  if (!token) return { detail: "`GITHUB_TOKEN` is not set." };
  const server = serverOf("github", environment);
  if ("detail" in server) return server;
  try {
    const { remotes } = await readCheckout(folder, environment);
    const paths = remotes.flatMap(
      ({ addresses }) => addresses.map((each) => pathOn(server, each)).find((path) => path !== null) ?? [],
    );
    const repositories = [...new Set(paths)].slice(0, MAX_REMOTES);
    if (repositories.length > 0) return { token, api: server.api, repositories };
  } catch {
    return NO_CHECKOUT;
  }
  return {
    detail: "No remote of the repository is on GitHub.",
    help: "Add the repository on GitHub as a remote (or set `GITHUB_API_URL`, if it is on a GitHub server of your own).",
  };
}

export function openGitHubRest(access: RestAccess): Rest {
  return openRest(access, { name: "per_page", most: 100 });
}

/** An answer, as GitHub's own description has it. */
export type Answer<Group extends keyof Endpoints, Method extends keyof Endpoints[Group]> = Data<
  Endpoints[Group][Method]
>;
type Data<T> = T extends { readonly response: { readonly data: infer Found } } ? Found : never;

/** One item of an answer that is a list. */
export type Item<Group extends keyof Endpoints, Method extends keyof Endpoints[Group]> =
  Answer<Group, Method> extends readonly (infer Found)[] ? Found : never;

/**
 * The repository under its present name, if it was renamed or moved: GitHub follows the old name for reads,
 * not for writes.
 */
export async function presentRepository(rest: Rest, path: string): Promise<Repository> {
  const repository = await orNull(rest.get<Answer<"repos", "get">>(`/repos/${path}`));
  // The next request reports that it is missing.
  return repository ? { id: repository.id, path: repository.full_name } : { id: 0, path };
}
