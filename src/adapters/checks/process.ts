import { readFileSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";
import { execFileSync } from "../process/start-program.ts";

/**
 * When the process began, as the operating system counts it; null if there is no such process, or a dead one.
 */
export function birthOf(pid: number): string | null {
  const stat = procStat(pid);
  if (stat !== undefined) return stat;
  return attempt(
    () =>
      execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
        encoding: "utf8",
        stdio: "pipe",
      }).trim() || null,
    null,
  );
}

/** From /proc; undefined if the system has none. */
function procStat(pid: number): string | null | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; state is the 3rd field, the start time the 22nd.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return process.platform === "linux" ? null : undefined;
  }
}

/** Ends the process's group, all at once. */
export function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
