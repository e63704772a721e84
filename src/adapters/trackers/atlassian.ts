/**
 * What Jira and Confluence share: the address and credentials, the limits of a fetch, and its failures.
 *
 * A1  Credentials go only to the configured address. A link gives an issue's key or a page's id, never a host to
 *     contact.
 */
import type { FetchFailure } from "../../core/ports/references.ts";
import { LimitExceeded } from "../net/limits.ts";

export interface AtlassianAccess {
  /** The site's address: `https://acme.atlassian.net`. */
  readonly address: URL;
  readonly email: string;
  readonly token: string;
  /** Milliseconds that one request may take. */
  readonly limit: number;
}

/** Why an address in the configuration cannot be used, or null. */
export function addressFault(text: string): string | null {
  if (!URL.canParse(text)) return "it is not an address such as https://acme.atlassian.net";
  const { protocol, hostname, username } = new URL(text);
  if (username !== "") return "it must not hold credentials";
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return null;
  return "it must begin with https://, since credentials are sent to it";
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}

/**
 * Whether the configured address is a different site of Atlassian's cloud than the link's: the same key would name
 * another issue there. Any other address (a proxy, a company's own domain) stands for the link's site.
 */
export function isOtherSite({ address }: AtlassianAccess, site: string): boolean {
  return address.host.endsWith(".atlassian.net") && address.host !== site;
}

/** The configuration of a client for this address. */
export function clientOf({ address, email, token }: AtlassianAccess): {
  host: string;
  headers: Record<string, string>;
  onSchemaMismatch: "silent";
} {
  const host = `${address.origin}${address.pathname.replace(/\/+$/, "").replace(/\/wiki$/, "")}`;
  // The client's own `auth` rejects email addresses that servers accept.
  const basic = Buffer.from(`${email}:${token}`).toString("base64");
  return { host, headers: { Authorization: `Basic ${basic}` }, onSchemaMismatch: "silent" };
}

class TimedOut extends Error {}

/** Returns the answer, or fails once the limit has passed. */
export async function within<T>(limit: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`no answer within ${limit / 1000} s`)), limit);
  });
  try {
    return await Promise.race([answer, end]);
  } finally {
    clearTimeout(timer);
  }
}

const REASONS: Readonly<Record<number, FetchFailure["reason"]>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  429: "rate-limited",
};

/** Describes what a client threw, in Pawl's own words. The detail never repeats what was sent. */
export function failureOf(thrown: unknown): FetchFailure {
  if (thrown instanceof LimitExceeded) return { reason: thrown.reason, detail: thrown.message };
  if (thrown instanceof TimedOut) return { reason: "timed-out", detail: thrown.message };
  const { status, statusText, retryAfterMs, code } = thrown as {
    status?: number;
    statusText?: string;
    retryAfterMs?: number;
    code?: string;
  };
  if (typeof status === "number") {
    const reason = REASONS[status] ?? "unexpected";
    const detail = `${status} ${statusText ?? ""}`.trim();
    const wait = typeof retryAfterMs === "number" ? { retryAfter: Math.ceil(retryAfterMs / 1000) } : {};
    return { reason, detail, ...wait };
  }
  const name = thrown instanceof Error ? thrown.name : "";
  if (name === "NetworkError") return { reason: "unreachable", detail: code ?? "no connection" };
  return { reason: "unexpected", detail: thrown instanceof Error ? thrown.message.slice(0, 200) : "unknown" };
}
