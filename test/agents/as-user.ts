/** Runs a program of the tests again as another user, who gets the installed agents and a home of their own. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder } from "./agent-project.ts";
import { install } from "./install.ts";
import type { ProgramName } from "./programs.ts";

/** Its exit code. The agents' cache may lie in a home that is closed to others, so they get links to its files. */
export function runAs(uid: number, program: string, agents: readonly ProgramName[]): number {
  const lent = freshFolder("lent");
  try {
    const cache = join(lent, "agents");
    mkdirSync(cache);
    for (const name of agents) {
      const installed = dirname(dirname(dirname(install(name))));
      const link = (how: string) => execFileSync("cp", [how, installed, cache], { stdio: "pipe" });
      try {
        link("-al");
      } catch {
        // Another file system.
        link("-a");
      }
    }
    const home = join(lent, "home");
    mkdirSync(home);
    chownSync(home, uid, uid);
    chmodSync(lent, 0o755);
    const { LANG = "C.UTF-8", PATH = "" } = process.env;
    const env = { LANG, PATH, HOME: home, PAWL_AGENT_CACHE: lent };
    return spawnSync(process.execPath, [program], { uid, gid: uid, env, stdio: "inherit" }).status ?? 1;
  } finally {
    rmSync(lent, { recursive: true, force: true });
  }
}
