/**
 * Leases in the database. Only its clock decides when one expires; the holder renews it three times as often
 * as needed. Each take raises the lease's epoch, by which the database refuses later commits of an earlier
 * holder.
 */
import { randomUUID } from "node:crypto";
import type { Cap, Held, LeaseManager, TakenLease } from "../../core/ports/leases.ts";
import { openHeldLeases } from "./held-leases.ts";
import { CHANNEL, type Fence, type StoredProject } from "./stored-project.ts";

/** Milliseconds. */
export const LASTING = 15_000;

interface Taken {
  readonly taken_epoch: string | null;
  readonly was_left: boolean | null;
}

export interface FencedLeaseManager extends LeaseManager {
  /** Null: this process does not hold it. */
  fence(what: string): Fence | null;
}

interface HeldRow extends Omit<Held, "preferred"> {
  readonly preferred: readonly string[] | null;
}

/**
 * Heartbeats are sent three times as often as needed. Half of that time without one ends the preference for a
 * place, so a dead machine delays no other worker; its leases last twice as long.
 */
const HELD = `
  with found as (
    select what, until, null::text[] as preferred
    from pawl.lease where project = $1 and holder is not null and until > clock_timestamp()
    union all
    select l.what, least(l.until + interval '1 minute', w.beat + w.lasting / 2), w.labels
    from pawl.lease l
    join pawl.reservation r on r.project = l.project and r.what = l.what and r.epoch = l.epoch
    join pawl.worker w on w.project = l.project and w.place = r.place
    where l.project = $1 and l.holder is not null and l.until <= clock_timestamp()
      and r.place <> coalesce($2, '') and w.state = 'working' and w.at_work < w.capacity
  )
  select what, ceil(extract(epoch from until - clock_timestamp()) * 1000)::int as left, preferred
  from found where until > clock_timestamp()`;

export function openLeaseManager(
  { connections, project }: StoredProject,
  lasting = LASTING,
): FencedLeaseManager {
  // Distinguishes this process from an earlier one of the same name.
  const processId = randomUUID();
  const interval = `${lasting} milliseconds`;
  const leases = openHeldLeases(lasting, async (epochs) => {
    const kept = await connections.query<{ what: string }>(
      "select what from pawl.renew($1, $2, $3, $4) what",
      [project, [...epochs.keys()], [...epochs.values()], interval],
    );
    return new Set(kept.map(({ what }) => what));
  });

  const giveBack = async (what: string, epoch: number) => {
    await connections.query("select pawl.release($1, $2, $3)", [project, what, epoch]);
    // Another worker may be waiting for the cap that this lease counted for.
    connections.notify(CHANNEL, project);
  };
  const hold = async (
    what: string,
    sent: number,
    { taken_epoch, was_left }: Taken,
  ): Promise<TakenLease | null> => {
    if (!taken_epoch) return null;
    const epoch = Number(taken_epoch);
    const held = leases.add(what, epoch, sent);
    // The answer took so long that another worker may have the lease now.
    if (held === null) {
      await giveBack(what, epoch);
      return null;
    }
    const { drop, lost } = held;
    return {
      what,
      abandoned: was_left === true,
      epoch,
      lost,
      async release() {
        if (drop()) await giveBack(what, epoch);
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
        [project, what, `${worker} ${processId}`, interval],
      );
      return row ? hold(what, sent, row) : null;
    },
    async reserve(what, worker, wanted) {
      if (leases.epochOf(what) !== null) return null;
      const sent = performance.now();
      const [row] = await connections.query<Taken & { refused: Cap | null }>(
        "select taken_epoch, was_left, refused from pawl.take_task($1, $2, $3, $4, $5)",
        [project, what, `${worker} ${processId}`, interval, JSON.stringify({ ...wanted, worker })],
      );
      return row ? (row.refused ?? hold(what, sent, row)) : null;
    },
    async held(place) {
      const rows = await connections.query<HeldRow>(HELD, [project, place ?? null]);
      return rows.map(({ preferred, ...held }) => ({
        ...held,
        ...(preferred === null ? {} : { preferred }),
      }));
    },
    onProlonged: leases.onProlonged,
    // Leases of dead owners expire by themselves.
    sweep: async () => {},
    fence(what) {
      const epoch = leases.epochOf(what);
      return epoch === null ? null : { what, epoch };
    },
  };
}
