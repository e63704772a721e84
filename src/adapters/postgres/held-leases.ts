/**
 * The leases that this process holds, as long as it can be sure of them.
 *
 * E1  A lease counts as lost once two thirds of its time have passed since the last successful renewal was
 *     sent. In the rest of its time the holder ends its agents: no worker can take the lease before.
 * E2  It also counts as lost if the wall clock and the steady clock disagree on the passed time: then the
 *     machine slept for an unknown time.
 * E3  While no lease is held, no query is made and no timer runs.
 * E4  A lost lease does not prolong the reported time, since its agents may still work: the time reported
 *     last keeps running.
 */

export interface HeldLeases {
  /** Null: it is not held. */
  epochOf(what: string): number | null;
  /**
   * `sent`: when the query that took the lease was sent, by the steady clock. Null: so long ago that it
   * counts as lost.
   */
  add(what: string, epoch: number, sent: number): HeldLease | null;
  /** As in the port. */
  onProlonged(listener: (left: number | null) => void): void;
}

interface HeldLease {
  readonly lost: AbortSignal;
  /** False: it is no longer held. */
  drop(): boolean;
}

/** Renews leases by their epochs; returns those that are still held. */
type Renew = (epochs: ReadonlyMap<string, number>) => Promise<ReadonlySet<string>>;

interface Held {
  readonly epoch: number;
  sent: number;
  readonly lost: AbortController;
}

const readClocks = () => ({ wall: Date.now(), steady: performance.now() });

/** Clock checks within the time of a lease. */
const CHECKS = 15;

export function openHeldLeases(lasting: number, renew: Renew): HeldLeases {
  const held = new Map<string, Held>();
  const sure = (2 * lasting) / 3;
  let onProlonged = (_left: number | null) => {};
  let watching: NodeJS.Timeout | undefined;
  let lastCheck = readClocks();
  let asked = 0;

  const rest = () => {
    if (held.size > 0) return;
    clearInterval(watching);
    watching = undefined;
  };
  const lose = (what: string, one: Held) => {
    if (held.get(what) !== one) return;
    held.delete(what);
    one.lost.abort();
  };
  const renewAll = async (sent: number) => {
    const all = [...held];
    const still = await renew(new Map(all.map(([what, { epoch }]) => [what, epoch])));
    for (const [what, one] of all)
      if (still.has(what)) one.sent = Math.max(one.sent, sent);
      else lose(what, one);
    if (held.size > 0) onProlonged(sent + sure - performance.now());
    rest();
  };
  const check = () => {
    const now = readClocks();
    const isAstray = Math.abs(now.wall - lastCheck.wall - (now.steady - lastCheck.steady)) > lasting / 3;
    lastCheck = now;
    for (const [what, one] of held) if (isAstray || now.steady - one.sent >= sure) lose(what, one);
    if (held.size > 0 && now.steady - asked >= lasting / 3) {
      asked = now.steady;
      renewAll(now.steady).catch(() => {});
    }
    rest();
  };
  return {
    onProlonged(listener) {
      onProlonged = listener;
    },
    epochOf: (what) => held.get(what)?.epoch ?? null,
    add(what, epoch, sent) {
      if (performance.now() - sent >= sure) return null;
      const one: Held = { epoch, sent, lost: new AbortController() };
      held.set(what, one);
      if (watching === undefined) {
        lastCheck = readClocks();
        asked = sent;
        watching = setInterval(check, lasting / CHECKS).unref();
        onProlonged(sent + sure - performance.now());
      }
      return {
        lost: one.lost.signal,
        drop() {
          if (held.get(what) !== one) return false;
          held.delete(what);
          rest();
          if (held.size === 0) onProlonged(null);
          return true;
        },
      };
    },
  };
}
