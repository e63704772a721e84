/**
 * Checks are commands of the project's own configuration, each run in a session of its own that outlives this
 * process. `.pawl/checks/<key>/` records the run and its end, so the next caller finds it, even after a
 * restart.
 *
 * R1  One run per key: its folder is created exclusively, and an outcome, once written, stays.
 * R2  The run's own shell writes the outcome under another name and then renames it: it is whole or absent.
 * R3  A process counts as the run's only if it began when the run did: another process may have the pid by
 *     now.
 * R4  A run counts as the key's only if it has this very command and a folder of its own: no link is
 *     followed.
 * R5  A run on a tree has a fresh checkout of it outside of the project: tools that search upward, as Node does for
 *     `node_modules`, find nothing of the person's there. Its shell removes it before the outcome is written.
 * R6  The run's shell waits for a line, which it gets once its start is recorded: without a record the
 *     command could not be found again, so it does not run.
 */

import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../core/attempt.ts";
import type { CheckOutcome, Checks } from "../../core/ports/checks.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import type { SetupSettings } from "../../core/settings.ts";
import { shellWord } from "../../core/text/shell-word.ts";
import { errnoOf, isAbsence } from "../files/disk.ts";
import { toDiskError } from "../files/disk-error.ts";
import { ownPath, REPLACING } from "../files/own-folder.ts";
import { readPlainText } from "../files/plain-file.ts";
import type { GitCall } from "../git/git.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { findProgram, safePath } from "../process/programs.ts";
import { openRedactor, type Redactor } from "../process/redact.ts";
import { remarksOn } from "../process/remarks.ts";
import { type ChildProcess, type SpawnOptions, spawn } from "../process/start-program.ts";
import { workFolder } from "../process/work-folder.ts";
import type { Wall } from "../wall/wall.ts";
import { birthOf, endGroup } from "./process.ts";
import { maskFile, ranNoTest, tailOf } from "./tail.ts";

export interface ChecksOptions {
  /** The project's folder, absolute; commands run in it. */
  readonly root: string;
  /**
   * Pawl's own environment. Commands get the allow-listed part of it, and its secrets are masked in their
   * output.
   */
  readonly environment: Environment;
  /** Names of more environment variables that commands may have. */
  readonly names?: readonly string[];
  /** The git filters that may run in a checkout. */
  readonly filters?: GitCall["filters"];
  /** Absent: there is no wall around commands. */
  readonly wall?: Wall | undefined;
  /** The setup of a checkout, before commands run in it. */
  readonly setup?: SetupSettings | undefined;
  /** How old a failure must be before a retry; default 1 min. */
  readonly retryMilliseconds?: number;
  /** How long to wait for an outcome; default 20 s. */
  readonly patienceMilliseconds?: number;
  /** How long a command may run; default 30 min. Then its whole process group is killed. */
  readonly limitMilliseconds?: number;
}

const WAIT_MILLISECONDS = 20_000;
const CHECK_TIMEOUT = 30 * 60_000;
const KEPT = 7 * 24 * 60 * 60_000;
const RETRY = 60_000;
const POLL = 50;
/** Milliseconds, longer than a spawn takes. A folder without a start by then was left by a dead process. */
const START_PATIENCE = 5_000;

