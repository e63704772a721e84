/**
 * One-time words that go with a review into the client's app, and come back with the verdict on it.
 *
 * N1  A nonce counts once, for the run and the version that it was issued for, on the connection that asked for it: each
 *     connection has nonces of its own.
 * N2  It is taken away with the first try, whatever comes of it.
 * N3  It is in memory alone, and for a bounded time; of too many the oldest go.
 */
export interface Nonces {
  issue(review: Reviewed): string;
  /** Whether it is the nonce of this review; from now on it is nobody's. */
  take(nonce: string, review: Reviewed): boolean;
}

export interface Reviewed {
  /** `workflow:id` */
  readonly run: string;
  readonly version: string;
}

export interface NonceOptions {
  /** Milliseconds; need not be the time of day. */
  readonly now: () => number;
  /** A word that nobody guesses. */
  readonly word: () => string;
}

/** Milliseconds: longer than reading takes; a page that was open longer asks anew. */
export const LIFE = 60 * 60_000;
export const MOST = 64;

export function openNonces({ now, word }: NonceOptions): Nonces {
  const open = new Map<string, Reviewed & { readonly until: number }>();
  return {
    issue({ run, version }) {
      const nonce = word();
      open.set(nonce, { run, version, until: now() + LIFE });
      const [oldest] = open.keys();
      if (open.size > MOST && oldest !== undefined) open.delete(oldest);
      return nonce;
    },
    take(nonce, { run, version }) {
      const known = open.get(nonce);
      open.delete(nonce);
      return known !== undefined && known.run === run && known.version === version && now() < known.until;
    },
  };
}
