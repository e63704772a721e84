/**
 * Checks are commands of the project's own configuration, each run in a session of its own that outlives this process.
 * What a run was and how it ended lies in `.pawl/checks/<key>/`, so that whoever asks next, after a restart too,
 * finds it.
 *
 * R1  One run per key: its folder is made exclusively, and an outcome, once there, stays.
 * R2  The outcome is written by the run's own shell, beside its place and then renamed: it is whole or absent.
 * R3  A process is taken for the run's only if it began when the run's did: a pid alone may be another's by now.
 * R4  A run is taken for the key's only if it is of this very command, in a folder of its own: no link is followed.
 */
import { type SpawnOptions, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckOutcome, Checks } from "../../base/ports.ts";
import { ownPlace } from "../files/own-folder.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { openRedactor, type Redactor } from "../process/redact.ts";
import { birthOf, endGroup } from "./process.ts";
import { maskFile, tailOf } from "./tail.ts";

export interface ChecksOptions {
  /** The project's folder, absolute; commands run in it. */
  readonly root: string;
  /** Pawl's own: commands get of it what is on the allow-list, and its secrets are masked in what they print. */
  readonly environment: Environment;
  /** Names of the environment that commands may have besides the usual ones. */
  readonly names?: readonly string[];
  /** How long an outcome is waited for; default 20 s. */
  readonly patienceMilliseconds?: number;
  /** How long a command may run; default 30 min. Then it is ended with all that it started. */
  readonly limitMilliseconds?: number;
}

const PATIENCE = 20_000;
const LIMIT = 30 * 60_000;
const KEPT = 7 * 24 * 60 * 60_000;
const POLL = 50;
/** Longer than a spawn takes; a folder that has no start by then was left by a process that died. */
const START_PATIENCE = 5_000;

interface Start {
  readonly command: string;
  readonly pid: number;
  /** When the operating system says that the process began. */
  readonly birth: string | null;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** `$1` is the command, `$2` the run's folder. */
const SHELL = 'sh -c "$1"; code=$?; printf "%s" "$code" > "$2/ended.new" && mv "$2/ended.new" "$2/ended"';

export function openChecks(options: ChecksOptions): Checks {
  return {
    async run(key, command, named = command, { stop, onWait } = {}) {
      const folder = ownPlace(options.root, `.pawl/checks/${checkedKey(key)}`);
      const begun = Date.now();
      const until = begun + (options.patienceMilliseconds ?? PATIENCE);
      for (let told = 0; ; ) {
        const found = look(folder, command, options) ?? begin(folder, command, options);
        if (found.kind === "ended" || Date.now() >= until || stop?.aborted) return found;
        const seconds = Math.floor((Date.now() - begun) / 1000);
        if (seconds > told) onWait?.(`\`${named}\` is running, for ${seconds} s so far.`);
        told = Math.max(told, seconds);
        await sleep(Math.min(POLL, Math.max(1, until - Date.now())));
      }
    },
  };
}

function checkedKey(key: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/.test(key)) return key;
  throw new Error(`A command's key must be a plain file name, found ${JSON.stringify(key)}.`);
}

/** What is known of the run; null where it has to be begun, or begun again because it vanished without an outcome. */
function look(folder: string, command: string, options: ChecksOptions): CheckOutcome | null {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) rmSync(folder, { force: true });
  const start = readStart(folder);
  if (start !== null && start.command !== command) {
    if (start.birth !== null && birthOf(start.pid) === start.birth) endGroup(start.pid);
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  if (start === null) {
    const made = timeOf(folder);
    if (made === null) return null;
    if (Date.now() - made < START_PATIENCE)
      return { kind: "running", milliseconds: Date.now() - made, tail: "" };
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  const redactor = openRedactor(options.environment);
  const ended = endOf(folder, start, redactor);
  if (ended) return ended;
  const milliseconds = Date.now() - start.time;
  const isAlive = start.birth !== null && birthOf(start.pid) === start.birth;
  const tail = tailOf(join(folder, "output"), redactor);
  if (isAlive && milliseconds <= (options.limitMilliseconds ?? LIMIT))
    return { kind: "running", milliseconds, tail };
  if (isAlive) {
    endGroup(start.pid);
    writeFileSync(join(folder, "ended.new"), "");
    renameSync(join(folder, "ended.new"), join(folder, "ended"));
    return { kind: "ended", exitCode: null, milliseconds, tail };
  }
  // It may have ended between the two looks.
  const late = endOf(folder, start, redactor);
  if (late) return late;
  rmSync(folder, { recursive: true, force: true });
  return null;
}

function begin(folder: string, command: string, options: ChecksOptions): CheckOutcome {
  const { environment, names, root } = options;
  prune(join(folder, ".."));
  mkdirSync(join(folder, ".."), { recursive: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another process was faster: its run is the run.
    if ((cause as NodeJS.ErrnoException).code === "EEXIST")
      return { kind: "running", milliseconds: 0, tail: "" };
    throw cause;
  }
  const output = openSync(join(folder, "output"), "w", 0o600);
  const time = Date.now();
  const spawning: SpawnOptions = {
    cwd: root,
    env: { ...allowedEnvironment(environment, names), PWD: root, CI: "1" },
    detached: true,
    stdio: ["ignore", output, output],
  };
  const child = spawn("sh", ["-c", SHELL, "sh", command, folder], spawning);
  child.on("error", () => {});
  child.unref();
  closeSync(output);
  const { pid } = child;
  if (pid === undefined) {
    writeFileSync(join(folder, "output"), "The shell `sh` could not be started.\n");
    writeFileSync(join(folder, "ended"), "127");
  }
  const start: Start = { command, pid: pid ?? 0, birth: pid === undefined ? null : birthOf(pid), time };
  writeFileSync(join(folder, "start.new"), JSON.stringify(start));
  renameSync(join(folder, "start.new"), join(folder, "start.json"));
  return { kind: "running", milliseconds: 0, tail: "" };
}

function readStart(folder: string): Start | null {
  try {
    return JSON.parse(readFileSync(join(folder, "start.json"), "utf8")) as Start;
  } catch {
    return null;
  }
}

function endOf(folder: string, start: Start, redactor: Redactor): CheckOutcome | null {
  try {
    const path = join(folder, "ended");
    const code = readFileSync(path, "utf8").trim();
    const milliseconds = Math.max(0, Math.round(statSync(path).mtimeMs - start.time));
    const exitCode = code === "" ? null : Number(code);
    maskOutput(folder, redactor);
    return { kind: "ended", exitCode, milliseconds, tail: tailOf(join(folder, "output"), redactor) };
  } catch {
    return null;
  }
}

/** The command writes its output itself, since it outlives us: what it printed is masked on disk once it has ended. */
function maskOutput(folder: string, redactor: Redactor): void {
  const done = join(folder, "masked");
  if (redactor.longest === 0 || existsSync(done)) return;
  try {
    maskFile(join(folder, "output"), redactor);
    writeFileSync(done, "");
  } catch {
    // A full disk: whoever looks next tries again; what is shown is masked anyway.
  }
}

function timeOf(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

/** Outcomes are copied to where they are needed; old ones are dropped. */
function prune(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const made = timeOf(join(folder, name));
      if (made !== null && Date.now() - made > KEPT)
        rmSync(join(folder, name), { recursive: true, force: true });
    }
  } catch {
    // There is no such folder yet.
  }
}
