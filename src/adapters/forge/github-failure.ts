import type { FetchFailure } from "../../core/ports/references.ts";
import { exceededHere } from "../net/limits.ts";

interface RequestFailure {
  readonly name?: string;
  readonly status?: number;
  readonly message?: string;
  readonly response?: { readonly headers?: Readonly<Record<string, string | number | undefined>> };
  readonly cause?: { readonly name?: string; readonly code?: string };
}

/**
 * Describes what octokit threw, in Pawl's own words. GitHub answers 403 both for a missing right and for too many
 * requests.
 */
export function githubFailureOf(thrown: unknown, now: number): FetchFailure {
  const { status, name, message = "", response, cause } = thrown as RequestFailure;
  const headers = response?.headers;
  const exceeded = exceededHere();
  if (exceeded) return { reason: exceeded.reason, detail: exceeded.message };
  if (name === "TimeoutError" || name === "AbortError" || cause?.name === "TimeoutError")
    return { reason: "timed-out", detail: "no answer in time" };
  // Octokit gives a request without an answer the status 500 and no response.
  if (headers === undefined)
    return { reason: "unreachable", detail: cause?.code ?? (message.slice(0, 200) || "no connection") };
  const detail = `${status}: ${message.slice(0, 200)}`;
  if (status === 429 || (status === 403 && isRateLimit(headers, message)))
    return { reason: "rate-limited", detail, ...waitOf(headers, now) };
  if (status === 401) return { reason: "unauthorized", detail };
  if (status === 403) return { reason: "forbidden", detail };
  if (status === 404) return { reason: "not-found", detail };
  return { reason: "unexpected", detail };
}

/** Whether the next request would fail in the same way. */
export function repeatsItself({ reason }: FetchFailure): boolean {
  return reason !== "not-found" && reason !== "unexpected";
}

type Headers = NonNullable<RequestFailure["response"]>["headers"];

function isRateLimit(headers: Headers, message: string): boolean {
  const left = headers?.["x-ratelimit-remaining"];
  return headers?.["retry-after"] !== undefined || String(left) === "0" || /rate limit/i.test(message);
}

function waitOf(headers: Headers, now: number): { retryAfter?: number } {
  const after = Number(headers?.["retry-after"]);
  if (Number.isFinite(after)) return { retryAfter: Math.max(0, Math.ceil(after)) };
  const reset = Number(headers?.["x-ratelimit-reset"]);
  return Number.isFinite(reset) ? { retryAfter: Math.max(0, Math.ceil(reset - now / 1000)) } : {};
}
