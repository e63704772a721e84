/** Whether bubblewrap can build a wall here, tried once per process. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { Environment } from "../process/environment.ts";
import { findProgram } from "../process/programs.ts";
import { spawnSync } from "../process/start-program.ts";
import { BASE_ARGUMENTS } from "./arguments.ts";

const PROBE_TIMEOUT = 10_000;
const results = new Map<string, Probed>();

export type Probed = { readonly program: string } | { readonly program: null; readonly why: string };

const MINUTE = 60 * 1000;

/**
 * The same for programs that are started often: the result is kept in the folder by the PATH, for an hour, or where there
 * is no wall, for a minute: a person may be about to change that.
 */
export function probeKept(environment: Environment, folder: string): Probed {
  const path = environment.PATH ?? "";
  const note = join(folder, "probe.json");
  const kept = attempt(
    () => JSON.parse(readFileSync(note, "utf8")) as { path: string; result: Probed; at: number },
    null,
  );
  if (
    kept?.path === path &&
    Math.abs(Date.now() - kept.at) < (kept.result.program === null ? 1 : 60) * MINUTE
  )
    return kept.result;
  const result = probe(environment);
  attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(note, JSON.stringify({ path, result, at: Date.now() }), { mode: 0o600 });
  }, undefined);
  return result;
}

export function probe(environment: Environment): Probed {
  const path = environment.PATH ?? "";
  const result = results.get(path) ?? probeOnce(environment);
  results.set(path, result);
  return result;
}

/**
 * Whether bubblewrap makes files outside by a planted link (CVE-2026-87766). Found out by trying, since
 * distributions patch old versions. `scratch`: an empty folder.
 */
export function followsPlanted(program: string, scratch: string): boolean {
  const [inside, outside] = [join(scratch, "inside"), join(scratch, "outside")];
  for (const each of [inside, outside]) mkdirSync(each);
  symlinkSync(`/oldroot${outside}`, join(inside, "link"));
  const cover = ["--bind", inside, inside, "--ro-bind", "/dev/null", join(inside, "link/made")];
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  spawnSync(program, [...BASE_ARGUMENTS, ...cover, "--", "true"], {
    timeout: PROBE_TIMEOUT,
    stdio: "ignore",
    env: {},
  });
  return existsSync(join(outside, "made"));
}

function probeOnce(environment: Environment): Probed {
  if (process.platform !== "linux")
    return { program: null, why: `bubblewrap builds it, on Linux only, and this is ${process.platform}` };
  const { path: program, why } = findProgram("bwrap", environment);
  if (program === null) return { program: null, why: `bubblewrap is missing: there is ${why}` };
  const args = [
    ...BASE_ARGUMENTS,
    "--tmpfs",
    "/tmp",
    "--",
    findProgram("true", environment).path ?? "/bin/true",
  ];
  const tried = spawnSync(program, args, { encoding: "utf8", timeout: PROBE_TIMEOUT, stdio: "pipe" });
  if (tried.status === 0) return { program };
  const reason = tried.error?.message ?? tried.stderr.trim().split("\n").at(-1) ?? "";
  return {
    program: null,
    why: `${program} cannot build it here: ${reason.slice(0, 300)}${restriction(reason)}`,
  };
}

/**
 * What keeps programs from namespaces of their own, as Ubuntu does since 23.10; of root it keeps none. A container shows the
 * machine's setting, and may have other reasons.
 */
export function restriction(reason: string, file = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns") {
  const isIts = /(?:uid map|new namespace failed): Permission denied/.test(reason);
  return isIts && attempt(() => readFileSync(file, "latin1"), "").trim() === "1"
    ? "; AppArmor allows it no user namespace, as on Ubuntu"
    : "";
}
