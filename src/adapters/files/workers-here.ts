/** Workers of this checkout: the kernel's lock on a worker's name says whether an earlier one of that name is dead. */
import type { Workers } from "../../core/ports/workers.ts";
import { openLocks, tryLock } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";

export function openWorkersHere(workers: Workers, root: string, place: string): Workers {
  const locks = openLocks(nodeDisk(root));
  return {
    ...workers,
    async register(own) {
      const lock = await tryLock(locks, `worker-${own.name}.lock`, `worker ${own.name}`);
      const registration = await workers.register(own, { place, isAlone: lock !== null }).catch((error) => {
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
