/** Installs a program at its version into a cache, outside Pawl's own dependencies. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { PROGRAMS, type ProgramName } from "./programs.ts";

/** The program's file; installed if it is not there. */
export function install(name: ProgramName): string {
  const program = PROGRAMS[name];
  const cache =
    process.env.PAWL_AGENT_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "pawl");
  const folder = join(cache, "agents", `${name}-${program.version}`);
  const binary = join(folder, "node_modules/.bin", program.bin);
  if (existsSync(join(folder, "complete")) && existsSync(binary)) return binary;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const what = `${program.package}@${program.version}`;
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  execFileSync("npm", ["install", ...options, what], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(join(folder, "complete"), "");
  return binary;
}
