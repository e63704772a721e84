/**
 * What a run that is left alone waits out instead of ending: a tasks.yaml that a person is in the middle of editing, a
 * full disk, a lock that is held too long. It says so once, and goes on when it can.
 */
import type { BloomHappening } from "../../../core/bloom-event.ts";
import { type ErrorCode, PawlError } from "../../../core/error.ts";
import type { Clock } from "../../../core/ports/clock.ts";

export interface RetryPolicy {
  /** Whether it is to be waited out, told where it is new. Nothing is before the run's first success, or once it stops. */
  shouldRetry(error: unknown): boolean;
  /** Until the next try. */
  wait(): Promise<void>;
  /** It works; `again`: after it did not. */
  succeeded(again: boolean): void;
}

const PASSES: ReadonlySet<ErrorCode> = new Set([
  "commit-restarted-too-often",
  "config-invalid",
  "disk-failed",
  "lock-timeout",
  "tasks-invalid",
  "tasks-missing",
  "tasks-unwritable",
]);
/** Of the system's own errors, those that end by themselves or by a person's doing. */
const SYSTEM_PASSES: ReadonlySet<unknown> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EAGAIN",
]);
const WAIT_MILLISECONDS = 1000;
/** With `once`: long enough for a file that somebody is saving. */
const ONCE_TRIES = 3;

export function openRetryPolicy(setup: {
  readonly once: boolean;
  readonly show: (happening: BloomHappening) => void;
  readonly stop: AbortSignal;
  readonly clock: Clock;
}): RetryPolicy {
  let begun = false;
  let borne = 0;
  let told: string | null = null;
  return {
    shouldRetry(error) {
      const problem = passing(error);
      if (problem === null || !begun || setup.stop.aborted) return false;
      if (setup.once && borne++ >= ONCE_TRIES) return false;
      if (told !== problem.reason) setup.show({ type: "loop:paused", ...problem });
      told = problem.reason;
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
      borne = 0;
      if (!again || told === null) return;
      setup.show({ type: "loop:resumed" });
      told = null;
    },
  };
}

function passing(
  error: unknown,
): { readonly code: string; readonly reason: string; readonly fix: string } | null {
  if (error instanceof PawlError)
    return PASSES.has(error.code) ? { code: error.code, reason: error.message, fix: error.fix } : null;
  const { code, message } = error as NodeJS.ErrnoException;
  if (!SYSTEM_PASSES.has(code)) return null;
  return { code: "disk-failed", reason: message, fix: "Make room, or close what uses it up." };
}
