/**
 * Agents end with their loop, however the loop ends: also after a SIGKILL or out of memory, when the loop itself can do
 * nothing.
 *
 * S1  A child in a session of its own reads a pipe that only the loop holds open: the kernel closes it when the loop
 *     dies. Closing a terminal does not reach the child.
 * S2  It waits as a shell, which costs almost nothing, and becomes a program only if there is something to end.
 *
 * What escapes: anybody who can end the loop's processes can end this one first.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { markOf } from "./mark.ts";
import { ownProgram } from "./own-program.ts";

export interface Supervisor {
  /** Every process that the loop starts for its runs has this tag. */
  readonly mark: string;
  /** The loop has ended its runs itself. */
  close(): void;
}

const WAITS = `trap '' HUP INT QUIT TERM; IFS= read -r word; test "$word" = ended || exec "$@"`;
const MOST_STARTS = 3;

export function openSupervisor(projectRoot: string): Supervisor {
  // No run's name begins with `@`.
  const mark = markOf(projectRoot, `@loop-${process.pid}-${randomBytes(4).toString("hex")}`);
  let closed = false;
  let child: ChildProcess | null = null;
  const start = (starts: number) => {
    const words = [process.execPath, ownProgram("supervisor/end-runs.ts", "end-runs.js"), mark];
    child = spawn("/bin/sh", ["-c", WAITS, "pawl-supervisor", ...words], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", () => {});
    child.stdin?.on("error", () => {});
    child.on("exit", () => {
      if (!closed && starts < MOST_STARTS) start(starts + 1);
    });
    // It must not keep the loop's process alive.
    child.unref();
    (child.stdin as { unref?(): void } | null)?.unref?.();
  };
  start(1);
  return {
    mark,
    close() {
      closed = true;
      child?.stdin?.end("ended\n");
    },
  };
}
