import { git, gitLine } from "../git/git.ts";

/** A repository on GitHub, as a remote names it. */
export interface GithubRemote {
  /** The remote's name: `origin`. */
  readonly name: string;
  readonly owner: string;
  readonly repository: string;
}

export interface Checkout {
  /** Null if HEAD is detached. */
  readonly branch: string | null;
  readonly remotes: readonly GithubRemote[];
}

export const GITHUB_API = "https://api.github.com";

/** The checked-out branch, and the remotes on the server of `api`; `origin` comes first. */
export async function lookAtCheckout(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  api: string,
): Promise<Checkout> {
  const call = { folder, environment, accept: [1], limit: 30_000 };
  const branch = await gitLine(call, ["symbolic-ref", "--short", "--quiet", "HEAD"]);
  const { output } = await git(call, ["config", "--null", "--get-regexp", "^remote\\..*\\.url$"]);
  const remotes = output.split("\0").flatMap((entry) => {
    const [key = "", url = ""] = entry.split("\n");
    const found = parseRemote(url, api);
    return found === null ? [] : [{ name: key.replace(/^remote\.|\.url$/g, ""), ...found }];
  });
  const rank = ({ name }: GithubRemote) => (name === "origin" ? 0 : name === "upstream" ? 1 : 2);
  return { branch: branch === "" ? null : branch, remotes: remotes.sort((a, b) => rank(a) - rank(b)) };
}

/**
 * Owner and name from a remote's URL. For github.com the host must be GitHub's; for another server any remote counts,
 * by its last two path segments.
 */
export function parseRemote(
  url: string,
  api: string,
): { readonly owner: string; readonly repository: string } | null {
  const [, host = "", path = ""] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.*)$/i.exec(url) ??
    /^(?:[^@/]+@)?([^/:@]+):(?!\/\/)(.*)$/.exec(url) ??
    [];
  if (api === GITHUB_API && !/^((www|ssh)\.)?github\.com$/i.test(host)) return null;
  const segments = path
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter((segment) => segment !== "");
  const [owner, repository] = segments.slice(-2);
  return owner && repository && isName(owner) && isName(repository) ? { owner, repository } : null;
}

function isName(segment: string): boolean {
  return /^[A-Za-z0-9._-]+$/.test(segment) && segment !== "." && segment !== "..";
}
