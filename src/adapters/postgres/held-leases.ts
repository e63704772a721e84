/**
 * The leases that this process holds, for as long as it may be sure of them.
 *
 * E1  A lease counts as lost once two thirds of its time have passed since the last renewal that succeeded was sent. In the rest
 *     of its time the holder ends its agents: nobody can take it before.
 * E2  It also counts as lost if the wall clock and the steady clock disagree on how much time has passed: the machine slept, and
 *     nobody knows for how long.
 * E3  While nothing is held, nothing is asked and no timer runs.
 * E4  Whoever hears for how long leases count as held hears nothing of one that is lost: its agents may still work. The time that
 *     was told last runs on.
 */

export interface HeldLeases {
  /** Null: it is not held. */
  epochOf(what: string): number | null;
  /** `sent`: when the question was sent by which it was taken, by the steady clock. Null: so long ago that it counts as lost. */
  add(what: string, epoch: number, sent: number): HeldLease | null;
  /** As in the port. */
  onProlonged(heard: (left: number | null) => void): void;
}

export interface HeldLease {
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

/** Looks at the clocks so often within the time that a lease lasts. */
const LOOKS = 15;

export function openHeldLeases(lasting: number, renew: Renew): HeldLeases {
  const held = new Map<string, Held>();
  const sure = (2 * lasting) / 3;
  let tell = (_left: number | null) => {};
  let watching: NodeJS.Timeout | undefined;
  let looked = readClocks();
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
    if (held.size > 0) tell(sent + sure - performance.now());
    rest();
  };
  const look = () => {
    const now = readClocks();
    const isAstray = Math.abs(now.wall - looked.wall - (now.steady - looked.steady)) > lasting / 3;
    looked = now;
    for (const [what, one] of held) if (isAstray || now.steady - one.sent >= sure) lose(what, one);
    if (held.size > 0 && now.steady - asked >= lasting / 3) {
      asked = now.steady;
      renewAll(now.steady).catch(() => {});
    }
    rest();
  };
  return {
    onProlonged(heard) {
      tell = heard;
    },
    epochOf: (what) => held.get(what)?.epoch ?? null,
    add(what, epoch, sent) {
      if (performance.now() - sent >= sure) return null;
      const one: Held = { epoch, sent, lost: new AbortController() };
      held.set(what, one);
      if (watching === undefined) {
        looked = readClocks();
        asked = sent;
        watching = setInterval(look, lasting / LOOKS).unref();
        tell(sent + sure - performance.now());
      }
      return {
        lost: one.lost.signal,
        drop() {
          if (held.get(what) !== one) return false;
          held.delete(what);
          rest();
          if (held.size === 0) tell(null);
          return true;
        },
      };
    },
  };
}
