import type { Leases } from "../../core/ports/leases.ts";

/** A lease is renewed every quarter of a minute; after this many missed renewals its owner is dead. */
const LEASE_MILLISECONDS = 60_000;

/** The tasks whose owner gave a recent sign of life; `time` is now. */
export async function heldTasks(leases: Leases | undefined, time: string): Promise<ReadonlySet<string>> {
  const isAlive = (beat: string | null) =>
    beat !== null && Date.parse(time) - Date.parse(beat) < LEASE_MILLISECONDS;
  const all = (await leases?.list()) ?? [];
  return new Set(all.flatMap(({ beat, what }) => (isAlive(beat) ? [what] : [])));
}
