/**
 * Leases in the database. Its clock alone says when one has run out; its holder renews it three times as often as needed. Each
 * take raises the lease's epoch, by which the database refuses what an earlier holder still commits.
 */
import { randomUUID } from "node:crypto";
import type { Cap, Claim, Claims } from "../../core/ports/claims.ts";
import { openHeldLeases } from "./held-leases.ts";
import { CHANNEL, type Fence, type Place } from "./place.ts";

/** Milliseconds. */
export const LASTING = 15_000;

interface Taken {
  readonly taken_epoch: string | null;
  readonly was_left: boolean | null;
}

export interface FencedClaims extends Claims {
  /** Null: this process does not hold it. */
  fence(what: string): Fence | null;
}

const HELD = `
  select what, ceil(extract(epoch from until - clock_timestamp()) * 1000)::int as remaining
  from pawl.lease where project = $1 and holder is not null and until > clock_timestamp()`;

export function openClaims({ connections, project }: Place, lasting = LASTING): FencedClaims {
  // Distinguishes this process from an earlier one of the same name.
  const own = randomUUID();
  const interval = `${lasting} milliseconds`;
  const leases = openHeldLeases(lasting, async (epochs) => {
    const kept = await connections.query<{ what: string }>(
      "select what from pawl.renew($1, $2, $3, $4) what",
      [project, [...epochs.keys()], [...epochs.values()], interval],
    );
    return new Set(kept.map(({ what }) => what));
  });

  const hold = (what: string, sent: number, { taken_epoch, was_left }: Taken): Claim | null => {
    if (!taken_epoch) return null;
    const epoch = Number(taken_epoch);
    const { drop, lost } = leases.add(what, epoch, sent);
    return {
      what,
      abandoned: was_left === true,
      epoch,
      lost,
      async release() {
        if (!drop()) return;
        await connections.query("select pawl.release($1, $2, $3)", [project, what, epoch]);
        // Somebody may wait for the cap that it counted for.
        connections.notify(CHANNEL, project);
      },
    };
  };

  return {
    isShared: true,
    async take(what, worker) {
      if (leases.epochOf(what) !== null) return null;
      const sent = performance.now();
      const [row] = await connections.query<Taken>(
        "select taken_epoch, was_left from pawl.take($1, $2, $3, $4)",
        [project, what, `${worker} ${own}`, interval],
      );
      return row ? hold(what, sent, row) : null;
    },
    async reserve(what, worker, wanted) {
      if (leases.epochOf(what) !== null) return null;
      const sent = performance.now();
      const [row] = await connections.query<Taken & { refused: Cap | null }>(
        "select taken_epoch, was_left, refused from pawl.take_task($1, $2, $3, $4, $5)",
        [project, what, `${worker} ${own}`, interval, JSON.stringify({ ...wanted, worker })],
      );
      return row ? (row.refused ?? hold(what, sent, row)) : null;
    },
    async held() {
      const rows = await connections.query<{ what: string; remaining: number }>(HELD, [project]);
      return new Map(rows.map(({ remaining, what }) => [what, remaining]));
    },
    onProlonged: leases.onProlonged,
    // What dead owners left runs out by itself.
    sweep: async () => {},
    fence(what) {
      const epoch = leases.epochOf(what);
      return epoch === null ? null : { what, epoch };
    },
  };
}
