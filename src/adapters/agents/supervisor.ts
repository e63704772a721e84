/**
 * Agents end with their loop, however the loop ends: also after a SIGKILL or out of memory, when the loop itself can do
 * nothing. Where other machines take a loop's tasks over, they end with its time, too, if the loop stands still.
 *
 * S1  A child in a session of its own reads a pipe that only the loop holds open: the kernel closes it when the loop
 *     dies. Closing a terminal does not reach the child.
 * S2  It waits as a shell, which costs almost nothing, and starts a program only if there is something to end.
 * S3  Once that program has begun to end processes, nothing ends it: those that it has stopped would stand still for ever.
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
  /** After so many milliseconds it ends the runs, unless it is told another time meanwhile; null: it does not. */
  endIn(left: number | null): void;
  /** The loop has ended its runs itself. */
  close(): void;
}

/** Reads seconds until it acts, `rest` or `ended`. What waits for its time hears USR2, until the time has come. */
const WAITS = `trap '' HUP INT QUIT TERM
waits=
while IFS= read -r word; do
  test -z "$waits" || kill -USR2 "$waits" 2>&-
  waits=
  case $word in
    ended) exit ;;
    rest) ;;
    *) (sleep "$word"; trap '' USR2; "$@") & waits=$! ;;
  esac
done
exec "$@"`;
/** The loop itself ends its runs first, if it can. */
const SPARE_SECONDS = 1;
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
    endIn(left) {
      const seconds = left === null ? "rest" : Math.max(0, Math.ceil(left / 1000)) + SPARE_SECONDS;
      child?.stdin?.write(`${seconds}\n`);
    },
    close() {
      closed = true;
      child?.stdin?.end("ended\n");
    },
  };
}
