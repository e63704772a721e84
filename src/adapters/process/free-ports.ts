/**
 * Finds ports without a listener, and takes each by a kernel lock that all Pawl processes of this user on
 * this machine share: two that search at the same time, before either listens, get different ones.
 */
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { PawlError } from "../../core/error.ts";
import type { FreePorts } from "../../core/ports/free-ports.ts";
import { type Lock, openLocks, tryLock } from "../files/locks.ts";
import { nodeDisk } from "../files/node-disk.ts";

/** Below the ports that systems give to outgoing connections. */
const FIRST = 20_000;
const COUNT = 10_000;

/** `folder`: of the locks, outside of every project. */
export function openFreePorts(folder: string): FreePorts {
  return {
    async take(count, not) {
      if (count === 0) return { ports: [], release: () => {} };
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const locks = openLocks(nodeDisk(folder));
      const taken = new Map<number, Lock>();
      const release = () => {
        for (const lock of taken.values()) lock.release();
        taken.clear();
      };
      const from = Math.floor(Math.random() * COUNT);
      for (let n = 0; n < COUNT && taken.size < count; n++) {
        const port = FIRST + ((from + n) % COUNT);
        const lock = not.has(port) ? null : await tryLock(locks, `port-${port}.lock`, `port ${port}`);
        if (lock === null) continue;
        if (await isFree(port)) taken.set(port, lock);
        else lock.release();
      }
      if (taken.size === count) return { ports: [...taken.keys()], release };
      release();
      throw new PawlError(
        "setup-failed",
        `No ${count} free ports were found from ${FIRST} to ${FIRST + COUNT - 1}.`,
        "End what listens there, or lower `ports` of `environment:` in pawl.yaml.",
      );
    },
  };
}

/** Tries all addresses or, on a machine without IPv6, all of IPv4. */
async function isFree(port: number): Promise<boolean> {
  const state = await listens(port, "::");
  return (state === "unknown" ? await listens(port, "0.0.0.0") : state) === "free";
}

function listens(port: number, host: string): Promise<"free" | "used" | "unknown"> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(code === "EADDRINUSE" || code === "EACCES" ? "used" : "unknown"),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve("free")));
  });
}