interface Start {
  readonly command: string;
  /** The tree of the checkout that it runs in. Absent: it runs in the project's folder. */
  readonly tree?: string;
  readonly pid: number;
  /** When the process began, by the operating system. */
  readonly birth: string | null;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/**
 * `$1` is the run's folder, `$2` its checkout's, `$3` the hint after a failure, `$4` the PATH for this shell's own
 * programs; the command's words follow.
 */
const SHELL =
  'IFS= read -r recorded || exit; folder=$1; apart=$2; hint=$3; path=$4; shift 4; "$@" </dev/null; code=$?; PATH=$path; [ "$code" = 0 ] || printf "%s" "$hint"; rm -rf "$apart"; printf "%s" "$code" > "$folder/ended.new" && mv "$folder/ended.new" "$folder/ended"';

interface Run {
  readonly folder: string;
  /** The folder outside of the project that holds its checkout. */
  readonly apart: string;
  readonly command: string;
  readonly tree: string | null;
  readonly retry: boolean;
  readonly said: Readonly<Record<string, string>>;
  readonly wall: Wall | undefined;
}

export function openChecks(options: ChecksOptions): Checks {
  return {
    async run(key, command, on = {}, { stop, onWait } = {}) {
      const folder = join(ownPath(options.root, ".pawl/checks"), checkedKey(key));
      const wall = on.acts ? undefined : options.wall;
      const { said = {}, tree = null } = on;
      const apart = apartOf(key, options);
      const run = { folder, apart, command, tree, retry: on.retry === true, said, wall };
      const begun = Date.now();
      const until = begun + (options.patienceMilliseconds ?? WAIT_MILLISECONDS);
      for (let reported = 0; ; ) {
        const outcome = outcomeNow(run, options) ?? (await begin(run, options));
        if (stop?.aborted && outcome.kind === "running") callOff(run);
        if (outcome.kind === "ended" || Date.now() >= until || stop?.aborted) return outcome;
        const seconds = Math.floor((Date.now() - begun) / 1000);
        if (seconds > reported) onWait?.(`\`${on.named ?? command}\` is running, for ${seconds} s so far.`);
        reported = Math.max(reported, seconds);
        await sleep(Math.min(POLL, Math.max(1, until - Date.now())));
      }
    },
    recorded: async (key, command, { tree = null } = {}) =>
      stored(join(ownPath(options.root, ".pawl/checks"), checkedKey(key)), command, tree, options),
  };
}

function checkedKey(key: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/.test(key)) return key;
  throw new Error(`A command's key must be a plain file name, found ${JSON.stringify(key)}.`);
}

/** Each checkout has a folder of its own beside the workspaces, so that the wall treats it as one. */
function apartOf(key: string, { environment, root }: ChecksOptions): string {
  return join(workFolder(root, environment), `@check-${key}`);
}

/** The state of the run, without starting anything; null: there is none. */
function stored(
  folder: string,
  command: string,
  tree: string | null,
  { environment }: ChecksOptions,
): CheckOutcome | null {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  const start = readStart(folder);
  if (start === null || start.command !== command || (start.tree ?? null) !== tree) return null;
  return stateOf(folder, start, environment);
}

/** Null: it vanished without an outcome. */
function stateOf(folder: string, start: Start, environment: Environment): CheckOutcome | null {
  const redactor = openRedactor(environment);
  const ended = endOf(folder, start, redactor);
  if (ended) return ended;
  // It may end between the two reads.
  if (!isAlive(start)) return endOf(folder, start, redactor);
  const tail = tailOf(join(folder, "output"), redactor);
  return { kind: "running", milliseconds: Date.now() - start.time, tail };
}

function isAlive({ birth, pid }: Pick<Start, "birth" | "pid">): boolean {
  return birth !== null && birthOf(pid) === birth;
}

/** The state of the run. Null: start it, perhaps again because it vanished without an outcome. */
function outcomeNow(run: Run, options: ChecksOptions): CheckOutcome | null {
  const { command, folder } = run;
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats && !stats.isDirectory()) rmSync(folder, { force: true });
  const start = readStart(folder);
  if (start !== null && (start.command !== command || (start.tree ?? null) !== run.tree)) {
    discard(run, start);
    return null;
  }
  if (start === null) {
    const made = timeOf(folder);
    if (made === null) return null;
    if (Date.now() - made < START_PATIENCE || isBeingMade(folder))
      return { kind: "running", milliseconds: Date.now() - made, tail: "" };
    remove(run);
    return null;
  }
  const state = stateOf(folder, start, options.environment);
  if (state?.kind === "ended" && !isStale(run, options)) return state;
  if (state?.kind === "running") {
    if (state.milliseconds <= (options.limitMilliseconds ?? CHECK_TIMEOUT)) return state;
    endGroup(start.pid);
    rmSync(run.apart, { recursive: true, force: true });
    writeFileSync(join(folder, "ended.new"), "");
    renameSync(join(folder, "ended.new"), join(folder, "ended"));
    return { ...state, kind: "ended", exitCode: null };
  }
  remove(run);
  return null;
}

