/** What all operations on a project's worktrees share. */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { LOCKS } from "../files/control.ts";
import { type Lock, type Locks, openLocks } from "../files/locks.ts";
import { nodeDisk } from "../files/node-disk.ts";
import type { GitCall } from "./git.ts";
import { encodeName } from "./worktree-paths.ts";

export interface Workplace {
  readonly projectRoot: string;
  readonly locks: Locks;
  /** The lock, or the name of its owner. */
  readonly tryLock: (name: string, owner: string) => Promise<Lock | string>;
  readonly call: (folder: string) => GitCall;
}

export function openWorkplace(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  filters: GitCall["filters"],
): Workplace {
  const projectRoot = realpathSync(root);
  const locks = openLocks(nodeDisk(projectRoot));
  return {
    projectRoot,
    locks,
    call: (folder) => ({ folder, environment, ...(filters && { filters }) }),
    tryLock: async (name, owner) => {
      try {
        return await locks.acquire(name, owner, 0);
      } catch (thrown) {
        if (!(thrown instanceof PawlError) || thrown.code !== "lock-timeout") throw thrown;
        return ownerOf(join(projectRoot, LOCKS, name));
      }
    },
  };
}

function ownerOf(path: string): string {
  return attempt(() => {
    const owner: unknown = JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "");
    return String((owner as { what?: unknown }).what);
  }, "another process");
}

export function lockName(kind: string, ...names: readonly string[]): string {
  const name = [kind, ...names.map(encodeName)].join("+");
  return `${name.length <= 200 ? name : `${kind}+${encodeName(names.join("\0").padEnd(400, "\0"))}`}.lock`;
}
