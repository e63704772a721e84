import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { attempt } from "../core/attempt.ts";

export interface LaunchFolders {
  /** The folder of the program's own files. */
  readonly home: string;
  readonly cwd: string;
}

/**
 * `--no`, since in a clone without installed packages npx would fetch any package of that name. The package is
 * named, since npx would prefer a program that the project's package.json calls so.
 */
export const BY_NPX = ["npx", "--no", "--package=pawl", "--", "pawl"] as const;

/** Where package.json names its package manager in `devEngines`, as pnpm makes it, npx refuses without force, and warns with it. */
const BY_FORCE = ["npx", "--force", "--loglevel=error", ...BY_NPX.slice(1)] as const;

/**
 * How a client starts this program again: by its package's name if it is installed as one, otherwise by its
 * path. The path comes with the present Node, since a client may have an older one first on its PATH.
 */
export function launchOf({ home, cwd }: LaunchFolders): readonly string[] {
  const folder = installedIn({ home, cwd });
  if (folder !== null && isFoundByNpx(folder, cwd))
    return [...(hasKey(folder, "devEngines") ? BY_FORCE : BY_NPX), "mcp"];
  // npx may have it from a file: by its name alone, npx would fetch any package of that name in the registry.
  const isCopy = /[\\/](?:_npx|\.yarn)[\\/]/.test(home);
  const isGlobal = folder === null && !isCopy && home.includes(`${sep}node_modules${sep}pawl${sep}`);
  return isGlobal ? ["pawl", "mcp"] : [...programIn(folder, home), "mcp"];
}

/** How this machine starts this program, from any folder. */
export function programOf(home: string): readonly string[] {
  return [process.execPath, join(home, home.endsWith("src") ? "main.ts" : "main.js")];
}

/** The same by the project's own name for it, which outlives an update: what it leads to has a version in its path. */
export function ownProgramOf(folders: LaunchFolders): readonly string[] {
  return programIn(installedIn(folders), folders.home);
}

function programIn(folder: string | null, home: string): readonly string[] {
  return programOf(folder === null ? home : join(folder, PACKAGE, relative(dirname(home), home)));
}

/** How any machine with the project starts this program: never by a path of this one. */
export function sharedProgramOf(folders: LaunchFolders): readonly string[] {
  const words = launchOf(folders).slice(0, -1);
  return words[0] === process.execPath ? ["pawl"] : words;
}

const PACKAGE = join("node_modules", "pawl");

/** The folder at or above whose dependency this program is: a link to it, with the managers that keep packages elsewhere. */
function installedIn({ home, cwd }: LaunchFolders): string | null {
  const real = (path: string) => attempt(() => realpathSync(path), null);
  const own = real(dirname(home));
  for (let at = cwd; ; at = dirname(at)) {
    if (own !== null && real(join(at, PACKAGE)) === own) return at;
    if (at === dirname(at)) return null;
  }
}

/**
 * npx looks in `.bin`, which Yarn's pnpm linker does not make, of the nearest package; above it only where that is one of
 * npm's `workspaces`, which pnpm's are not.
 */
function isFoundByNpx(folder: string, cwd: string): boolean {
  if (!existsSync(join(folder, "node_modules/.bin/pawl"))) return false;
  for (let at = cwd; at !== folder; at = dirname(at))
    if (["package.json", "node_modules"].some((name) => existsSync(join(at, name))))
      return hasKey(folder, "workspaces");
  return true;
}

function hasKey(folder: string, key: string): boolean {
  return attempt(() => key in JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), false);
}
