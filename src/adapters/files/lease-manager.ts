/**
 * Leases by the kernel's locks: free as soon as their owner dies, never taken from a slow or suspended one.
 * Beside each lock is a file that a person can read, `.pawl/claims/<what>.json`, with a heartbeat. If the
 * lock is free and the file is still there, its owner died.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { LeaseManager } from "../../core/ports/leases.ts";
import { LEASES, namesIn } from "./leases.ts";
import { openLocks, tryLock } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";
import { ownPath, writeOwnFile } from "./own-folder.ts";

/** A lease's file, and one that its owner died over. */
const OF_A_LEASE = /\.json(?:\.\d+\.new)?$/;
const BEAT_MILLISECONDS = 15_000;

export function openLeaseManager(root: string): LeaseManager {
  const locks = openLocks(nodeDisk(root));
  const held = new Map<string, () => void>();
  let beating: NodeJS.Timeout | undefined;

  const beat = () => {
    for (const write of held.values()) attempt(write, undefined);
  };

  return {
    async take(what, worker) {
      const name = fileNameOf(what);
      if (held.has(what)) return null;
      const lock = await tryLock(locks, `claim-${name}.lock`, `${what} by ${worker}`);
      if (lock === null) return null;
      const path = `${LEASES}/${name}.json`;
      const abandoned = existsSync(join(root, path));
      const lease = { what, worker, pid: process.pid, host: hostname(), since: new Date().toISOString() };
      const write = () =>
        writeOwnFile(root, path, jsonOf({ ...lease, beat: new Date().toISOString() }), 0o644);
      try {
        write();
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
          // The lease file goes first: a free lock with a lease file means that an owner died.
          await rm(join(root, path), { force: true }).catch(() => {});
          lock.release();
        },
      };
    },
    async sweep() {
      for (const name of await namesIn(ownPath(root, LEASES))) {
        const lock = await tryLock(locks, `claim-${name.replace(OF_A_LEASE, "")}.lock`, "sweeping");
        if (lock === null) continue;
        await rm(join(root, LEASES, name), { force: true }).catch(() => {});
        lock.release();
      }
    },
  };
}

const jsonOf = (lease: object) => `${JSON.stringify(lease, null, 2)}\n`;

/** Gives each name its own file: an id unchanged, anything else escaped. */
function fileNameOf(what: string): string {
  return what.replace(
    /[^A-Za-z0-9._-]/gu,
    (character) => `%${Buffer.from(character).toString("hex").toUpperCase()}`,
  );
}
