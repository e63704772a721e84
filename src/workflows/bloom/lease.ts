import type { Leases } from "../../core/ports/leases.ts";

/** A lease is renewed every 15 seconds; after this long without a renewal its owner counts as dead. */
const LEASE_MILLISECONDS = 60_000;

/** The tasks whose owner renewed its lease recently. `time`: now. */
export async function heldTasks(leases: Leases | undefined, time: string): Promise<ReadonlySet<string>> {
  const isAlive = (beat: string | null) =>
    beat !== null && Date.parse(time) - Date.parse(beat) < LEASE_MILLISECONDS;
  const all = (await leases?.list()) ?? [];
  return new Set(all.flatMap(({ beat, what }) => (isAlive(beat) ? [what] : [])));
}
