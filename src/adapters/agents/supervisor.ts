/**
 * Ends agents with their loop, however the loop ends: also after a SIGKILL or out of memory, when the loop
 * itself can do nothing. If other machines take over a loop's tasks, it also ends them when their time has
 * passed and the loop is frozen.
 *
 * S1  A child in a session of its own reads a pipe that only the loop holds open: the kernel closes it when
 *     the loop dies. Closing a terminal does not reach the child.
 * S2  It waits as a shell, which costs almost nothing, and starts a program only if there is something to
 *     end.
 * S3  Once that program has begun to end processes, nothing ends it: processes that it has stopped would stay
 *     stopped for ever.
 * S4  If there is a deadline, that program is started a while before it, and waits itself: its start takes
 *     long on a busy machine.
 *
 * What escapes: a program that may end the loop's processes can end this one first.
 */
import { randomBytes } from "node:crypto";
import { type ChildProcess, spawn } from "../process/start-program.ts";
import { markOf } from "./mark.ts";
import { ownProgram } from "./own-program.ts";

export interface Supervisor {
  /** Every process that the loop starts for its runs has this tag. */
  readonly mark: string;
  /** Ends the runs after so many milliseconds, unless called again before; null: no deadline. */
  endIn(left: number | null): void;
  /** The loop has ended its runs itself. */
  close(): void;
}

/**
 * Reads lines: seconds until the program starts, and milliseconds until it acts; `rest`: no deadline;
 * `ended`. Each line cancels the previous wait by USR2.
 */
const WAITS = `trap '' HUP INT QUIT TERM
waits=
while IFS=' ' read -r word then; do
  test -z "$waits" || kill -USR2 "$waits" 2>&-
  waits=
  case $word in
    ended) exit ;;
    rest) ;;
    *) (sleep "$word"; exec "$@" "$then") & waits=$! ;;
  esac
done
exec "$@"`;
/** Milliseconds after the deadline: the loop itself ends its runs first, if it can. */
export const SPARE = 1000;
/** Milliseconds that the program's start may take. */
const START = 2000;
const MAX_STARTS = 3;

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
      if (!closed && starts < MAX_STARTS) start(starts + 1);
    });
    // The child must not keep the loop's process alive.
    child.unref();
    (child.stdin as { unref?(): void } | null)?.unref?.();
  };
  start(1);
  return {
    mark,
    endIn(left) {
      child?.stdin?.write(left === null ? "rest\n" : `${waitsFor(Math.max(0, left) + SPARE)}\n`);
    },
    close() {
      closed = true;
      child?.stdin?.end("ended\n");
    },
  };
}

function waitsFor(milliseconds: number): string {
  const seconds = Math.floor(Math.max(0, milliseconds - START) / 1000);
  return `${seconds} ${Math.round(milliseconds - seconds * 1000)}`;
}
