import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type GitCall, git, gitLine } from "../git/git.ts";
import { findProgram, safePath } from "../process/programs.ts";
import { execFile } from "../process/start-program.ts";

interface Remote {
  /** `origin`; empty for a fork that has no name. */
  readonly name: string;
  /** Its spellings, the likeliest first: as git rewrites it, and as the configuration has it. */
  readonly addresses: readonly Address[];
}

export interface Address {
  readonly host: string;
  /** Where the host serves HTTP. */
  readonly origin: string;
  /** `["acme", "app"]` */
  readonly segments: readonly string[];
}

export interface Checkout {
  /** Null if HEAD is detached. */
  readonly branch: string | null;
  /** The branch's name on the remote, if it differs. */
  readonly pushedAs: string | null;
  /** `origin` first, then `upstream`. */
  readonly remotes: readonly Remote[];
}

/** Why there is none, and the fix. */
export const NO_CHECKOUT = {
  detail: "The project is not a git repository, or git cannot run, so its branch is unknown.",
  help: "Check that `git status` works in the project.",
};

/** The checked-out branch, and the remotes on other machines. */
export async function readCheckout(folder: string, environment: GitCall["environment"]): Promise<Checkout> {
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
  const remotes: Remote[] = [];
  for (const { name, url } of [...named, ...fork]) {
    // The remote may be fetched from a mirror.
    const written = name === "" ? "" : await gitLine(call, ["config", `remote.${name}.url`]);
    const urls = [await withoutAlias(url, environment), written];
    const addresses = [...new Set(urls)].map(parseAddress).filter((each) => each !== null);
    if (addresses.length > 0) remotes.push({ name, addresses });
  }
  const rank = ({ name }: Remote) => (name === "origin" ? 0 : name === "upstream" ? 1 : 2);
  const pushedAs = tracked && tracked.name !== branch ? tracked.name : null;
  return { branch, pushedAs, remotes: remotes.sort((a, b) => rank(a) - rank(b)) };
}

/**
 * The branch's upstream: another name there is the name that it is pushed as. Null for the default branch,
 * which a new branch often tracks because it began there. `remote` may be an address.
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

/** Replaces a `Host` alias of the person's ssh configuration by its real host name. */
async function withoutAlias(url: string, environment: GitCall["environment"]): Promise<string> {
  const [start = "", before = "", host = ""] = BY_SSH.exec(url) ?? [];
  if (host === "" || (!start.startsWith("ssh://") && url.charAt(start.length) !== ":")) return url;
  const ssh = findProgram("ssh", environment);
  if (!("path" in ssh) || ssh.path === null) return url;
  // Explicit, since ssh reads the account's home even if HOME is another folder.
  const config = join(environment.HOME ?? homedir(), ".ssh/config");
  const from = existsSync(config) ? ["-F", config] : [];
  const program = ssh.path;
  const output = await new Promise<string>((resolve) => {
    const env = { ...environment, PATH: safePath(environment) };
    execFile(program, [...from, "-G", host], { env, timeout: 10_000 }, (_, output) => resolve(output));
  });
  const name = /^hostname (\S+)$/m.exec(output)?.[1];
  return name === undefined ? url : `${before}${name}${url.slice(start.length)}`;
}

/** Null: it is no address on another machine. */
export function parseAddress(url: string): Address | null {
  const [, scheme = "", host = "", port = "", path = ""] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/]*@)?([^/:]+)(:\d+)?\/(.*)$/i.exec(url) ??
    /^()(?:[^@/]+@)?([^/:@]+)():(?!\/\/)(.*)$/.exec(url) ??
    [];
  const segments = path
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter((segment) => segment !== "");
  if (host === "" || segments.length === 0) return null;
  const isWeb = /^https?$/i.test(scheme);
  const origin = `${isWeb ? scheme.toLowerCase() : "https"}://${host}${isWeb ? port : ""}`;
  return { host: host.toLowerCase(), origin, segments };
}
