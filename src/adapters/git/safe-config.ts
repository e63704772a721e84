/**
 * Keeps a repository's own configuration from starting programs through Pawl's git, since an agent can write
 * that configuration. A setting with a fixed name is overridden in every call. Settings with names of their
 * own (filters, merge drivers, credential helpers) are found by reading the configuration once, and
 * overridden too. A setting that cannot be overridden is an error that names it.
 *
 * C1  Only the person's own configuration (system, global) may name programs: filters that `git.filters`
 *     lists, merge drivers, credential helpers and ssh.
 * C2  A read configuration stays valid while its files have the same inode, size and times, and are older
 *     than the clock's resolution. If the repository's own configuration has includes, it is read each time.
 */
import { type BigIntStats, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import type { Environment } from "../process/environment.ts";
import { type Discovered, discover, realOr } from "./discover.ts";

export interface ConfigEntry {
  readonly scope: string;
  /** Section and variable in lower case, the part between them unchanged. */
  readonly key: string;
  readonly value: string;
}

/** Whether it is the person's own: an agent without access to the person's shell cannot have written it. */
export function isOwnScope({ scope }: ConfigEntry): boolean {
  return scope === "system" || scope === "global";
}

/** A folder's configuration. */
export interface KnownConfig {
  readonly repository: Discovered | null;
  readonly entries: readonly ConfigEntry[];
}

/** Settings of every call, whatever the configuration. */
export const FIXED: readonly (readonly [string, string])[] = [
  ["core.quotepath", "off"],
  ["core.fsmonitor", "false"],
  ["core.untrackedCache", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.checkStat", "default"],
  ["core.trustctime", "true"],
  ["core.ignoreStat", "false"],
  ["core.alternateRefsCommand", "true"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["tag.forceSignAnnotated", "false"],
  ["push.gpgSign", "false"],
  ["merge.verifySignatures", "false"],
  ["log.showSignature", "false"],
  ["gpg.program", "false"],
  ["gpg.openpgp.program", "false"],
  ["gpg.x509.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.ssh.defaultKeyCommand", "false"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["push.recurseSubmodules", "no"],
  // By these, a merge or a rebase of Pawl's would do something else, or refuse.
  ["merge.ff", "true"],
  ["rerere.autoUpdate", "false"],
  ["rebase.autoSquash", "false"],
  ["rebase.rebaseMerges", "false"],
  ["rebase.updateRefs", "false"],
];

/** Settings that name programs (of git-lfs, too), and that a value on the command line does not replace. */
const REFUSED =
  /^(?:core\.gitproxy|remote\..*\.(?:uploadpack|receivepack|vcs)|lfs\.extension\..*|lfs\.customtransfer\..*\.path|lfs\.(?:.*\.)?standalonetransferagent)$/s;
/** Settings that redirect what is sent to a remote, credentials included, past the person's own settings. */
const REFUSED_WITH_CREDENTIALS =
  /^http\.(?:.*\.)?(?:proxy|proxyssl[a-z]*|sslverify|sslcainfo|sslcapath|sslbackend|curloptresolve)$/s;
const DRIVER = /^(filter|merge)\.(.+)\.(clean|smudge|process|required|driver|recursive)$/s;

/** Throws `git-config-untrusted` for a setting of the repository's own that cannot be overridden. */
export function checkConfig(config: KnownConfig, folder: string, withCredentials: boolean): void {
  for (const entry of config.entries) {
    if (isOwnScope(entry)) continue;
    const { key, value } = entry;
    if (REFUSED.test(key)) throw untrustedConfigError(folder, key, "names a program for git to run");
    if (withCredentials && REFUSED_WITH_CREDENTIALS.test(key))
      throw untrustedConfigError(folder, key, "decides where credentials are sent");
    if (DRIVER.test(key) && key.includes("="))
      throw untrustedConfigError(folder, key, "has a name with an equals sign, so it cannot be overridden");
    if (key === "core.worktree" && leadsElsewhere(config.repository, value))
      throw untrustedConfigError(
        folder,
        key,
        `leads to ${JSON.stringify(value.slice(0, 200))}, not to this folder`,
      );
  }
}

function leadsElsewhere(repository: Discovered | null, value: string): boolean {
  if (repository?.top == null) return false;
  return realOr(resolve(repository.own, value)) !== realOr(repository.top);
}

function untrustedConfigError(folder: string, key: string, why: string): PawlError {
  return new PawlError(
    "git-config-untrusted",
    `The repository of ${folder} sets ${JSON.stringify(key)} in its own configuration, which an agent can write: expected it to be unset there; it ${why}.`,
    `Find out who set it, then run \`git -C ${folder} config --unset-all ${key}\`; if it is yours, set it with \`git config --global\`.`,
  );
}

/** The filters that git must not run: every configured one except those that the person trusts. */
export function filtersIn(config: KnownConfig): readonly string[] {
  return namesOf(config, "filter");
}

function namesOf({ entries }: KnownConfig, section: string, isPersons?: boolean): readonly string[] {
  const names = entries
    .filter((entry) => isPersons === undefined || isOwnScope(entry) === isPersons)
    .map(({ key }) => DRIVER.exec(key))
    .filter((match) => match?.[1] === section)
    .map((match) => match?.[2] ?? "");
  return [...new Set(names)].filter((name) => !name.includes("="));
}

/**
 * An untrusted filter gets no command and is required: git fails where it would be used, and passes
 * elsewhere. A trusted one gets the person's own commands.
 */
export function driverOverrides(
  config: KnownConfig,
  trusted: readonly string[],
): readonly (readonly [string, string])[] {
  const persons = (key: string) => lastOf(config, key, true);
  const filters = filtersIn(config).flatMap((name): readonly (readonly [string, string])[] => {
    const isTrusted = trusted.includes(name) && isOwnFilter(config, name);
    const command = (part: string) => (isTrusted ? (persons(`filter.${name}.${part}`) ?? "") : "");
    const required = isTrusted ? (persons(`filter.${name}.required`) ?? "false") : "true";
    // An empty `process` would replace clean and smudge, so without a process there must be no entry.
    const process = command("process");
    return [
      [`filter.${name}.clean`, command("clean")],
      [`filter.${name}.smudge`, command("smudge")],
      ...(process !== "" || !isTrusted ? ([[`filter.${name}.process`, process]] as const) : []),
      [`filter.${name}.required`, required],
    ];
  });
  const merges = namesOf(config, "merge", false).map(
    (name) => [`merge.${name}.driver`, persons(`merge.${name}.driver`) ?? "false"] as const,
  );
  return [...filters, ...merges];
}

/**
 * Whether the person's own configuration defines the filter. If it has no process there, an empty one cannot
 * be set, and a process set by the repository would run.
 */
export function isOwnFilter(config: KnownConfig, name: string): boolean {
  const process = `filter.${name}.process`;
  if (lastOf(config, process, true) === null && lastOf(config, process) !== null) return false;
  return ["clean", "smudge", "process"].some(
    (part) => lastOf(config, `filter.${name}.${part}`, true) !== null,
  );
}

/** The last value of a key; with `onlyPersons`, only from the person's own configuration. Null if it is not set. */
export function lastOf({ entries }: KnownConfig, key: string, onlyPersons = false): string | null {
  const last = entries.findLast((entry) => entry.key === key && (!onlyPersons || isOwnScope(entry)));
  return last?.value ?? null;
}

/** Drops all credential helpers, then adds the person's own. */
export function credentialOverrides({ entries }: KnownConfig): readonly (readonly [string, string])[] {
  const helpers = entries.filter(
    (entry) =>
      isOwnScope(entry) && /^credential\.(?:.*\.)?helper$/s.test(entry.key) && !entry.key.includes("="),
  );
  return [["credential.helper", ""], ...helpers.map(({ key, value }) => [key, value] as const)];
}

/** Whether a remote's name, or an address, is a folder of this machine. */
export function isLocalRemote(config: KnownConfig, remote: string, push: boolean): boolean {
  const pushed = push ? lastOf(config, `remote.${remote}.pushurl`) : null;
  const named = pushed ?? lastOf(config, `remote.${remote}.url`) ?? remote;
  const url =
    (push && pushed === null ? rewritten(config, named, "pushinsteadof") : null) ??
    rewritten(config, named, "insteadof") ??
    named;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return /^file:/i.test(url);
  const colon = url.indexOf(":");
  const slash = url.indexOf("/");
  return colon < 0 || (slash >= 0 && slash < colon);
}

/** The address after `url.<base>.insteadOf`, by its longest match; null if none matches. */
function rewritten(
  { entries }: KnownConfig,
  url: string,
  rule: "insteadof" | "pushinsteadof",
): string | null {
  const ending = `.${rule}`;
  const matches = entries
    .filter(({ key, value }) => key.startsWith("url.") && key.endsWith(ending) && url.startsWith(value))
    .sort((a, b) => b.value.length - a.value.length);
  const [longest] = matches;
  if (longest === undefined) return null;
  return longest.key.slice("url.".length, -ending.length) + url.slice(longest.value.length);
}

/** Reads `git config --list --show-scope -z`: scope NUL key LF value NUL. */
function parseConfig(text: string): readonly ConfigEntry[] {
  const fields = text.split("\0");
  const entries: ConfigEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const entry = fields[at + 1] ?? "";
    const end = entry.indexOf("\n");
    const key = end < 0 ? entry : entry.slice(0, end);
    entries.push({ scope: fields[at] ?? "", key, value: end < 0 ? "true" : entry.slice(end + 1) });
  }
  return entries;
}

interface Cached {
  readonly signature: string;
  readonly config: KnownConfig;
}

const cache = new Map<string, Cached>();
const MAX_CACHED = 200;
/** Longer than the clock resolution of any file system in use. */
const RACY_MILLISECONDS = 50;

/** The folder's configuration, read again only if its files have changed. */
export async function knownConfig(
  folder: string,
  environment: Environment,
  list: () => Promise<string>,
): Promise<KnownConfig> {
  const repository = discover(folder);
  const files = filesOf(repository, environment);
  const key = [repository?.own ?? "", ...files].join("\0");
  const before = signatureOf(files);
  const cached = cache.get(key);
  if (cached?.signature === before.text) return cached.config;
  const config: KnownConfig = { repository, entries: parseConfig(await list()) };
  const isSettled = Date.now() - before.newest > RACY_MILLISECONDS && signatureOf(files).text === before.text;
  const includes = config.entries.some((entry) => !isOwnScope(entry) && /^include(?:if)?\./.test(entry.key));
  cache.delete(key);
  if (isSettled && !includes) {
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, { signature: before.text, config });
  }
  return config;
}

function filesOf(repository: Discovered | null, environment: Environment): readonly string[] {
  const home = environment.HOME ?? homedir();
  const xdg = environment.XDG_CONFIG_HOME || join(home, ".config");
  const local = repository
    ? [join(repository.common, "config"), join(repository.own, "config.worktree")]
    : [];
  const global = environment.GIT_CONFIG_GLOBAL;
  return [...local, ...(global ? [global] : [join(home, ".gitconfig"), join(xdg, "git", "config")])];
}

function signatureOf(files: readonly string[]): { readonly text: string; readonly newest: number } {
  let newest = 0;
  const texts = files.map((path) => {
    const stat = statOr(path);
    if (stat === null) return "-";
    newest = Math.max(newest, Number(stat.ctimeMs), Number(stat.mtimeMs));
    return stampOf(stat);
  });
  return { text: texts.join("|"), newest };
}

/** Stays equal while a file is unchanged: other content has another inode, size or time. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

function statOr(path: string): BigIntStats | null {
  return attempt(() => statSync(path, { bigint: true }), null);
}

/**
 * The folder of the hooks that a push runs: the person's own setting, else the repository's own; null: none.
 */
export function hooksFolder(config: KnownConfig, environment: Environment): string | null {
  if (config.entries.some((entry) => entry.key === "core.hookspath" && !isOwnScope(entry))) return null;
  const configured = lastOf(config, "core.hookspath", true);
  if (configured?.startsWith("~/")) return join(environment.HOME ?? homedir(), configured.slice(2));
  if (configured !== null) return isAbsolute(configured) ? configured : null;
  return config.repository ? join(config.repository.common, "hooks") : null;
}
