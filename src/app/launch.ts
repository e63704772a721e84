import { join, sep } from "node:path";

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

/**
 * How a client starts this program again: by its package's name if it is installed as one, otherwise by its
 * path. The path comes with the present Node, since a client may have an older one first on its PATH.
 */
export function launchOf({ home, cwd }: LaunchFolders): readonly string[] {
  const at = home.lastIndexOf(`${sep}node_modules${sep}pawl${sep}`);
  // npx may have it from a file: by its name alone, npx would fetch any package of that name in the registry.
  if (at < 0 || home.includes(`${sep}_npx${sep}`)) return [...programOf(home), "mcp"];
  return `${cwd}${sep}`.startsWith(home.slice(0, at) + sep) ? [...BY_NPX, "mcp"] : ["pawl", "mcp"];
}

/** How this machine starts this program, from any folder. */
export function programOf(home: string): readonly string[] {
  return [process.execPath, join(home, home.endsWith("src") ? "main.ts" : "main.js")];
}

/** How any machine with the project starts this program: never by a path of this one. */
export function sharedProgramOf(folders: LaunchFolders): readonly string[] {
  const words = launchOf(folders).slice(0, -1);
  return words[0] === process.execPath ? ["pawl"] : words;
}
