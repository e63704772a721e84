/**
 * One call of the git program.
 *
 * G1  Never interactive: no prompt, no editor, no pager, no locale, and none of the caller's GIT_* variables.
 * G2  A name from outside never stands where git could take it for an option: it follows `--`, or is written out as
 *     `refs/heads/…`.
 * G3  In a worktree's folder it never takes a repository further up for the worktree's.
 * G4  Paths are read NUL-separated, so that no file name can be misread.
 */
import { spawn } from "node:child_process";
import { PawlError } from "../../base/error.ts";
import { ceilingOf } from "./whole.ts";

export interface GitCall {
  readonly folder: string;
  /** The environment to build on; what git must not see is taken out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Exit codes that are an answer rather than a failure; 0 always is. */
  readonly accept?: readonly number[];
  readonly input?: string;
  /** Milliseconds; then git is ended. */
  readonly limit?: number;
  /** Aborted: git is ended. */
  readonly stop?: AbortSignal | undefined;
}

export interface GitAnswer {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

const LIMIT = 120_000;

/** Runs git and gives its answer; throws `git-failed` on an exit code that is not accepted. */
export async function git(call: GitCall, args: readonly string[]): Promise<GitAnswer> {
  const answer = await attempt(call, args);
  if (answer.code === 0 || call.accept?.includes(answer.code)) return answer;
  throw gitFailed(
    args,
    call.folder,
    answer.errors.trim() || answer.output.trim() || `exit code ${answer.code}`,
  );
}

/** The answer's text without the line break at its end. */
export async function gitLine(call: GitCall, args: readonly string[]): Promise<string> {
  return (await git(call, args)).output.replace(/\n$/, "");
}

export function gitFailed(args: readonly string[], folder: string, found: string): PawlError {
  return new PawlError(
    "git-failed",
    `git ${args[0] === "-c" ? args[2] : args[0]} failed in ${folder}: expected success; found: ${found.slice(0, 2000)}`,
    `Run \`git status\` in ${folder}, mend what it names, then try again.`,
  );
}

function attempt(call: GitCall, args: readonly string[]): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["-c", "core.quotepath=off", "-c", "gc.auto=0", ...args], {
      cwd: call.folder,
      env: { ...gitEnvironment(call.environment), ...ceilingOf(call.folder) },
      stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let late = false;
    const end = () => {
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 2000).unref();
    };
    const timer = setTimeout(() => {
      late = true;
      end();
    }, call.limit ?? LIMIT);
    call.stop?.addEventListener("abort", end);
    if (call.stop?.aborted) end();
    const forget = () => {
      clearTimeout(timer);
      call.stop?.removeEventListener("abort", end);
    };
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
    child.stdin?.on("error", () => {});
    child.stdin?.end(call.input);
    child.on("error", (cause: NodeJS.ErrnoException) => {
      forget();
      reject(gitMissing(cause, call.folder));
    });
    child.on("close", (code, signal) => {
      forget();
      const told = Buffer.concat(errors).toString("utf8");
      const why = late
        ? `it took longer than ${(call.limit ?? LIMIT) / 1000} s`
        : signal
          ? `signal ${signal}`
          : "";
      resolve({
        code: code ?? 124,
        output: Buffer.concat(output).toString("utf8"),
        errors: why ? `${told.trim()}\n${why}`.trim() : told,
      });
    });
  });
}

function gitMissing(cause: NodeJS.ErrnoException, folder: string): PawlError {
  return new PawlError(
    "git-failed",
    `git could not be started in ${folder}: ${cause.message}`,
    cause.code === "ENOENT"
      ? "Install git, or look whether the folder exists."
      : "Look at the cause named above.",
    cause,
  );
}

function gitEnvironment(base: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(base).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isForeign(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_PAGER: "cat",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_MERGE_AUTOEDIT: "no",
    ...(base.GIT_SSH_COMMAND ? {} : { GIT_SSH_COMMAND: "ssh -o BatchMode=yes" }),
  };
}

/** Variables that would point git at another repository; who commits and how to reach a remote stay. */
function isForeign(name: string): boolean {
  return (
    name.startsWith("GIT_") &&
    !/^GIT_(AUTHOR|COMMITTER|SSH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|ASKPASS)/.test(name)
  );
}
