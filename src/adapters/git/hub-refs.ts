/**
 * The hub's refs. They are plain files that Pawl alone writes, under locks that git heeds too. Git takes no name that ends in
 * `.lock` for a ref, and no ref has one.
 */
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { attempt } from "../../core/attempt.ts";
import { isObjectId } from "../../core/object-id.ts";
import { birthOf } from "../checks/process.ts";
import { errnoOf } from "../files/disk.ts";
import { type GitCall, git, gitFailed } from "./git.ts";
import { ABSENT, listRefs, readRef } from "./ref-files.ts";

/** Milliseconds. */
const LEFT = 5_000;
const WAIT = 30_000;

/** Moves a ref, or with null removes it; `before`: only from there, null: only if it is missing. Throws `git-failed`. */
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
      throw gitFailed(["update-ref"], hub.folder, `${ref} is at ${found}: expected ${before}`);
    // A folder that is left without refs is in the way of one.
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
  // Packed by somebody's git.
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
      // A neighbour's removal takes empty folders away.
      const isOver = performance.now() > end;
      if (errnoOf(thrown) === "ENOENT" && !isOver) continue;
      if (errnoOf(thrown) !== "EEXIST" || isOver)
        throw gitFailed(["update-ref"], folder, `${ref} cannot be locked: ${String(thrown)}`);
      removeLeft(lock);
    }
  }
}

/** Removes a lock that a crash has left: its process is gone, or it is old, since it is held while one line is written. */
export function removeLeft(lock: string): void {
  const [stat, holder] = attempt(() => [statSync(lock), readFileSync(lock, "utf8")] as const, [null, ""]);
  if (stat === null) return;
  const isOurs = /^\d+$/.test(holder) && !isObjectId(holder);
  const isGone = isOurs && birthOf(Number(holder)) === null;
  if (isGone || Date.now() - stat.mtimeMs > LEFT) rmSync(lock, { force: true });
}

/** Up to the kind of refs. */
function removeEmpty(hub: string, ref: string): void {
  const names = ref.split("/");
  for (let length = names.length - 1; length > 2; length--)
    attempt(() => rmdirSync(join(hub, ...names.slice(0, length))), undefined);
}

const MOST = 300;

/** The newest commits of the hub under these refs: what another repository has already, so a pack need not hold it. */
export async function newestIn(hub: GitCall, prefixes: readonly string[]): Promise<readonly string[]> {
  const refs = listRefs(placeOf(hub), prefixes, MOST);
  if (refs !== null) return [...new Set(refs.values())];
  const args = ["for-each-ref", `--count=${MOST}`, "--sort=-creatordate", "--format=%(objectname)"];
  return [...new Set((await git(hub, [...args, ...prefixes])).output.split("\n").filter(Boolean))];
}
