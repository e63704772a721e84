import { PawlError } from "../../core/error.ts";
import { LIMITS, LimitExceeded, type Limits, withinLimits } from "../net/limits.ts";

const PATIENCE = 15_000;

export interface Asked {
  readonly tracker: string;
  readonly url: string;
  /** The variable that holds the token, for the fix. */
  readonly token: string;
  /** Limits for everything that one request fetches; default: `LIMITS`. */
  readonly limits?: Limits | undefined;
}

/** Waits for the tracker's answer, but not for ever. A failure becomes `tracker-failed` in plain words. */
export async function ask<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE / 1000} s`)), PATIENCE);
  });
  try {
    return await withinLimits(asked.limits ?? LIMITS, () => Promise.race([work(), late]));
  } catch (thrown) {
    throw thrown instanceof PawlError ? thrown : failed(asked, thrown);
  } finally {
    clearTimeout(timer);
  }
}

function failed({ token, tracker, url }: Asked, thrown: unknown): PawlError {
  const { message, status } = thrown as { message?: string; status?: number };
  const [what, fix] =
    thrown instanceof LimitExceeded
      ? [`its answer was ${thrown.message}`, "Ask for less: a smaller project, or a single task."]
      : status === 401 || status === 403
        ? [`it refused the token (HTTP ${status})`, `Set a valid ${token} in the environment.`]
        : status === undefined
          ? [
              `it cannot be reached: ${innermost(thrown)}`,
              "Check the network and the address; Pawl sends what is pending later.",
            ]
          : [
              `it answered with HTTP ${status}: ${firstLine(message ?? "")}`,
              "Check the tracker; Pawl sends what is pending later.",
            ];
  return new PawlError("tracker-failed", `${tracker} at ${url}: ${what}.`, fix, thrown);
}

/** The innermost cause says what happened. */
function innermost(thrown: unknown): string {
  let at = thrown as { cause?: unknown; message?: string; code?: string };
  while (at.cause instanceof Error) at = at.cause;
  return firstLine(at.message || at.code || String(thrown));
}

const firstLine = (text: string): string => (text.trim().split("\n")[0] ?? "").slice(0, 300);

/** The tracker has no status of the requested name. */
export function noSuchStatus(
  tracker: string,
  id: string,
  wanted: string,
  there: readonly string[],
): PawlError {
  return new PawlError(
    "tracker-failed",
    `${tracker} cannot move ${id} to the status "${wanted}": it can be moved to ${there.length > 0 ? there.join(", ") : "nothing"}.`,
    "Map the status to one that exists: `tracker: {statuses: {…}}` in the configuration.",
  );
}
