/**
 * Files of Git LFS, stored beside git's objects by the hash of their content. An agent's new ones come in
 * like its commits: read behind the wall, named outside by their content.
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { lackForChunk } from "../../files/free-space.ts";
import { firstNames } from "../../files/plain-file.ts";
import { writeAll } from "../../files/write-whole.ts";
import { configOf, type GitCall, git } from "../git.ts";
import { commitOf, currentBranch, upstreamOf } from "../refs.ts";
import { lastOf } from "../safe-config.ts";
import { inside } from "./inside.ts";
import type { Workplace } from "./workplace.ts";

export const MAX_LARGE = 10_000;
/** Maximum bytes of a file. */
const MAX_FILE_BYTES = 4 * 2 ** 30;
const GIT_TIMEOUT = 1_800_000;

export function isLargeName(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

const READ = `exec cat ".git/lfs/objects/$1/$2/$3"`;

/** Brings them to the hub's folder of large files, which is the person's own (`hub.ts`). */
export async function bringLarge(
  workplace: Workplace,
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
    let lacking: string | null = null;
    try {
      await inside(workplace, {
        ...{ folder, script: READ, args: [one, two, name], readOnly: true, limit: GIT_TIMEOUT },
        onOutput(chunk) {
          lacking = lackForChunk(hub.folder, bytes, chunk);
          bytes += chunk.length;
          if (bytes > MAX_FILE_BYTES || lacking !== null) return false;
          hash.update(chunk);
          writeAll(file, chunk);
          return true;
        },
      });
      const isTooLarge = bytes > MAX_FILE_BYTES;
      if (lacking !== null || isTooLarge || hash.digest("hex") !== name)
        throw new PawlError(
          "git-failed",
          `A large file of ${folder.agentPath} cannot be imported: ${name.slice(0, 12)} ${lacking !== null ? `does not fit: ${lacking}` : isTooLarge ? `is over ${MAX_FILE_BYTES / 2 ** 30} GB` : "is not what its name says"}.`,
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

/**
 * Fetches the large files of a commit that the person's repository lacks: others pushed them since. A person
 * who has pointers alone keeps it so. What cannot be had (old files that no server has) stays a pointer.
 */
export async function fetchLarge(from: GitCall, commit: string): Promise<void> {
  if (!(await from.filters?.())?.includes("lfs")) return;
  const config = await configOf(from);
  const skips = from.environment.GIT_LFS_SKIP_SMUDGE;
  const isSkipped = skips !== undefined && !["", "0", "false"].includes(skips.toLowerCase());
  if (isSkipped || lastOf(config, "filter.lfs.smudge", true)?.includes("--skip")) return;
  const objects = join(config.repository?.common ?? from.folder, "lfs/objects");
  if (!hasContent(objects)) return;
  const remote = await upstreamOf(from, await currentBranch(from));
  if (remote === null || (await commitOf(from, commit)) === null) return;
  const there = { remote: { name: remote }, limit: GIT_TIMEOUT, accept: [1, 2, 124, 128] } as const;
  await git({ ...from, ...there }, ["lfs", "fetch", remote, commit]);
}

const SAMPLE = 100;

/** Whether there are large files. For each pointer that git-lfs passes on, it makes an empty folder. */
function hasContent(objects: string): boolean {
  const within = (folder: string) =>
    attempt(() => firstNames(folder, SAMPLE), []).map((name) => join(folder, name));
  return within(objects).some((folder) => within(folder).some((inner) => within(inner).length > 0));
}
