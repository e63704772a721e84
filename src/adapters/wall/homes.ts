/**
 * The places that the wall hides (homes, and folders of temporary files and sockets), and the parts of them
 * that an agent or a tool needs.
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { realOr } from "../git/discover.ts";
import { CERTIFICATES, type Environment } from "../process/environment.ts";
import { isInside } from "./arguments.ts";

/** An agent's own folder: private, and kept as long as its workspace. Names are relative to it. */
export interface AgentHome {
  readonly at: string;
  /** The person's own settings: read-only, since other programs would execute them too. */
  readonly read: readonly string[];
  /** Files that a run must renew for the person too: credentials. */
  readonly write: readonly string[];
  /** Copied afresh for each run. */
  readonly copy: readonly string[];
}

const TEMPORARY = ["/tmp", "/var/tmp", "/run", "/var/run"];
const XDG = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];

export function homeOf(environment: Environment): string {
  return realOr(environment.HOME || listedHome() || "/");
}

/** From the system's list of users; null: this user is not in it, as in a container with a uid of its own. */
function listedHome(): string | null {
  return attempt(() => userInfo().homedir, null);
}

/** The hidden places: each exists, is not a link, and is not the root of the file system. */
export function hiddenPaths(environment: Environment): readonly string[] {
  const homes = [homeOf(environment), listedHome() ?? undefined, ...XDG.map((name) => environment[name])];
  const places = [...TEMPORARY, ...homes]
    .filter((path): path is string => path !== undefined && isAbsolute(path))
    .map(realOr)
    .filter((path) => path !== "/" && isFolder(path));
  return [...new Set(places)];
}

export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** In HOME: the committer, and the person's own git settings. */
const IDENTITY = [".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"];

/** In HOME: what programs installed for one person need, and which part of it is secret. */
const TOOLCHAINS = [
  ...[".nvm", ".volta", ".fnm", ".local/share/fnm", ".nodenv", ".asdf", ".local/share/mise", ".sdkman"],
  ...[".pyenv", ".local/share/uv", ".rbenv", ".rvm", ".cargo", ".rustup", ".bun", ".deno", ".ghcup"],
  ...[".local/share/pnpm", ".goenv", ".jenv", ".local/lib", "sdk"],
  // Which versions mise and asdf are to start: without them, they start what else is on the PATH.
  ...[".config/mise/config.toml", ".tool-versions", ".asdfrc"],
];
const SECRETS = [".cargo/credentials", ".cargo/credentials.toml"];

/** Paths in the person's home that every program may read; missing ones are left out. */
export function usualReads(environment: Environment): readonly string[] {
  const home = homeOf(environment);
  const named = [
    ...[...IDENTITY, ...TOOLCHAINS].map((name) => join(home, name)),
    ...[...CERTIFICATES, "GIT_CONFIG_GLOBAL"].map((name) => environment[name] ?? ""),
    "/etc/resolv.conf",
  ];
  return named.filter((path) => isAbsolute(path) && existsSync(path));
}

export function secretFiles(environment: Environment): readonly string[] {
  const home = homeOf(environment);
  return SECRETS.map((name) => join(home, name)).filter((path) => existsSync(path));
}

/** In HOME: what a folder's other parts are shown without. pnpm fails if it cannot write its store, and makes one inside. */
const LEFT_OUT = [".local/share/pnpm/store", ...SECRETS];

/**
 * The paths, each folder with a part that is left out by its other parts: that one may appear or be replaced later, which
 * takes away what covers it.
 */
export function withoutLeftOut(paths: readonly string[], environment: Environment): readonly string[] {
  const left = new Set(LEFT_OUT.map((name) => join(homeOf(environment), name)));
  const folders = new Set([...left].map(dirname));
  return paths.flatMap((path) => {
    if (!folders.has(path)) return [path];
    const parts = attempt(() => readdirSync(path), []).map((name) => join(path, name));
    return parts.filter((part) => !left.has(part));
  });
}

/** The files of the programs on the PATH that are in a hidden place. */
export function programReads(
  environment: Environment,
  programs: readonly string[],
  hidden: readonly string[],
): readonly string[] {
  const isHidden = (path: string) => hidden.some((place) => isInside(path, place));
  const entries = (environment.PATH ?? "")
    .split(delimiter)
    .filter((path) => isAbsolute(path) && existsSync(path));
  const programPaths = programs.flatMap((program) => locate(program, entries));
  const wanted = [
    ...entries.map((entry) => installationOf(entry, hidden)),
    ...programPaths.flatMap((path) => [path, realOr(path)]).map((path) => packageOf(path, hidden)),
  ];
  return [...new Set(wanted)].filter((path) => isHidden(path) && !hidden.includes(path));
}

function locate(program: string, entries: readonly string[]): readonly string[] {
  if (isAbsolute(program)) return existsSync(program) ? [program] : [];
  const path = entries.map((entry) => join(entry, program)).find((each) => existsSync(each));
  return path === undefined ? [] : [path];
}

/** `~/tool/bin` needs `~/tool`; `~/bin` and `~/.local/bin` need nothing else. */
function installationOf(entry: string, hidden: readonly string[]): string {
  const above = dirname(entry);
  const isAlone = basename(entry) !== "bin" || basename(above) === ".local" || hidden.includes(above);
  return isAlone ? entry : above;
}

/**
 * The outermost `node_modules`, else the folder with a package.json, else the file's own folder; never a
 * whole home.
 */
function packageOf(path: string, hidden: readonly string[]): string {
  const at = path.indexOf("/node_modules/");
  if (at >= 0) return path.slice(0, at + "/node_modules".length);
  const isWhole = (folder: string) => folder === dirname(folder) || hidden.includes(folder);
  for (let folder = dirname(path); !isWhole(folder); folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return hidden.includes(dirname(path)) ? path : dirname(path);
}

/** A path from the settings: absolute, from `~/`, or from the project's root. */
export function namedPath(path: string, root: string, environment: Environment): string {
  if (path === "~" || path.startsWith("~/")) return join(homeOf(environment), path.slice(1));
  return isAbsolute(path) ? path : join(root, path);
}
