/**
 * Errors that the loop waits out instead of ending: a file that a person is editing, a full disk, a lock that is held
 * too long. It reports each once, and resumes as soon as it can.
 */
import type { LoopEvent } from "../core/bloom-event.ts";
import { type ErrorCode, PawlError } from "../core/error.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { RetryPolicy } from "../core/ports/driver.ts";
import { pause } from "../core/signal.ts";

const TRANSIENT: readonly ErrorCode[] = [
  "commit-restarted-too-often",
  "config-invalid",
  "database-failed",
  "disk-failed",
  "lock-timeout",
];
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
  /** The errors of a workflow's own files that pass when a person corrects them. */
  readonly transient: readonly ErrorCode[];
  readonly show: (event: LoopEvent) => void;
  readonly stop: AbortSignal;
  readonly clock: Clock;
}): RetryPolicy {
  const codes: ReadonlySet<ErrorCode> = new Set([...TRANSIENT, ...setup.transient]);
  let begun = false;
  let retried = 0;
  let reported: string | null = null;
  return {
    begin() {
      begun = true;
    },
    shouldRetry(error) {
      const problem = problemOf(error, codes);
      if (problem === null || !begun || setup.stop.aborted) return false;
      if (setup.once && retried++ >= ONCE_TRIES) return false;
      if (reported !== problem.reason) setup.show({ type: "loop:paused", ...problem });
      reported = problem.reason;
      return true;
    },
    wait: () => pause(WAIT_MILLISECONDS, setup.stop, setup.clock),
    succeeded(again) {
      begun = true;
      retried = 0;
      if (!again || reported === null) return;
      setup.show({ type: "loop:resumed" });
      reported = null;
    },
  };
}

/** Null: the error does not pass by itself. */
function problemOf(
  error: unknown,
  codes: ReadonlySet<ErrorCode>,
): { readonly code: string; readonly reason: string; readonly fix: string } | null {
  if (error instanceof PawlError)
    return codes.has(error.code) ? { code: error.code, reason: error.message, fix: error.fix } : null;
  const { code, message } = error as NodeJS.ErrnoException;
  if (!SYSTEM_TRANSIENT.has(code)) return null;
  return { code: "disk-failed", reason: message, fix: "Free some of it, or close what uses it." };
}

/** For an act whose result exists only in memory: it is tried again, and not dropped. */
export async function withRetries<T>(retries: RetryPolicy, act: () => Promise<T>): Promise<T> {
  for (let again = false; ; again = true)
    try {
      const result = await act();
      retries.succeeded(again);
      return result;
    } catch (error) {
      if (!retries.shouldRetry(error)) throw error;
      await retries.wait();
    }
}
