/** What all operations on a project's workspaces share. */
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { LOCKS } from "../../files/control.ts";
import { type Lock, type Locks, openLocks } from "../../files/locks.ts";
import { nodeDisk } from "../../files/node-disk.ts";
import { readPlainText } from "../../files/plain-file.ts";
import { writeWhole } from "../../files/write-whole.ts";
import { keepProgramsFrom } from "../../process/programs.ts";
import { OWNER, workFolder } from "../../process/work-folder.ts";
import type { Wall } from "../../wall/wall.ts";
import type { GitCall } from "../git.ts";
import { encodeName } from "./worktree-paths.ts";

export interface Workplace {
  readonly projectRoot: string;
  /** The folder of the project's hubs and workspaces. */
  readonly work: string;
  /** Makes the folder if it is missing. */
  makeWork(): void;
  /** The wall for git in a workspace; absent: there is none. */
  readonly wall?: Wall | undefined;
  readonly locks: Locks;
  /** Returns the lock, or the name of its owner. */
  readonly tryLock: (name: string, owner: string) => Promise<Lock | string>;
  /** Git in the person's repository, or in a hub. */
  readonly call: (folder: string) => GitCall;
}

export function openWorkplace(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  filters: GitCall["filters"],
  wall?: Wall,
): Workplace {
  const projectRoot = realpathSync(root);
  const locks = openLocks(nodeDisk(projectRoot));
  const work = workFolder(projectRoot, environment);
  keepProgramsFrom(work);
  return {
    projectRoot,
    work,
    makeWork() {
      mkdirSync(work, { recursive: true, mode: 0o700 });
      if (!existsSync(join(work, OWNER)))
        writeWhole(join(work, OWNER), JSON.stringify({ root: projectRoot }));
    },
    wall,
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
    const owner: unknown = JSON.parse(readPlainText(path).split("\n")[0] ?? "");
    return String((owner as { what?: unknown }).what);
  }, "another process");
}

export function lockName(kind: string, ...names: readonly string[]): string {
  const name = [kind, ...names.map(encodeName)].join("+");
  return `${name.length <= 200 ? name : `${kind}+${encodeName(names.join("\0").padEnd(400, "\0"))}`}.lock`;
}
