/** Jira issues and wiki pages that a text links to. */

/** Why a fetch failed, in Pawl's own words. `detail` is one line for a person. */
export interface FetchFailure {
  readonly reason:
    | "unauthorized"
    | "forbidden"
    | "not-found"
    | "rate-limited"
    | "timed-out"
    | "too-large"
    | "unreachable"
    | "unexpected";
  readonly detail: string;
  /** Seconds to wait before the next try, if the server says so. */
  readonly retryAfter?: number;
}

/**
 * Issues and pages that a text links to. Credentials go to the configured address only, never to a link's
 * host.
 */
export interface References {
  /** Never throws. */
  fetch(reference: Reference): Promise<ReferenceFetch>;
}

export type Reference =
  | { readonly kind: "issue"; readonly site: string; readonly key: string }
  | { readonly kind: "page"; readonly site: string; readonly page: string };

export type ReferenceFetch =
  /** Text of other people: fence it wherever it is shown. */
  | { readonly kind: "fetched"; readonly markdown: string }
  /** `detail`: what to set. */
  | { readonly kind: "not-configured"; readonly detail: string }
  | { readonly kind: "failed"; readonly failure: FetchFailure };
