import { PawlError } from "../../core/error.ts";
import type { FetchFailure } from "../../core/ports/references.ts";
import { httpFailureIn } from "../net/failure.ts";
import { failureIn, LIMITS, type Limits, withinLimits } from "../net/limits.ts";

export interface TrackerRequest {
  readonly tracker: string;
  readonly url: string;
  /** The variable that holds the token, for the fix. */
  readonly token: string;
  /** Limits for everything that one request fetches; default: `LIMITS`. */
  readonly limits?: Limits | undefined;
}

/** Waits for the tracker's answer, with limits. A failure becomes a plain `tracker-failed`. */
export async function ask<T>(request: TrackerRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await withinLimits(request.limits ?? LIMITS, work);
  } catch (thrown) {
    throw thrown instanceof PawlError ? thrown : trackerError(request, thrown);
  }
}

const PENDING = "Pawl sends what is pending later.";

function trackerError({ token, tracker, url }: TrackerRequest, thrown: unknown): PawlError {
  const [what, fix] = wordsFor(failureIn(thrown), httpFailureIn(thrown)?.status, token);
  return new PawlError("tracker-failed", `${tracker} at ${url}: ${what}.`, fix, thrown);
}

function wordsFor(
  { detail, reason, retryAfter }: FetchFailure,
  status: number | undefined,
  token: string,
): readonly [what: string, fix: string] {
  switch (reason) {
    case "unauthorized":
    case "forbidden": {
      const reason = /^HTTP \d+$/.test(detail) ? "" : `: ${detail.replace(/^HTTP \d+: /, "")}`;
      const code = status === undefined ? "" : ` (HTTP ${status})`;
      return [`it refused the token${code}${reason}`, fixOfToken(token)];
    }
    case "rate-limited": {
      const wait = retryAfter === undefined ? "later" : `in ${retryAfter} s`;
      return [`it accepts no requests for now (${detail})`, `Try again ${wait}; ${PENDING}`];
    }
    case "too-large":
      return [`its answer was ${detail}`, "Ask for less: a smaller project, or a single task."];
    case "timed-out":
      return [`it did not answer in time (${detail})`, `Check the network and the address; ${PENDING}`];
    case "unreachable":
      return [
        `it cannot be reached: ${detail}`,
        `Check the network, the address, and HTTPS_PROXY if your network has a proxy; ${PENDING}`,
      ];
    default:
      return [
        status === undefined ? detail : `it answered with ${detail}`,
        `Check the tracker and its address; ${PENDING}`,
      ];
  }
}

function fixOfToken(token: string): string {
  const set = `Set a valid ${token} in the environment`;
  if (token !== "ATLASSIAN_API_TOKEN") return `${set}.`;
  return `${set}: for the Cloud an API token with ATLASSIAN_EMAIL (one with scopes works at https://api.atlassian.com/ex/jira/CLOUD-ID alone); for Data Center a personal access token alone, or a password with the user's name in ATLASSIAN_EMAIL.`;
}

/** The tracker has no status of the requested name. */
export function unknownStatusError(
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
