/**
 * One call of the git program.
 *
 * G1  Never interactive: no prompt, no editor, no pager, no locale. Of the caller's environment, git gets
 *     only what is on the allow-list. Only a call to a remote on another machine gets credentials.
 * G2  A name from outside is never where git could read it as an option: it follows `--`, or is written out
 *     as `refs/heads/…`.
 * G3  It never runs in a folder that an agent writes: there, git runs behind the wall (`inside.ts`).
 * G4  Paths are read NUL-separated, so that no file name can be misread.
 * G5  Nothing that the repository configures starts a program: no hook, filter, helper, signer, diff or merge
 *     driver (`safe-config.ts`). Submodules, which have their own configuration, are not entered; replaced
 *     objects do not count.
 * G6  A call to a remote ends, whatever the network does: git and its child processes are one process group,
 *     which is killed as one, and a silent connection is given up.
 */
import { closeSync, openSync } from "node:fs";
import { delimiter } from "node:path";
import { PawlError } from "../../core/error.ts";
import { shellWord } from "../../core/text/shell-word.ts";
import { toDiskError } from "../files/disk-error.ts";
import { findPipe } from "../files/plain-file.ts";
import {
  allowedEnvironment,
  type Environment,
  proxiesIn,
  REMOTE_CREDENTIALS,
} from "../process/environment.ts";
import { findProgram, safePath } from "../process/programs.ts";
import { openRedactor } from "../process/redact.ts";
import { type ChildProcess, spawn } from "../process/start-program.ts";
import { discover } from "./discover.ts";
import {
  checkConfig,
  credentialOverrides,
  driverOverrides,
  FIXED,
  filtersIn,
  isLocalRemote,
  isOwnFilter,
  isOwnScope,
  type KnownConfig,
  knownConfig,
  lastOf,
} from "./safe-config.ts";

export interface GitCall {
  readonly folder: string;
  /** The environment to start from; git gets only what is on the allow-list. */
  readonly environment: Environment;
  /** The folder is a bare repository of Pawl's own: a person may forbid git to find such ones by itself. */
  readonly isHub?: true;
  /** The filters that may run, with their commands from the person's own configuration: `lfs`. */
  readonly filters?: () => Promise<readonly string[]>;
  /** The remote of this call, by name or address. Only with it does git get credentials. */
  readonly remote?: { readonly name: string; readonly push?: true };
  /**
   * Uses a git folder of Pawl's own instead of the repository's, through git's variables: the repository's
   * configuration is not read.
   */
  readonly gitVariables?: Readonly<Record<string, string>>;
  /** A second folder of objects: the hub's, for commits that are only there yet. */
  readonly objects?: string;
  /** An index to use instead of the folder's. */
  readonly index?: string;
  /** Exit codes that are an answer instead of a failure; 0 always is. */
  readonly accept?: readonly number[];
  readonly input?: string;
  /** How to decode the output; `latin1` keeps every byte as a character. Default: utf8. */
  readonly encoding?: "utf8" | "latin1";
  /** Receives the output in chunks, instead of the answer. False: enough, git is killed. */
  readonly onOutput?: (chunk: Buffer) => boolean;
  /** Maximum bytes of output; beyond them git is killed. Default: `MAX_OUTPUT`, without `onOutput`. */
  readonly most?: number;
  /** A file to use as its input. */
  readonly inputFile?: string;
  /** Milliseconds after which git is killed. */
  readonly limit?: number;
  /** Kills git when it is aborted. */
  readonly stop?: AbortSignal | undefined;
}

