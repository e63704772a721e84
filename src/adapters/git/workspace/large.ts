/**
 * Files of Git LFS, stored beside git's objects by the hash of their content. An agent's new ones come in
 * like its commits: read behind the wall, named outside by their content.
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { PawlError } from "../../../core/error.ts";
import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { writeAll } from "../../files/write-whole.ts";
import type { GitCall } from "../git.ts";
import { inside } from "./inside.ts";
import type { Workplace } from "./workplace.ts";

export const MOST_LARGE = 10_000;
/** Maximum bytes of a file. */
const LARGEST = 4 * 2 ** 30;
const LIMIT = 1_800_000;

export function isLargeName(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

const READ = `exec cat ".git/lfs/objects/$1/$2/$3"`;

/** Brings them to the hub's folder of large files, which is the person's own (`hub.ts`). */
export async function bringLarge(
  place: Workplace,
  hub: GitCall,
  folder: AgentFolder,
  names: readonly string[],
): Promise<void> {
  // The link points to the person's own folder, which may not exist yet.
  if (names.length > 0) mkdirSync(readlinkSync(join(hub.folder, "lfs")), { recursive: true });
  for (const name of names) {
    const [one, two] = [name.slice(0, 2), name.slice(2, 4)];
    const to = join(hub.folder, "lfs/objects", one, two, name);
    if (existsSync(to)) continue;
    const apart = join(hub.folder, `large-${process.pid}-${name}`);
    const hash = createHash("sha256");
    const file = openSync(apart, "w", 0o600);
    let bytes = 0;
    try {
      await inside(place, {
        ...{ folder, script: READ, args: [one, two, name], readOnly: true, limit: LIMIT },
        onOutput(chunk) {
          bytes += chunk.length;
          if (bytes > LARGEST) return false;
          hash.update(chunk);
          writeAll(file, chunk);
          return true;
        },
      });
      if (bytes > LARGEST || hash.digest("hex") !== name)
        throw new PawlError(
          "git-failed",
          `A large file of ${folder.agentPath} cannot be imported: ${name.slice(0, 12)} is ${bytes > LARGEST ? `over ${LARGEST / 2 ** 30} GB` : "not what its name says"}.`,
          "Run `git lfs fsck` there, and commit the file again.",
        );
      mkdirSync(dirname(to), { recursive: true });
      renameSync(apart, to);
    } finally {
      closeSync(file);
      rmSync(apart, { force: true });
    }
  }
}
