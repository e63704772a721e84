/** What dead workers left: each acts on what no live worker holds. */
import type { LeaseManager } from "../core/ports/leases.ts";

interface Abandoning {
  readonly leaseManager: LeaseManager;
  /** The worker's name in leases. */
  readonly name: string;
  readonly ports: { readonly host?: string };
}

/** `all`: read before the call, so that a live worker has had its lease since. `leaseOf`: the lease of the run that left it. */
export async function forAbandoned<T>(
  { leaseManager, name, ports }: Abandoning,
  all: readonly T[],
  leaseOf: (each: T) => string,
  act: (each: T) => Promise<void>,
): Promise<void> {
  // Where leases can be read, taking one would hide that a worker died.
  const held = all.length === 0 ? undefined : await leaseManager.held?.(ports.host);
  for (const each of all) {
    if (held?.some(({ what, preferred }) => what === leaseOf(each) && preferred === undefined)) continue;
    const lease = held === undefined ? await leaseManager.take(leaseOf(each), name) : null;
    if (held === undefined && lease === null) continue;
    await act(each).finally(() => lease?.release());
  }
}