export interface GitAnswer {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

const GIT_TIMEOUT = 120_000;
/** Milliseconds after which a FIFO is looked for that git may be waiting for. */
const SLOW = 3000;
/** Maximum bytes of an answer: a longer one fits in no string. */
const MAX_OUTPUT = 128 * 1024 * 1024;
/** Maximum bytes kept of stderr. */
const MAX_ERRORS = 1024 * 1024;

/**
 * Runs git and returns its answer. Throws `git-failed` on an exit code that is not accepted, and
 * `git-config-untrusted` or `git-filter-untrusted` if the repository would make it run something that the
 * person did not set.
 */
export async function git(call: GitCall, args: readonly string[]): Promise<GitAnswer> {
  const config = await configOf(call);
  const effective = call.gitVariables ? { ...config, entries: config.entries.filter(isOwnScope) } : config;
  const isFar =
    call.remote !== undefined && !isLocalRemote(effective, call.remote.name, call.remote.push === true);
  if (!call.gitVariables) checkConfig(effective, call.folder, isFar);
  const filters = await filtersOf(call, effective);
  const overrides = [
    ...FIXED,
    ...driverOverrides(effective, filters),
    ...(isFar ? credentialOverrides(effective) : []),
    ...(SENDS_LARGE.has(args[verbAt(args)] ?? "") ? [] : NO_DOWNLOADS),
  ];
  const environment = {
    ...(isFar ? remoteEnvironment(call.environment, effective) : plainEnvironment(call.environment)),
    ...hubVariable(call),
    ...(call.objects === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(call.objects) }),
    ...call.gitVariables,
    ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }),
  };
  const answer = await runProgram(call, "git", [...asOptions(overrides), ...withGuards(args)], environment);
  if (answer.code === 0) return answer;
  checkFilter(answer.errors, call.folder, effective, filters);
  if (call.accept?.includes(answer.code)) return answer;
  throw gitError(
    args,
    call.folder,
    answer.errors.trim() || answer.output.trim() || `exit code ${answer.code}`,
  );
}

/** What fetches and sends files of git-lfs on purpose. */
const SENDS_LARGE: ReadonlySet<string> = new Set(["lfs", "push"]);

/** A checkout takes the large files that are here: `.lfsconfig`, which an agent may write, says where to ask for others. */
const NO_DOWNLOADS = [
  ["lfs.url", "file:///dev/null"],
  ["lfs.skipdownloaderrors", "true"],
] as const;

/** The filters that may run, if the configuration has any. */
export async function filtersOf({ filters }: GitCall, config: KnownConfig): Promise<readonly string[]> {
  return filtersIn(config).length === 0 ? [] : ((await filters?.()) ?? []);
}

/** `safe.bareRepository` may allow only bare repositories that are named. */
export function hubVariable({ folder, isHub }: GitCall): Readonly<Record<string, string>> {
  return isHub ? { GIT_DIR: folder } : {};
}

/** Quotes a path for git's lists of folders, where a leading quote means a quoted path. */
export function quotedPath(path: string): string {
  return path.includes(delimiter) || path.startsWith('"') ? JSON.stringify(path) : path;
}

/**
 * Git's configuration for the folder, kept until its files change. Ignores the call's input and output
 * options.
 */
export function configOf({ environment, folder, isHub, limit, stop }: GitCall): Promise<KnownConfig> {
  const call = { environment, folder, stop, ...(isHub && { isHub }), ...(limit !== undefined && { limit }) };
  return knownConfig(folder, environment, async () => {
    const args = ["config", "--list", "--show-scope", "-z"];
    const variables = { ...plainEnvironment(environment), ...hubVariable(call) };
    const answer = await runProgram(call, "git", args, variables);
    if (answer.code !== 0) throw gitError(args, folder, answer.errors.trim());
    if (!/(?:^|\0)local\0/.test(answer.output) && discover(folder) !== null) await checkUsable(call);
    return answer.output;
  });
}

/**
 * Without the repository's own settings, git takes it for none: another user owns it (`safe.directory`). Then
 * a remote or a branch would seem to be missing.
 */
async function checkUsable(call: GitCall): Promise<void> {
  const args = ["rev-parse", "--git-dir"];
  const answer = await runProgram(call, "git", args, plainEnvironment(call.environment));
  if (answer.code !== 0) throw gitError(args, call.folder, answer.errors.trim());
}

function asOptions(settings: readonly (readonly [string, string])[]): readonly string[] {
  return settings.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
}

/**
 * Options that must follow the verb: settings of single submodules and drivers override every general one.
 */
const GUARDS: Readonly<Record<string, readonly string[]>> = {
  diff: ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"],
  "diff-index": ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"],
  "diff-tree": ["--no-ext-diff", "--no-textconv"],
  log: ["--no-ext-diff", "--no-textconv", "--no-show-signature"],
  show: ["--no-ext-diff", "--no-textconv", "--no-show-signature"],
  status: ["--ignore-submodules=dirty"],
  fetch: ["--upload-pack=git-upload-pack"],
  "ls-remote": ["--upload-pack=git-upload-pack"],
  push: ["--receive-pack=git-receive-pack"],
};

function withGuards(args: readonly string[]): readonly string[] {
  const at = verbAt(args);
  return [...args.slice(0, at + 1), ...(GUARDS[args[at] ?? ""] ?? []), ...args.slice(at + 1)];
}

