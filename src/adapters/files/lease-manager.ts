/**
 * Leases by the kernel's locks: free as soon as their owner dies, never taken from a slow or suspended one.
 * Beside each lock is a file that a person can read, `.pawl/claims/<what>.json`, with a heartbeat. If the
 * lock is free and the file is still there, its owner died.
 */
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { LeaseManager } from "../../core/ports/leases.ts";
import { LEASES, listLeases, namesIn } from "./leases.ts";
import { openLocks, tryLock } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";
import { openOwnFolder, ownPlace } from "./own-folder.ts";

const TEMPORARY = ".json.tmp";
const BEAT_MILLISECONDS = 15_000;

export function openLeaseManager(root: string): LeaseManager {
  const locks = openLocks(nodeDisk(root));
  const folder = join(root, LEASES);
  const held = new Map<string, () => Promise<void>>();
  let beating: NodeJS.Timeout | undefined;

  const beat = () => {
    for (const write of held.values()) write().catch(() => {});
  };

  /** Removes the temporary file of an owner that died while it wrote its lease. */
  const sweepTemporary = async (name: string) => {
    const own = `claim-${name.slice(0, -TEMPORARY.length)}.lock`;
    const lock = await tryLock(locks, own, "sweeping");
    if (lock === null) return;
    await rm(join(folder, name), { force: true }).catch(() => {});
    lock.release();
  };

  const leaseManager: LeaseManager = {
    async take(what, worker) {
      const name = fileNameOf(what);
      if (held.has(what)) return null;
      const lock = await tryLock(locks, `claim-${name}.lock`, `${what} by ${worker}`);
      if (lock === null) return null;
      const path = join(openOwnFolder(root, LEASES), `${name}.json`);
      const abandoned = existsSync(path);
      const lease = { what, worker, pid: process.pid, host: hostname(), since: new Date().toISOString() };
      let writing: Promise<void> = Promise.resolve();
      const write = () => {
        writing = writeLease(folder, path, { ...lease, beat: new Date().toISOString() });
        return writing;
      };
      try {
        await write();
      } catch (error) {
        lock.release();
        throw error;
      }
      held.set(what, write);
      beating ??= setInterval(beat, BEAT_MILLISECONDS).unref();
      return {
        what,
        abandoned,
        async release() {
          if (!held.delete(what)) return;
          if (held.size === 0) {
            clearInterval(beating);
            beating = undefined;
          }
          // A heartbeat in progress would write the file again.
          await writing.catch(() => {});
          // The lease file goes first: a free lock with a lease file means that an owner died.
          await rm(path, { force: true }).catch(() => {});
          lock.release();
        },
      };
    },
    async sweep() {
      for (const name of await namesIn(ownPlace(root, LEASES)))
        if (name.endsWith(TEMPORARY)) await sweepTemporary(name);
      for (const { what } of await listLeases(root))
        await (await leaseManager.take(what, "nobody"))?.release();
    },
  };
  return leaseManager;
}

/** Gives each name its own file: an id unchanged, anything else escaped. */
function fileNameOf(what: string): string {
  return what.replace(
    /[^A-Za-z0-9._-]/gu,
    (character) => `%${Buffer.from(character).toString("hex").toUpperCase()}`,
  );
}

async function writeLease(
  folder: string,
  path: string,
  lease: Readonly<Record<string, unknown>>,
): Promise<void> {
  // Only the holder of the lock writes it.
  const temporary = path.replace(/\.json$/, TEMPORARY);
  await mkdir(folder, { recursive: true });
  await rm(temporary, { force: true });
  await writeFile(temporary, `${JSON.stringify(lease, null, 2)}\n`, { flag: "wx" });
  await rename(temporary, path);
}
