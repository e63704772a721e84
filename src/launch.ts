import { realpathSync } from "node:fs";
import { delimiter, join, sep } from "node:path";

export interface LaunchPlace {
  /** The folder of the program's own files. */
  readonly home: string;
  readonly cwd: string;
  /** The caller's `$PATH`. */
  readonly path: string | undefined;
}

/** How a client starts this program again: by its package's name where it is installed as one, else by its path. */
export function launchOf({ home, cwd, path }: LaunchPlace): readonly string[] {
  if (home.includes(`${sep}_npx${sep}`)) return ["npx", "-y", "pawl", "mcp"];
  const at = home.lastIndexOf(`${sep}node_modules${sep}pawl${sep}`);
  if (at < 0) return [nodeOf(path), join(home, home.endsWith("src") ? "main.ts" : "main.js"), "mcp"];
  return `${cwd}${sep}`.startsWith(home.slice(0, at) + sep) ? ["npx", "pawl", "mcp"] : ["pawl", "mcp"];
}

/** `node` where that is the Node that runs now; another one may be too old for this program. */
function nodeOf(path = ""): string {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const running = realPath(process.execPath);
  const found = path
    .split(delimiter)
    .flatMap((folder) => (folder ? (realPath(join(folder, name)) ?? []) : []));
  return found[0] === running ? "node" : process.execPath;
}

function realPath(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}
