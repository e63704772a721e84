import type { FetchFailure } from "../../core/ports/references.ts";

/** A failed HTTP request. The message is Pawl's own, and never repeats what was sent. */
export class HttpFailure extends Error {
  readonly failure: FetchFailure;
  /** The answer's status, if there was an answer. */
  readonly status: number | undefined;

  constructor(failure: FetchFailure, more: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(failure.detail, { cause: more.cause });
    this.failure = failure;
    this.status = more.status;
  }
}

/** The `HttpFailure` in an error, however a client has wrapped it. */
export function httpFailureIn(thrown: unknown): HttpFailure | null {
  for (let at = thrown; at instanceof Error; at = at.cause) if (at instanceof HttpFailure) return at;
  return null;
}

const REASONS: Readonly<Record<number, FetchFailure["reason"]>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  410: "not-found",
  429: "rate-limited",
};

/** The failure of a status. `text`: the service's own sentence, if there is one. */
export function failureOfStatus(status: number, headers: Headers, text = ""): HttpFailure {
  const after = retryAfter(headers, Date.now());
  // Jira Data Center sends `retry-after: 0` with every answer while it has no limit to report. GitHub answers 403 both
  // for a missing right and for too many requests.
  const isSpent =
    (after ?? 0) > 0 ||
    (headers.get("x-ratelimit-remaining") === "0" && headers.has("x-ratelimit-reset")) ||
    /rate limit/i.test(text);
  const isBusy = status === 503 ? after !== null : status === 403 && isSpent;
  const reason = isBusy ? "rate-limited" : (REASONS[status] ?? "unexpected");
  const wait = reason === "rate-limited" ? after || resetAfter(headers, Date.now()) : null;
  const words = text.replace(/\s+/g, " ").trim().replace(/\.$/, "").slice(0, 200);
  const detail = words === "" ? `HTTP ${status}` : `HTTP ${status}: ${words}`;
  return new HttpFailure({ reason, detail, ...(wait !== null && { retryAfter: wait }) }, { status });
}

/** Seconds to wait, as `retry-after` says it: a number or a date (RFC 9110, 10.2.3). */
export function retryAfter(headers: Headers, now: number): number | null {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.ceil(Number(value));
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

/**
 * Seconds until a spent limit is full again. Jira's Cloud names a time, GitHub and GitLab a time in seconds, Data Center
 * how often it fills.
 */
export function resetAfter(headers: Headers, now: number): number | null {
  for (const name of ["x-ratelimit-reset", "ratelimit-reset"]) {
    const value = headers.get(name) ?? "";
    const at = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value);
    if (!Number.isNaN(at)) return Math.max(0, Math.ceil((at - now) / 1000));
  }
  const every = Number(headers.get("x-ratelimit-interval-seconds") ?? Number.NaN);
  return Number.isFinite(every) ? every : null;
}

/**
 * The answer, or null if the server has no such thing, by one of these statuses or in the service's own words. With 410,
 * most say that an address is no longer served, which says nothing about the thing.
 */
export async function orNull<T>(answer: Promise<T>, statuses: readonly number[] = [404]): Promise<T | null> {
  try {
    return await answer;
  } catch (thrown) {
    const isMissing = thrown instanceof HttpFailure && thrown.failure.reason === "not-found";
    if (isMissing && (thrown.status === undefined || statuses.includes(thrown.status))) return null;
    throw thrown;
  }
}

const UNTRUSTED = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const WORDS: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: (host) => `the name ${host} is not known here`,
  EAI_AGAIN: (host) => `the name ${host} could not be looked up`,
  ECONNREFUSED: (host) => `nothing listens at ${host}`,
  ECONNRESET: (host) => `${host} closed the connection`,
  EPIPE: (host) => `${host} closed the connection`,
  ETIMEDOUT: (host) => `${host} accepts no connection`,
  EHOSTUNREACH: (host) => `there is no way to ${host}`,
  ENETUNREACH: (host) => `there is no way to ${host}`,
  CERT_HAS_EXPIRED: (host) => `the certificate of ${host} has expired`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `the certificate of ${host} is for another name`,
  EPROTO: (host) => `${host} does not speak TLS`,
};

/** Describes the system's error of a connection to `host`. */
export function failureOfConnection(thrown: unknown, host: string): HttpFailure {
  if (thrown instanceof HttpFailure) return thrown;
  const { code = "", errors } = thrown as { code?: string; errors?: readonly { code?: string }[] };
  const name = code || errors?.[0]?.code || "";
  const words = UNTRUSTED.has(name)
    ? `the certificate of ${host} is not signed by an authority that this machine trusts; name the file with your company's certificate in NODE_EXTRA_CA_CERTS`
    : (WORDS[name]?.(host) ??
      (name.startsWith("HPE_") || name.startsWith("Z_")
        ? `${host} does not answer in HTTP`
        : name.startsWith("ERR_SSL") || name.startsWith("ERR_TLS")
          ? `there is no secure connection to ${host}`
          : `no connection to ${host}`));
  const detail = name === "" ? words : `${words} (${name})`;
  return new HttpFailure({ reason: "unreachable", detail }, { cause: thrown });
}
