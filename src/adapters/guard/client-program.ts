/**
 * The version of the client that calls its hook: found among this process's ancestors, and kept per program
 * file.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, parse } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { ownAncestors } from "../agents/ancestry.ts";
import { spawnSync } from "../process/start-program.ts";

const CLIENT_TIMEOUT = 10_000;
const RUNTIMES = /^(?:node|bun|deno)$/;

export interface ClientProgram {
  /** `1.2.3` */
  readonly version: string | null;
  /** The words of its command line. */
  readonly words: readonly string[];
}

/**
 * Null: no ancestor is such a program. `is`: its name, or the folder of its package. `kept`: the folder for
 * results.
 */
export function clientAbove(is: RegExp, kept: string): ClientProgram | null {
  for (const { pid, words } of ownAncestors()) {
    const [program = "", script = ""] = words;
    const isScript = RUNTIMES.test(basename(program));
    const name = isScript ? script : program;
    if (!is.test(basename(name)) && !is.test(name)) continue;
    const file = attempt(() => readlinkSync(`/proc/${pid}/exe`), isAbsolute(program) ? program : null);
    if (file === null || !existsSync(file)) return null;
    return { version: isScript ? inPackage(script) : askVersion(file, kept), words };
  }
  return null;
}

function inPackage(script: string): string | null {
  if (!isAbsolute(script)) return null;
  const real = attempt(() => realpathSync(script), "/");
  for (let at = dirname(real); at !== dirname(at); at = dirname(at)) {
    const version = attempt(() => JSON.parse(readFileSync(join(at, "package.json"), "utf8")).version, null);
    if (typeof version === "string") return version;
  }
  return null;
}

export function askVersion(file: string, kept: string): string | null {
  const { mtimeMs, size } = statSync(file);
  const note = join(kept, `${hashOf(JSON.stringify([file, size, mtimeMs])).slice(0, 16)}.version`);
  const known = attempt(() => readFileSync(note, "utf8"), null);
  if (known !== null) return known || null;
  const answer = spawnSync(file, ["--version"], {
    // Not in the project: a program that Bun made obeys the `bunfig.toml` of the folder in which it is started.
    cwd: parse(file).root,
    encoding: "utf8",
    timeout: CLIENT_TIMEOUT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [version = ""] = /\d+\.\d+\.\d+/.exec(answer.stdout ?? "") ?? [];
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  writeFileSync(note, version, { mode: 0o600 });
  return version || null;
}

/** Whether the version is this one or newer. */
export function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [at, wanted] of least.entries()) {
    const part = parts[at] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
