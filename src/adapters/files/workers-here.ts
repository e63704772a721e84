/**
 * Workers of this checkout: a kernel lock per worker name shows whether an earlier worker of that name is
 * dead.
 */
import type { Workers } from "../../core/ports/workers.ts";
import { openLocks, tryLock } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";

/**
 * `endDead` ends the processes of this checkout's dead loops; false: some are left. The leases of a dead
 * worker may be ended only after that: otherwise another machine would begin a task on which a dead worker's
 * agent is still working.
 */
export function openWorkersHere(
  workers: Workers,
  root: string,
  folder: string,
  endDead: () => Promise<boolean>,
): Workers {
  const locks = openLocks(nodeDisk(root));
  return {
    ...workers,
    async register(worker) {
      const lock = await tryLock(locks, `worker-${worker.name}.lock`, `worker ${worker.name}`);
      const register = async () =>
        workers.register(worker, { place: folder, isAlone: lock !== null && (await endDead()) });
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
