import type { Leases } from "../../core/ports/claims.ts";

/** A lease is written anew every quarter of a minute; one that was missed so often is a dead owner's. */
const LEASE_MILLISECONDS = 60_000;

/** The tasks whose owner gave a sign of life of late; `time` is now. */
export async function heldTasks(leases: Leases | undefined, time: string): Promise<ReadonlySet<string>> {
  const isAlive = (beat: string | null) =>
    beat !== null && Date.parse(time) - Date.parse(beat) < LEASE_MILLISECONDS;
  const all = (await leases?.list()) ?? [];
  return new Set(all.flatMap(({ beat, what }) => (isAlive(beat) ? [what] : [])));
}
