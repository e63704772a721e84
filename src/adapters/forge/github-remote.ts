import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type GitCall, git, gitLine } from "../git/git.ts";
import { findProgram, safePath } from "../process/programs.ts";
import { execFile } from "../process/start-program.ts";

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
  /** What the branch is called where it is pushed to, if otherwise. */
  readonly pushedAs: string | null;
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
  const branch = (await gitLine(call, ["symbolic-ref", "--short", "--quiet", "HEAD"])) || null;
  const tracked = branch === null ? null : await trackedBy(call, branch);
  // As `url.<base>.insteadOf` rewrites them.
  const { output } = await git(call, ["remote", "--verbose"]);
  const named = [...output.matchAll(/^(.+)\t(.+) \(fetch\)/gm)].map(([, name = "", url = ""]) => ({
    name,
    url,
  }));
  const fork = tracked !== null && /[/:]/.test(tracked.remote) ? [{ name: "", url: tracked.remote }] : [];
  const remotes: GithubRemote[] = [];
  for (const { name, url } of [...named, ...fork]) {
    const found =
      parseRemote(api === GITHUB_API ? await withoutAlias(url, environment) : url, api) ??
      // It may be fetched from a mirror.
      parseRemote(await gitLine(call, ["config", `remote.${name}.url`]), api);
    if (found !== null) remotes.push({ name, ...found });
  }
  const rank = ({ name }: GithubRemote) => (name === "origin" ? 0 : name === "upstream" ? 1 : 2);
  const pushedAs = tracked && tracked.name !== branch ? tracked.name : null;
  return { branch, pushedAs, remotes: remotes.sort((a, b) => rank(a) - rank(b)) };
}

/**
 * What the branch tracks: another name is what it is pushed as. The branch that others go into is none: a new branch often
 * tracks the one that it began at. `remote` may be an address.
 */
async function trackedBy(call: GitCall, branch: string): Promise<{ remote: string; name: string } | null> {
  const remote = await gitLine(call, ["config", `branch.${branch}.remote`]);
  const merge = await gitLine(call, ["config", `branch.${branch}.merge`]);
  const name = /^refs\/heads\/(.+)$/.exec(merge)?.[1];
  if (name === undefined || remote === "" || remote === ".") return null;
  const head = await gitLine({ ...call, accept: [1, 128] }, [
    "symbolic-ref",
    "--short",
    "--quiet",
    `refs/remotes/${remote}/HEAD`,
  ]);
  const into = head === "" ? ["main", "master"] : [head.slice(remote.length + 1)];
  return into.includes(name) ? null : { remote, name };
}

const BY_SSH = /^(ssh:\/\/(?:[^@/]*@)?|(?:[^@/:]+@)?)([A-Za-z0-9][\w.-]*)(?=:(?!\/\/)|\/|$)/;

/** With the name that ssh connects to in place of a `Host` of the person's ssh configuration. */
async function withoutAlias(url: string, environment: GitCall["environment"]): Promise<string> {
  const [start = "", before = "", host = ""] = BY_SSH.exec(url) ?? [];
  if (host === "" || (!start.startsWith("ssh://") && url.charAt(start.length) !== ":")) return url;
  const ssh = findProgram("ssh", environment);
  if (!("path" in ssh) || ssh.path === null) return url;
  // Where HOME is another folder than the account's, ssh would look in the account's.
  const config = join(environment.HOME ?? homedir(), ".ssh/config");
  const from = existsSync(config) ? ["-F", config] : [];
  const program = ssh.path;
  const said = await new Promise<string>((resolve) => {
    const env = { ...environment, PATH: safePath(environment) };
    execFile(program, [...from, "-G", host], { env, timeout: 10_000 }, (_, output) => resolve(output));
  });
  const name = /^hostname (\S+)$/m.exec(said)?.[1];
  return name === undefined ? url : `${before}${name}${url.slice(start.length)}`;
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
