import type { FetchFailure } from "../../core/ports/references.ts";
import { httpFailureIn, resetAfter, retryAfter } from "../net/failure.ts";
import { exceededHere } from "../net/limits.ts";

interface RequestFailure {
  readonly name?: string;
  readonly status?: number;
  readonly response?: {
    readonly headers?: Readonly<Record<string, string | number | undefined>>;
    readonly data?: unknown;
  };
  readonly cause?: { readonly name?: string };
}

/**
 * Describes an error of a forge's client, in Pawl's own words and the forge's. GitHub answers 403 both for a
 * missing right and for too many requests.
 */
export function forgeFailureOf(thrown: unknown, now: number): FetchFailure {
  const failure = exceededHere()?.failure ?? httpFailureIn(thrown)?.failure;
  if (failure) return failure;
  const { status, name, response, cause } = thrown as RequestFailure;
  if (name === "TimeoutError" || name === "AbortError" || cause?.name === "TimeoutError")
    return { reason: "timed-out", detail: "no answer in time" };
  // Octokit reports a request without an answer as status 500 without a response.
  if (response?.headers === undefined)
    return {
      reason: "unexpected",
      detail: "the answer does not have the shape that the forge's API describes",
    };
  const headers = new Headers(
    Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value ?? "")]),
  );
  const said = wordsOf(response.data);
  const detail = said === "" ? `${status}` : `${status}: ${said}`;
  if (status === 429 || (status === 403 && isRateLimit(headers, said)))
    return { reason: "rate-limited", detail, ...waitOf(headers, now) };
  if (status === 401) return { reason: "unauthorized", detail };
  if (status === 403) return { reason: "forbidden", detail };
  if (status === 404) return { reason: "not-found", detail };
  return { reason: "unexpected", detail };
}

/** GitHub's reason for a refusal, without the address of its documentation. */
function wordsOf(data: unknown): string {
  const { message, errors } = (data ?? {}) as { message?: unknown; errors?: unknown };
  if (typeof message !== "string") return "";
  const each = (Array.isArray(errors) ? errors : []).map(
    (error) => error?.message ?? (error?.field && error.code ? `${error.field}: ${error.code}` : error),
  );
  return [message, ...each.filter((error) => typeof error === "string")].join("; ").slice(0, 200);
}

/** Whether the next request would fail in the same way. */
export function repeatsItself({ reason }: FetchFailure): boolean {
  return reason !== "not-found" && reason !== "unexpected";
}

function isRateLimit(headers: Headers, said: string): boolean {
  return (
    headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0" || /rate limit/i.test(said)
  );
}

function waitOf(headers: Headers, now: number): { retryAfter?: number } {
  const after = retryAfter(headers, now) ?? resetAfter(headers, now);
  return after === null ? {} : { retryAfter: after };
}
