/**
 * Nonces: sent to the client's app with a review, and returned with the verdict on it.
 *
 * N1  A nonce is valid once, for the run and the version for which it was issued, and on the connection that
 *     requested it: each connection has its own nonces.
 * N2  The first try uses it up, even if it fails.
 * N3  It is kept only in memory, and for a limited time; if there are too many, the oldest are dropped.
 */
import { BoundedMap } from "../../../core/bounded-map.ts";

export interface Nonces {
  issue(review: Reviewed): string;
  /** Whether it is the nonce of this review. Uses it up. */
  take(nonce: string, review: Reviewed): boolean;
}

interface Reviewed {
  /** `workflow:id` */
  readonly run: string;
  readonly version: string;
}

export interface NonceOptions {
  /** Milliseconds; any clock, not necessarily the time of day. */
  readonly now: () => number;
  /** Returns an unguessable text. */
  readonly word: () => string;
}

/** Milliseconds: longer than reading takes. A page that is open longer requests the review again. */
export const NONCE_LIFETIME = 60 * 60_000;
export const MAX_NONCES = 64;

export function openNonces({ now, word }: NonceOptions): Nonces {
  const open = new BoundedMap<string, Reviewed & { readonly until: number }>(MAX_NONCES);
  return {
    issue({ run, version }) {
      const nonce = word();
      open.set(nonce, { run, version, until: now() + NONCE_LIFETIME });
      return nonce;
    },
    take(nonce, { run, version }) {
      const known = open.get(nonce);
      open.delete(nonce);
      return known !== undefined && known.run === run && known.version === version && now() < known.until;
    },
  };
}
