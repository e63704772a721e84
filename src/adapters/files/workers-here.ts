/** Workers of this checkout: the kernel's lock on a worker's name says whether an earlier one of that name is dead. */
import type { Workers } from "../../core/ports/workers.ts";
import { openLocks, tryLock } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";

/**
 * `endDead` ends what dead loops of this checkout left; false: not all of it. The leases of a dead worker may be ended only after
 * that: another machine would begin a task at which a dead worker's agent is still alive.
 */
export function openWorkersHere(
  workers: Workers,
  root: string,
  place: string,
  endDead: () => Promise<boolean>,
): Workers {
  const locks = openLocks(nodeDisk(root));
  return {
    ...workers,
    async register(own) {
      const lock = await tryLock(locks, `worker-${own.name}.lock`, `worker ${own.name}`);
      const register = async () =>
        workers.register(own, { place, isAlone: lock !== null && (await endDead()) });
      const registration = await register().catch((error) => {
        lock?.release();
        throw error;
      });
      if (registration === null) {
        lock?.release();
        return null;
      }
      return {
        ...registration,
        async leave() {
          await registration.leave();
          lock?.release();
        },
      };
    },
  };
}