function verbAt(args: readonly string[]): number {
  let at = 0;
  while (args[at] === "-c") at += 2;
  return at;
}

/** `named`: the filters that may run, if they are the person's own. If one of them failed, git's words say why. */
export function checkFilter(
  errors: string,
  folder: string,
  config: KnownConfig,
  named: readonly string[],
): void {
  const [, cleaning, smudging] = /: (?:clean filter '(.+)'|smudge filter (.+)) failed/.exec(errors) ?? [];
  const name = cleaning ?? smudging;
  if (name === undefined || !filtersIn(config).includes(name)) return;
  if (named.includes(name) && isOwnFilter(config, name)) return;
  throw new PawlError(
    "git-filter-untrusted",
    `git in ${folder} would run the filter ${JSON.stringify(name)}, which Pawl did not set: expected no filter, or one that \`git.filters\` names and that your own configuration (git config --global) defines.`,
    `If it is yours (such as \`lfs\`), add \`git: {filters: [${name}]}\` to pawl.yaml and define it for yourself (\`git lfs install\`); else remove it from .gitattributes and \`git -C ${folder} config --remove-section filter.${name}\`.`,
  );
}

/** Git's output without the line break at its end. */
export async function gitLine(call: GitCall, args: readonly string[]): Promise<string> {
  return (await git(call, args)).output.replace(/\n$/, "");
}

export function gitError(args: readonly string[], folder: string, found: string): PawlError {
  return new PawlError(
    "git-failed",
    `git ${args[verbAt(args)]} failed in ${folder}: expected success; found: ${found.slice(0, 2000)}`,
    `Run \`git status\` in ${folder}, fix what it names, then try again.`,
  );
}

/** Runs a program the way git is run: in a process group that is killed as one, with a time limit. */
export async function runProgram(
  call: GitCall,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<GitAnswer> {
  // Git's transport helpers, and a script's git, keep the output open and outlive their parent.
  const isGrouped = (call.remote !== undefined || program !== "git") && process.platform !== "win32";
  const path = pathOf(program, call);
  return new Promise((resolve, reject) => {
    const file = call.inputFile === undefined ? null : openSync(call.inputFile, "r");
    const child = spawn(path, [...args], {
      cwd: call.folder,
      env: { ...environment },
      stdio: [file ?? (call.input === undefined ? "ignore" : "pipe"), "pipe", "pipe"],
      detached: isGrouped,
    });
    if (file !== null) closeSync(file);
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let enough = false;
    let bytes = 0;
    let errorBytes = 0;
    const most = call.most ?? (call.onOutput ? Number.POSITIVE_INFINITY : MAX_OUTPUT);
    let killing: NodeJS.Timeout | undefined;
    const end = () => {
      signalAll(child, "SIGTERM", isGrouped);
      killing ??= setTimeout(() => signalAll(child, "SIGKILL", isGrouped), 2000).unref();
    };
    const time = watchTime(call, end);
    call.stop?.addEventListener("abort", end);
    if (call.stop?.aborted) end();
    const forget = () => {
      time.close();
      clearTimeout(killing);
      call.stop?.removeEventListener("abort", end);
    };
    child.stdout?.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) end();
      else if (!call.onOutput) output.push(chunk);
      else if (!enough && !deliver(call, chunk, reject)) {
        enough = true;
        end();
      }
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      errorBytes += chunk.length;
      if (errorBytes <= MAX_ERRORS) errors.push(chunk);
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(call.input);
    child.on("error", (cause: NodeJS.ErrnoException) => {
      forget();
      reject(startError(program, cause, call.folder));
    });
    child.on("close", (code, signal) => {
      forget();
      const text = Buffer.concat(errors).toString("utf8");
      const tooMuch = bytes > most ? `it printed more than ${most} bytes` : "";
      const why = time.passed() || tooMuch || (signal ? `signal ${signal}` : "");
      resolve({
        code: enough ? 0 : bytes > most ? 124 : (code ?? 124),
        output: Buffer.concat(output).toString(call.encoding ?? "utf8"),
        errors: masked(why ? `${text.trim()}\n${why}`.trim() : text, call.environment),
      });
    });
  });
}

