/**
 * The hub's refs. Only Pawl writes these files, under locks that git respects too. Git accepts no ref name
 * that ends in `.lock`, so a lock's name is never a ref's.
 */
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { attempt } from "../../core/attempt.ts";
import { isObjectId } from "../../core/id.ts";
import { birthOf } from "../checks/process.ts";
import { errnoOf } from "../files/disk.ts";
import { type GitCall, git, gitError } from "./git.ts";
import { ABSENT, readRef } from "./ref-files.ts";

/** Milliseconds after which a lock counts as left over. */
const LEFT = 5_000;
const WAIT = 30_000;

/**
 * Moves a ref; null removes it. `before`: only if it is there, null: only if it is missing. Throws
 * `git-failed`.
 */
export async function moveRef(
  hub: GitCall,
  ref: string,
  commit: string | null,
  before?: string | null,
): Promise<void> {
  const path = join(hub.folder, ref);
  const lock = `${path}.lock`;
  await takeLock(hub, ref, lock);
  try {
    const now = readRef(placeOf(hub), ref);
    const found = now === ABSENT ? null : now;
    if (before !== undefined && found !== before)
      throw gitError(["update-ref"], hub.folder, `${ref} is at ${found}: expected ${before}`);
    // An empty folder in the ref's place would block the ref's file.
    if (commit !== null) attempt(() => rmdirSync(path), undefined);
    if (commit === null) rmSync(path, { force: true });
    else {
      writeFileSync(`${lock}.lock`, `${commit}\n`, { mode: 0o600 });
      renameSync(`${lock}.lock`, path);
    }
  } finally {
    rmSync(lock, { force: true });
  }
  if (commit !== null) return;
  removeEmpty(hub.folder, ref);
  // It is still among the packed refs: git packed them.
  const isLeft = readRef(placeOf(hub), ref) !== ABSENT;
  if (isLeft) await git(hub, ["update-ref", "-d", ref]);
}

function placeOf({ folder }: GitCall) {
  return { top: null, own: folder, common: folder };
}

async function takeLock({ folder }: GitCall, ref: string, lock: string): Promise<void> {
  for (const end = performance.now() + WAIT; ; await pause(20)) {
    try {
      mkdirSync(dirname(lock), { recursive: true, mode: 0o700 });
      writeFileSync(lock, `${process.pid}`, { flag: "wx", mode: 0o600 });
      return;
    } catch (thrown) {
      // A concurrent removal deletes empty folders.
      const isOver = performance.now() > end;
      if (errnoOf(thrown) === "ENOENT" && !isOver) continue;
      if (errnoOf(thrown) !== "EEXIST" || isOver)
        throw gitError(["update-ref"], folder, `${ref} cannot be locked: ${String(thrown)}`);
      removeLeft(lock);
    }
  }
}

/** Removes a lock that a crash left: its process is gone, or it is older than any write of one line takes. */
export function removeLeft(lock: string): void {
  const [stat, holder] = attempt(() => [statSync(lock), readFileSync(lock, "utf8")] as const, [null, ""]);
  if (stat === null) return;
  const isOurs = /^\d+$/.test(holder) && !isObjectId(holder);
  const isGone = isOurs && birthOf(Number(holder)) === null;
  if (isGone || Date.now() - stat.mtimeMs > LEFT) rmSync(lock, { force: true });
}

/** Removes empty folders, up to the one of the kind of refs. */
function removeEmpty(hub: string, ref: string): void {
  const names = ref.split("/");
  for (let length = names.length - 1; length > 2; length--)
    attempt(() => rmdirSync(join(hub, ...names.slice(0, length))), undefined);
}
