/** Installs a program at its version into a cache, outside Pawl's own dependencies. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Installable {
  readonly package: string;
  readonly version: string;
}

/** A registry that hangs is asked anew. */
const PATIENCE = 80_000;
const TRIES = 3;

/**
 * The program's `node_modules`; installed into the named folder of the cache if it is not there. Of all packages only the
 * program's own install script is run: claude's links its binary there.
 */
export function installInto(name: string, program: Installable): string {
  const there = installedIn(name, program);
  if (there !== null) return there;
  const folder = folderOf(name, program);
  const modules = join(folder, "node_modules");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const what = `${program.package}@${program.version}`;
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  npm(folder, ["install", ...options, what]);
  npm(folder, ["rebuild", "--loglevel=error", program.package]);
  writeFileSync(join(folder, "complete"), "");
  return modules;
}

/** The program's `node_modules`, if it was installed before; else null. */
export function installedIn(name: string, program: Installable): string | null {
  const folder = folderOf(name, program);
  const modules = join(folder, "node_modules");
  return existsSync(join(folder, "complete")) && existsSync(join(modules, program.package)) ? modules : null;
}

function folderOf(name: string, { version }: Installable): string {
  const cache =
    process.env.PAWL_AGENT_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "pawl");
  return join(cache, `${name}-${version}`);
}

function npm(folder: string, args: readonly string[]): void {
  for (let left = TRIES; left > 0; left--) {
    try {
      execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"], timeout: PATIENCE });
      return;
    } catch (thrown) {
      if (left === 1 || (thrown as NodeJS.ErrnoException).code !== "ETIMEDOUT") throw thrown;
    }
  }
}