/** Ends the call at its limit, or soon if it waits for a FIFO where an agent should have put a file. */
function watchTime({ folder, isHub, limit = GIT_TIMEOUT, remote }: GitCall, end: () => void) {
  let why = "";
  let isOpen = true;
  const pass = (text: string) => {
    why = text;
    end();
  };
  const timer = setTimeout(() => pass(`it took longer than ${limit / 1000} s`), limit);
  const slow = setTimeout(async () => {
    const pipe = remote || isHub ? null : await findPipe(discover(folder)?.top ?? folder, isOpened);
    if (pipe !== null && isOpen) pass(`it waits for ${pipe}, which is no regular file: remove it`);
  }, SLOW);
  return {
    /** What has passed; "": nothing yet. */
    passed: () => why,
    close: () => {
      isOpen = false;
      clearTimeout(timer);
      clearTimeout(slow);
    },
  };
}

/** Whether git can open it on its own. */
function isOpened(at: string, name: string): boolean {
  return /^\.git(?:attributes|ignore|modules)$/.test(name) || /\/\.git(?:\/info)?$/.test(at);
}

/** Rejects the call if its listener throws, as on a full disk: an error in an event handler would end Pawl. */
function deliver(call: GitCall, chunk: Buffer, fail: (cause: unknown) => void): boolean {
  try {
    return call.onOutput?.(chunk) === true;
  } catch (thrown) {
    fail(toDiskError(thrown, `Keeping what git prints in ${call.folder}`));
    return false;
  }
}

function pathOf(program: string, { environment, folder }: GitCall): string {
  const { path, why } = findProgram(program, environment);
  if (path === null) throw missingGitError(program, why, folder);
  return path;
}

function signalAll(child: ChildProcess, signal: NodeJS.Signals, isGrouped: boolean): void {
  if (!isGrouped || child.pid === undefined) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended.
  }
}

const PASSWORD_IN_ADDRESS = /(:\/\/[^\s/@:]{0,200}):[^\s/@]{1,2000}@/g;

/**
 * Git's output reaches errors, logs and prompts. This removes known secrets and the password of a remote's
 * address.
 */
function masked(errors: string, environment: Environment): string {
  if (errors === "") return errors;
  return openRedactor(environment).text(errors).replace(PASSWORD_IN_ADDRESS, "$1:[redacted]@");
}

function missingGitError(program: string, why: string, folder: string): PawlError {
  return new PawlError(
    "git-failed",
    `${program} could not be started in ${folder}: there is ${why}.`,
    `Install ${program} where only you or the system can write, and put that folder on the PATH.`,
  );
}

function startError(program: string, cause: NodeJS.ErrnoException, folder: string): PawlError {
  return new PawlError(
    "git-failed",
    `${program} could not be started in ${folder}: ${cause.message}`,
    cause.code === "ENOENT" ? "Check that the folder exists." : "See the cause above.",
    cause,
  );
}

const QUIET_SSH =
  "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4";
/** Below one byte a second for two minutes: git's servers send keep-alives every few seconds. */
const DEAD_HTTP = { GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "120" };

/** The environment of a call that contacts no remote on another machine. */
export function plainEnvironment(base: Environment): Record<string, string> {
  return {
    ...allowedEnvironment(base),
    PATH: safePath(base),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_PAGER: "cat",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_MERGE_AUTOEDIT: "no",
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    GIT_NO_REPLACE_OBJECTS: "1",
    // This file does not exist, so no file replaces a commit's parents.
    GIT_GRAFT_FILE: "/dev/null/none",
    GIT_ASKPASS: "",
    GIT_SSH_COMMAND: QUIET_SSH,
  };
}

/**
 * Adds the person's settings for reaching a remote. A remote that is a folder of this machine gets none of
 * them, since its hooks would see them.
 */
function remoteEnvironment(base: Environment, config: KnownConfig): Record<string, string> {
  const program = base.GIT_SSH ? shellWord(base.GIT_SSH) : undefined;
  return {
    ...plainEnvironment(base),
    ...DEAD_HTTP,
    ...proxiesIn(base),
    ...allowedEnvironment(base, REMOTE_CREDENTIALS),
    LC_ALL: "C",
    GIT_ALLOW_PROTOCOL: "git:http:https:ssh",
    GIT_ASKPASS: base.GIT_ASKPASS ?? lastOf(config, "core.askpass", true) ?? base.SSH_ASKPASS ?? "",
    GIT_SSH_COMMAND: base.GIT_SSH_COMMAND ?? lastOf(config, "core.sshcommand", true) ?? program ?? QUIET_SSH,
  };
}
