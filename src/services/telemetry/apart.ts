/**
 * The live export of a loop, in a separate process, so that OpenTelemetry costs none of the loop's own time.
 * The process gets the loop's events, reads the rest from the log, and ends with the loop, however that ends.
 */

import { ownProgram } from "../../adapters/agents/own-program.ts";
import { type ChildProcess, spawn } from "../../adapters/process/start-program.ts";
import type { Live } from "../../adapters/telemetry/live.ts";
import type { ProjectLocation } from "../with-project.ts";

/**
 * Milliseconds that the loop waits at its end: the process itself waits two seconds at most for the receiver.
 */
const END_LIMIT = 3000;
/** Maximum bytes that wait while the process reads nothing. */
const MAX_WAITING = 8 * 1024 * 1024;

export interface ApartOptions extends ProjectLocation {
  readonly version: string;
  readonly warn: (line: string) => void;
}

export function openLiveApart({ environment, home, root, version, warn }: ApartOptions): Live {
  const program = ownProgram("../../app/export-telemetry.ts", "export-telemetry.js");
  const child = spawn(process.execPath, [program, root, home, version], {
    cwd: "/",
    env: environment,
    stdio: ["pipe", "ignore", "pipe"],
    windowsHide: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      warn(`OpenTelemetry: the export did not start (${error.message}). The work continues.`);
      resolve();
    });
    // After its whole output.
    child.on("close", () => resolve());
  });
  const { stderr, stdin } = child;
  // It may end before it has read everything.
  stdin.on("error", () => {});
  let said = "";
  stderr.setEncoding("utf8").on("data", (more: string) => {
    const lines = `${said}${more}`.split("\n");
    said = lines.pop() ?? "";
    for (const line of lines) warn(line);
  });
  holdsNothing(child);
  return {
    async take(events) {
      if (stdin.writableLength > MAX_WAITING) return;
      stdin.write(`${JSON.stringify(events)}\n`);
    },
    async close() {
      stdin.end();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, END_LIMIT);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
      child.kill("SIGKILL");
    },
  };
}

/** Lets the loop exit while the export still runs. */
function holdsNothing(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stderr]) (stream as { unref?(): void } | null)?.unref?.();
}
