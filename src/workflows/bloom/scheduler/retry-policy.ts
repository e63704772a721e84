/**
 * Errors that the loop waits out instead of ending: a tasks.yaml that a person is editing, a full disk, a lock that is
 * held too long. It reports each once, and resumes as soon as it can.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { type ErrorCode, PawlError } from "../../../core/error.ts";
import type { Clock } from "../../../core/ports/clock.ts";

export interface RetryPolicy {
  /** Notes that work has begun: from now on, transient errors are waited out. */
  begin(): void;
  /** True if the error is transient; reports it once. Always false before anything has begun or succeeded, and after a stop. */
  shouldRetry(error: unknown): boolean;
  /** Resolves when it is time for the next try. */
  wait(): Promise<void>;
  /** Notes a success. `again`: after a failure. */
  succeeded(again: boolean): void;
}

const TRANSIENT: ReadonlySet<ErrorCode> = new Set([
  "commit-restarted-too-often",
  "config-invalid",
  "database-failed",
  "disk-failed",
  "lock-timeout",
  "tasks-invalid",
  "tasks-missing",
  "tasks-unwritable",
]);
/** System errors that pass by themselves or when a person acts. */
const SYSTEM_TRANSIENT: ReadonlySet<unknown> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EAGAIN",
]);
const WAIT_MILLISECONDS = 1000;
/** With `once`: long enough for a file that is being saved. */
const ONCE_TRIES = 3;

export function openRetryPolicy(setup: {
  readonly once: boolean;
  readonly show: (event: BloomEvent) => void;
  readonly stop: AbortSignal;
  readonly clock: Clock;
}): RetryPolicy {
  let begun = false;
  let retried = 0;
  let reported: string | null = null;
  return {
    begin() {
      begun = true;
    },
    shouldRetry(error) {
      const problem = transient(error);
      if (problem === null || !begun || setup.stop.aborted) return false;
      if (setup.once && retried++ >= ONCE_TRIES) return false;
      if (reported !== problem.reason) setup.show({ type: "loop:paused", ...problem });
      reported = problem.reason;
      return true;
    },
    wait: () =>
      new Promise((resolve) => {
        const timer = setup.clock.after(WAIT_MILLISECONDS, over);
        function over() {
          timer.cancel();
          setup.stop.removeEventListener("abort", over);
          resolve();
        }
        setup.stop.addEventListener("abort", over);
      }),
    succeeded(again) {
      begun = true;
      retried = 0;
      if (!again || reported === null) return;
      setup.show({ type: "loop:resumed" });
      reported = null;
    },
  };
}

function transient(
  error: unknown,
): { readonly code: string; readonly reason: string; readonly fix: string } | null {
  if (error instanceof PawlError)
    return TRANSIENT.has(error.code) ? { code: error.code, reason: error.message, fix: error.fix } : null;
  const { code, message } = error as NodeJS.ErrnoException;
  if (!SYSTEM_TRANSIENT.has(code)) return null;
  return { code: "disk-failed", reason: message, fix: "Free some of it, or close what uses it." };
}
