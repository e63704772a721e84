/**
 * The person's git configuration for the project, as one file for a workspace: includes resolved, in order.
 * It replaces `~/.gitconfig` there, not the workspace's own configuration: tools such as husky write into
 * that, and it must win.
 *
 * Left out: the form and place of the one repository, its remotes, secrets, and signing, which is done
 * outside.
 */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import type { Environment } from "../../process/environment.ts";
import { configOf, type GitCall } from "../git.ts";
import { type ConfigEntry, hooksFolder, lastOf } from "../safe-config.ts";
import { configText, type Setting } from "./skeleton.ts";

const OWN =
  /^(?:core\.(?:repositoryformatversion|bare|worktree|logallrefupdates|fsmonitor|untrackedcache|sshcommand|askpass|gitproxy|editor|pager|alternaterefs.*|splitindex|sharedrepository)|extensions\..*|remote\..*|branch\..*\.(?:remote|merge|pushremote)|submodule\..*\.(?:url|active|update)|include\..*|includeif\..*|safe\..*|maintenance\..*|gc\..*|uploadpack\..*|receive\..*|init\.templatedir|sequence\.editor|interactive\..*)$/s;
const SECRET =
  /^(?:credential\..*|http\..*|sendemail\..*|imap\..*|git(?:hub|lab)\..*|.*(?:token|secret|passw|apikey|authorization).*)$/is;
const SIGNING =
  /^(?:gpg\..*|commit\.gpgsign|tag\.(?:gpgsign|forcesignannotated)|push\.gpgsign|user\.signingkey)$/s;
const PATHS =
  /^(?:core\.(?:hookspath|excludesfile|attributesfile)|commit\.template|blame\.ignorerevsfile|mailmap\.file)$/;
const USERINFO = /\/\/[^/\s@]*@/;

export interface PersonConfig {
  readonly text: string;
  /** Files and folders that the configuration names and that must be readable behind the wall. */
  readonly places: readonly string[];
}

/** The text of the file for workspaces of the repository at `top`. */
export async function personConfig(call: GitCall, top: string): Promise<PersonConfig> {
  const { entries } = await configOf(call);
  const home = call.environment.HOME ?? homedir();
  const paths = new Set<string>();
  const added = [...defaultSettings(call.environment, home, entries), ...pointers(entries)];
  const kept = [...added, ...entries.filter(isKept)].map(({ key, value }) => {
    const path = PATHS.test(key) ? absolute(value, home) : null;
    if (path === null) return { key, value };
    // The workspace has its own copy of a file of the checkout.
    const within = relative(top, path);
    if (!within.startsWith("..") && !isAbsolute(within)) return { key, value: within };
    paths.add(path);
    return { key, value: path };
  });
  return { text: configText(kept), places: [...paths].filter((path) => existsSync(path)) };
}

/** Git in a workspace reads the system's file itself. */
function isKept({ key, scope, value }: ConfigEntry): boolean {
  if (scope === "command" || scope === "system") return false;
  return (
    !OWN.test(key) && !SIGNING.test(key) && !SECRET.test(key) && !USERINFO.test(key) && !USERINFO.test(value)
  );
}

/** A large file that the person lacks is a pointer in a workspace, as it is in their checkout. */
function pointers(entries: readonly ConfigEntry[]): readonly Setting[] {
  const isUsed = entries.some(({ key }) => key.startsWith("filter.lfs."));
  return isUsed ? [{ key: "lfs.skipdownloaderrors", value: "true" }] : [];
}

function absolute(value: string, home: string): string | null {
  if (value.startsWith("~/")) return join(home, value.slice(2));
  return isAbsolute(value) ? value : null;
}

/** Git reads these two by default. */
function defaultSettings(
  environment: Environment,
  home: string,
  entries: readonly ConfigEntry[],
): readonly Setting[] {
  const folder = join(environment.XDG_CONFIG_HOME || join(home, ".config"), "git");
  return [
    { key: "core.excludesfile", value: join(folder, "ignore") },
    { key: "core.attributesfile", value: join(folder, "attributes") },
  ].filter(({ key, value }) => existsSync(value) && !entries.some((entry) => entry.key === key));
}

/**
 * Copies the parts of the person's repository that are not in its commits: ignored and sparse paths,
 * attributes; hooks if `withHooks`.
 */
export async function copyUncommitted(call: GitCall, to: string, withHooks: boolean): Promise<void> {
  const config = await configOf(call);
  const common = config.repository?.common;
  if (common === undefined) return;
  mkdirSync(join(to, "info"), { recursive: true });
  for (const folder of [common, config.repository?.own ?? common])
    for (const name of ["exclude", "attributes", "sparse-checkout"])
      copyPlain(join(folder, "info", name), join(to, "info", name));
  if (!withHooks) return;
  if (lastOf(config, "core.hookspath") !== null) return;
  const hooks = hooksFolder(config, call.environment);
  for (const name of hooks === null ? [] : attempt(() => readdirSync(hooks), [])) {
    if (name.endsWith(".sample")) continue;
    mkdirSync(join(to, "hooks"), { recursive: true });
    copyPlain(join(hooks ?? "", name), join(to, "hooks", name));
  }
}

function copyPlain(from: string, to: string): void {
  attempt(() => {
    if (lstatSync(from).isFile()) copyFileSync(from, to);
  }, undefined);
}