function discard(run: Run, start: Start): void {
  if (isAlive(start)) endGroup(start.pid);
  remove(run);
}

function remove({ apart, folder }: Pick<Run, "apart" | "folder">): void {
  for (const each of [apart, folder]) rmSync(each, { recursive: true, force: true });
}

/**
 * Called when the caller stops waiting. Ends a run on a tree, which the next caller starts again, since it
 * works only on a checkout of its own. A run in the project's folder continues, so that its work there is not
 * interrupted.
 */
function callOff(run: Run): void {
  const start = run.tree === null ? null : readStart(run.folder);
  if (start !== null) discard(run, start);
}

/** Whether it failed so long ago that a person may have fixed something since. */
function isStale({ folder, retry }: Run, options: ChecksOptions): boolean {
  if (!retry || readPlainText(join(folder, "ended")).trim() === "0") return false;
  return Date.now() - (timeOf(join(folder, "ended")) ?? 0) > (options.retryMilliseconds ?? RETRY);
}

async function begin(run: Run, options: ChecksOptions): Promise<CheckOutcome> {
  const { folder } = run;
  prune(join(folder, ".."), options);
  mkdirSync(join(folder, ".."), { recursive: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another process was faster: its run counts.
    if (errnoOf(cause) === "EEXIST") return { kind: "running", milliseconds: 0, tail: "" };
    throw cause;
  }
  try {
    start(
      run,
      run.tree === null ? { cwd: options.root, command: run.command } : await prepare(run, options),
      options,
    );
  } catch (cause) {
    remove(run);
    throw cause;
  }
  return { kind: "running", milliseconds: 0, tail: "" };
}

interface Prepared {
  readonly cwd: string;
  readonly command: string;
}

/** Makes the checkout of the tree, and its setup before the command. */
async function prepare({ apart, command, folder, tree }: Run, options: ChecksOptions): Promise<Prepared> {
  const { environment, filters, root, setup } = options;
  writeFileSync(
    join(folder, "making.json"),
    JSON.stringify({ pid: process.pid, birth: birthOf(process.pid) }),
  );
  const [{ checkOut, placeIn }, { openSetups }] = await Promise.all([
    import("../git/tree.ts"),
    import("../setup/setup.ts"),
  ]);
  const call: GitCall = { folder: root, environment, ...(filters && { filters }) };
  const checkout = join(apart, "tree");
  mkdirSync(apart, { recursive: true, mode: 0o700 });
  await checkOut(call, tree ?? "", checkout);
  const cwd = placeIn(call, checkout);
  mkdirSync(cwd, { recursive: true });
  if (!setup || (await openSetups(root).prepare({ agentPath: cwd }, setup, "check")) !== "needed")
    return { cwd, command };
  const steps = setup.run.map((each) => `bash -c ${shellWord(each)} || { echo "setup failed" >&2; exit 1; }`);
  return { cwd, command: [...steps, `exec sh -c ${shellWord(command)}`].join("\n") };
}

function isBeingMade(folder: string): boolean {
  return attempt(() => isAlive(JSON.parse(readPlainText(join(folder, "making.json")))), false);
}

function start(run: Run, { command, cwd }: Prepared, { environment, names, setup }: ChecksOptions): void {
  const { apart, folder } = run;
  const output = openSync(join(folder, "output"), REPLACING, 0o600);
  const time = Date.now();
  // Git must not search above a checkout, where it would find the project's own repository.
  const ceiling = run.tree === null ? {} : { GIT_CEILING_DIRECTORIES: apart };
  const sh = findProgram("sh", environment);
  const called = {
    program: sh.path ?? "sh",
    args: ["-c", command],
    environment: {
      ...allowedEnvironment(environment, names),
      ...ceiling,
      ...textsIn(folder, run.said),
      ...{ PWD: cwd, CI: "1" },
    },
  };
  const agentFolder: AgentFolder = { agentPath: run.tree === null ? cwd : join(apart, "tree") };
  const walled = run.wall?.enclose({ ...called, folder: agentFolder, cwd, existing: true }) ?? called;
  const spawning: SpawnOptions = {
    cwd,
    env: walled.environment,
    detached: true,
    stdio: ["pipe", output, output],
  };
  const remarks = remarksOn({ lacksSetup: run.tree !== null && !setup, isWalled: run.wall !== undefined });
  const hint = remarks.map((each) => `${each}\n`).join("");
  const words = [
    "-c",
    SHELL,
    "sh",
    folder,
    apart,
    hint,
    safePath(environment),
    walled.program,
    ...walled.args,
  ];
  const child: ChildProcess | null = sh.path === null ? null : spawn(sh.path, words, spawning);
  child?.on("error", () => {});
  child?.stdin?.on("error", () => {});
  child?.unref();
  closeSync(output);
  const pid = child?.pid;
  if (pid === undefined) {
    const why = sh.why === null ? "" : `: there is ${sh.why}`;
    writeFileSync(join(folder, "output"), `The shell \`sh\` could not be started${why}.\n`);
    writeFileSync(join(folder, "ended"), "127");
  }
  const birth = pid === undefined ? null : birthOf(pid);
  const tree = run.tree === null ? {} : { tree: run.tree };
  const begun: Start = { command: run.command, ...tree, pid: pid ?? 0, birth, time };
  writeFileSync(join(folder, "start.new"), JSON.stringify(begun));
  renameSync(join(folder, "start.new"), join(folder, "start.json"));
  child?.stdin?.end("recorded\n");
}

/** Files, because a text in a command line could be a command. */
function textsIn(folder: string, texts: Run["said"]): Environment {
  const names = Object.keys(texts);
  if (names.length === 0) return {};
  const textsFolder = join(folder, "said");
  mkdirSync(textsFolder, { recursive: true, mode: 0o700 });
  for (const name of names)
    writeFileSync(join(textsFolder, checkedKey(name)), texts[name] ?? "", { mode: 0o600 });
  return { PAWL_SAID: textsFolder };
}

function readStart(folder: string): Start | null {
  try {
    return JSON.parse(readPlainText(join(folder, "start.json"))) as Start;
  } catch (thrown) {
    return unlessUnreadable(thrown);
  }
}

function endOf(folder: string, start: Start, redactor: Redactor): CheckOutcome | null {
  try {
    const path = join(folder, "ended");
    const code = readPlainText(path).trim();
    const milliseconds = Math.max(0, Math.round(statSync(path).mtimeMs - start.time));
    const exitCode = code === "" ? null : Number(code);
    maskOutput(folder, redactor);
    const output = join(folder, "output");
    const empty = ranNoTest(output) ? ({ empty: true } as const) : {};
    return { kind: "ended", exitCode, milliseconds, tail: tailOf(output, redactor), ...empty };
  } catch (thrown) {
    return unlessUnreadable(thrown);
  }
}

/**
 * A missing file, or one that is not valid JSON, counts as none. An unreadable one throws: it must not cause
 * a second run while the first is under way.
 */
function unlessUnreadable(thrown: unknown): null {
  if (errnoOf(thrown) === null || isAbsence(thrown)) return null;
  throw toDiskError(thrown, "Reading how a check stands");
}

/**
 * The command writes its output itself, since it outlives Pawl. The output is masked on disk once the command
 * has ended.
 */
function maskOutput(folder: string, redactor: Redactor): void {
  const done = join(folder, "masked");
  if (redactor.longest === 0 || existsSync(done)) return;
  try {
    maskFile(join(folder, "output"), redactor);
    writeFileSync(done, "");
  } catch {
    // A full disk: the next reader tries again. The displayed text is masked anyway.
  }
}

function timeOf(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch (thrown) {
    return unlessUnreadable(thrown);
  }
}

/** Drops old outcomes; those needed elsewhere have been copied. */
function prune(folder: string, options: ChecksOptions): void {
  try {
    for (const name of readdirSync(folder)) {
      const made = timeOf(join(folder, name));
      if (made !== null && Date.now() - made > KEPT)
        remove({ folder: join(folder, name), apart: apartOf(name, options) });
    }
  } catch {
    // There is no such folder yet.
  }
}
