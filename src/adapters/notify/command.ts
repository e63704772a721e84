/** Programs of the person's machine, started without a shell: their own, which gets the notice as JSON on stdin. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { ReceiverName } from "../../core/notice.ts";
import type { Receiver } from "../../core/ports/notify.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { findProgram, keepProgramsFrom, safePath } from "../process/programs.ts";
import { spawn } from "../process/start-program.ts";
import { unsentNoticeError } from "./unsent.ts";

export function openCommand(words: readonly string[], environment: Environment, root: string): Receiver {
  const [program = "", ...args] = words;
  return {
    name: "command",
    send: (notice) =>
      runProgram({
        ...{ receiver: "command", program, args, root },
        environment: allowedEnvironment(environment),
        input: `${JSON.stringify({ version: 1, ...notice })}\n`,
      }),
  };
}

export interface ProgramCall {
  readonly receiver: ReceiverName;
  /** A name on the PATH, an absolute path, or one from `~/`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The project's root. */
  readonly root: string;
  readonly input?: string;
}

const MILLISECONDS = 10_000;

/** Throws `notice-unsent` if it cannot be started, fails, or does not end in time; then it is killed. */
export async function runProgram(call: ProgramCall): Promise<void> {
  const { args, receiver, environment, input = "", program } = call;
  const path = programFor(call);
  const child = spawn(path, args, {
    cwd: sep,
    env: { ...environment, PATH: safePath(environment) },
    stdio: ["pipe", "ignore", "ignore"],
    // A process group of its own, so that its children are killed with it.
    detached: true,
    windowsHide: true,
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    const { pid } = child;
    if (pid !== undefined) attempt(() => process.kill(-pid, "SIGKILL"), false);
  }, MILLISECONDS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", resolve);
    });
    if (code === 0) return;
    const how = isLate ? `did not end within ${MILLISECONDS / 1000} s` : `ended with ${code ?? "a signal"}`;
    throw unsentNoticeError(receiver, `${program} ${how}`, "Run it by hand to see why.");
  } finally {
    clearTimeout(timer);
  }
}

/** Refuses programs of the project: an agent may have written them. */
function programFor({ environment, program, receiver, root }: ProgramCall): string {
  keepProgramsFrom(root);
  const home = environment.HOME || homedir();
  const named = program.startsWith("~/") ? join(home, program.slice(2)) : program;
  const { path, why } = findProgram(named, environment);
  if (path !== null && !(isAbsolute(named) && isInside(path, root))) return path;
  const fault =
    path === null ? `there is ${why}` : "it belongs to the project, where an agent could change it";
  throw unsentNoticeError(
    receiver,
    `${program} is not started: ${fault}`,
    receiver === "desktop"
      ? "Install it, or set `notify.desktop: false` in pawl.yaml."
      : "Name a program outside the project in `notify.command` of pawl.yaml.",
  );
}

function isInside(path: string, root: string): boolean {
  return attempt(() => `${realpathSync(path)}${sep}`.startsWith(`${realpathSync(root)}${sep}`), true);
}
