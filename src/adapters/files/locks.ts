/**
 * Locks across processes, by the kernel: free as soon as their owner dies, never taken from a slow or
 * suspended one.
 *
 * K1  After locking, the path must still be the locked file: `.pawl/` may have been removed and made again.
 * K2  Waiting ends. Past the limit the error names the owner, which wrote its name into the file when it got
 *     the lock.
 * K3  Within a process, waiters for one name queue in order. Only the first of them asks the kernel.
 * K4  A waiter gets in line after a while. A process that takes the lock again and again gets in line behind
 *     it after its slice: otherwise it would have the lock again before any waiter tries, as long as it has
 *     work. Not sooner, since continuing in the same process is many times cheaper than waking another.
 */

import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import { ensureControl, LOCKS } from "./control.ts";
import { closeQuietly, type Disk, errnoOf, withFile, writeAll } from "./disk.ts";
import { tryUnlink } from "./journal/temporary.ts";

export interface Lock {
  release(): void;
}

interface Owner {
  readonly pid: number;
  readonly since: string;
  readonly what: string;
}

interface Waits {
  readonly first: number;
  readonly longest: number;
}

/** Milliseconds between tries, of newcomers and of waiters in line. */
const FRESH: Waits = { first: 1, longest: 25 };
const IN_LINE: Waits = { first: 8, longest: 25 };
/** Of the first in line. */
const NEXT: Waits = { first: 1, longest: 10 };
/** Milliseconds before a waiter gets in line. */
const QUEUE_AFTER_MILLISECONDS = 500;
/** Milliseconds after a release in which taking the lock again continues the streak. */
const LATELY = 100;
/** Milliseconds of a streak before it yields to waiters in line. */
const SLICE = 200;

const OF_ONE_TASK = /^(?:claim-|worktree\+)/;

/** A lock that this process takes again and again. Milliseconds since 1970. */
interface Streak {
  readonly begun: number;
  readonly released: number;
}

export interface Locks {
  /** Waiters are shown `what`. Throws `lock-timeout` past the limit. */
  acquire(name: string, what: string, limitMilliseconds: number): Promise<Lock>;
}

export function openLocks(disk: Disk): Locks {
  const queues = new Map<string, Promise<void>>();
  const streaks = new Map<string, Streak>();
  /** The beginning of this process's streak; null: it has none. */
  const begunOf = (name: string) => {
    const streak = streaks.get(name);
    return streak && disk.now().getTime() - streak.released < LATELY ? streak.begun : null;
  };
  const noteRelease = (name: string, begun: number) => {
    const now = disk.now().getTime();
    for (const [each, { released }] of streaks) if (now - released >= LATELY) streaks.delete(each);
    streaks.set(name, { begun, released: now });
  };

  async function acquire(name: string, what: string, limit: number): Promise<Lock> {
    const deadline = disk.now().getTime() + limit;
    const leave = await enter(queues, name, () => waitAtMost(disk, deadline));
    if (leave === null) throw lockTimeoutError(disk, name, what, limit);
    try {
      const streak = begunOf(name);
      const waits = limit > 0 && streak !== null && disk.now().getTime() - streak >= SLICE;
      const fd = await lockFile(disk, { name, what, deadline, waits });
      if (fd === null) throw lockTimeoutError(disk, name, what, limit);
      const begun = waits || streak === null ? disk.now().getTime() : streak;
      return {
        release() {
          // Otherwise thousands of files would remain. By K1, a waiter notices that its file is gone.
          if (OF_ONE_TASK.test(name)) tryUnlink(disk, `${LOCKS}/${name}`);
          closeQuietly(disk, fd);
          noteRelease(name, begun);
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
  return { acquire };
}

/** Null: the lock is taken. */
export async function tryLock(locks: Locks, name: string, what: string): Promise<Lock | null> {
  try {
    return await locks.acquire(name, what, 0);
  } catch (error) {
    if (error instanceof PawlError && error.code === "lock-timeout") return null;
    throw error;
  }
}

/** The lock file of a run. Each name gets its own, whatever characters it has. */
export function runLockName(run: string): string {
  const escaped = run.replace(
    /[^A-Za-z0-9_-]/gu,
    (character) => `%${Buffer.from(character).toString("hex").toUpperCase()}.`,
  );
  return escaped.length <= 150 ? `run-${escaped}.lock` : `run-${escaped.slice(0, 80)}~${hashOf(run)}.lock`;
}

export const PROJECT_LOCK = "project.lock";

/** Waits for earlier waiters of this process; null if time ran out first. */
async function enter(
  queues: Map<string, Promise<void>>,
  name: string,
  timeLimit: () => Limit,
): Promise<(() => void) | null> {
  const before = queues.get(name);
  let leave = () => {};
  const ownTurn = new Promise<void>((resolve) => {
    leave = () => {
      resolve();
      if (queues.get(name) === tail) queues.delete(name);
    };
  });
  const tail = before === undefined ? ownTurn : before.then(() => ownTurn);
  queues.set(name, tail);
  if (before === undefined) return leave;
  const limit = timeLimit();
  const isFirst = await Promise.race([before.then(() => true), limit.passed.then(() => false)]);
  limit.cancel();
  if (isFirst) return leave;
  leave();
  return null;
}

interface Limit {
  readonly passed: Promise<void>;
  cancel(): void;
}

function waitAtMost(disk: Disk, deadline: number): Limit {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - disk.now().getTime()));
  });
  return { passed, cancel: () => clearTimeout(timer) };
}

interface Wanted {
  readonly name: string;
  readonly what: string;
  readonly deadline: number;
  /** Yields to waiters of other processes. */
  readonly waits: boolean;
}

/** The open, locked file; null if time ran out. */
async function lockFile(disk: Disk, { deadline, name, waits, what }: Wanted): Promise<number | null> {
  await disk.prepareLocks();
  const line = `${name}.next`;
  const isOpen = !waits || disk.lstat(`${LOCKS}/${line}`) === null;
  const patient = isOpen ? Math.min(deadline, disk.now().getTime() + QUEUE_AFTER_MILLISECONDS) : 0;
  const free = isOpen ? await polled(disk, patient, FRESH, () => tryLockFile(disk, name, what)) : null;
  if (free !== null || disk.now().getTime() >= deadline) return free;
  const next = await polled(disk, deadline, IN_LINE, () => tryLockFile(disk, line, what));
  if (next === null) return null;
  try {
    return await polled(disk, deadline, NEXT, () => tryLockFile(disk, name, what));
  } finally {
    // Removes the line's file, so that newcomers skip an empty line. If it stays, they only check for waiters.
    tryUnlink(disk, `${LOCKS}/${line}`);
    closeQuietly(disk, next);
  }
}

/** Null if time ran out. */
async function polled(
  disk: Disk,
  deadline: number,
  { first, longest }: Waits,
  ask: () => number | null,
): Promise<number | null> {
  for (let wait = first; ; wait = Math.min(wait * 1.5, longest)) {
    const found = ask();
    if (found !== null) return found;
    if (disk.now().getTime() >= deadline) return null;
    await disk.sleep(wait * (0.5 + Math.random()));
  }
}

function tryLockFile(disk: Disk, name: string, what: string): number | null {
  ensureControl(disk);
  const path = `${LOCKS}/${name}`;
  const fd = openLockFile(disk, path);
  if (fd === null) return null;
  let locked = false;
  try {
    locked = disk.tryLock(fd) && disk.lstat(path)?.inode === disk.stat(fd).inode;
  } finally {
    if (!locked) disk.close(fd);
  }
  if (!locked) return null;
  writeOwner(disk, fd, { pid: disk.pid, since: disk.now().toISOString(), what });
  return fd;
}

/** Null if the folder was removed meanwhile: the next try makes it again. */
function openLockFile(disk: Disk, path: string): number | null {
  try {
    return disk.open(path, "update");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** Only the message to waiters needs it, so a full disk is no failure here. */
function writeOwner(disk: Disk, fd: number, owner: Owner): void {
  try {
    writeAll(disk, fd, Buffer.from(`${JSON.stringify(owner)}\n`), 0);
  } catch {}
}

function readOwner(disk: Disk, name: string): Owner | null {
  try {
    return withFile(disk, `${LOCKS}/${name}`, "read", (fd) => {
      const line =
        Buffer.from(disk.read(fd, 0, 1000))
          .toString("utf8")
          .split("\n")[0] ?? "";
      return JSON.parse(line) as Owner;
    });
  } catch {
    return null;
  }
}

function lockTimeoutError(disk: Disk, name: string, what: string, limit: number): PawlError {
  const owner = readOwner(disk, name);
  const seconds = `${limit / 1000} s`;
  if (owner === null)
    return new PawlError(
      "lock-timeout",
      `${what} waited ${seconds} for another process that holds ${LOCKS}/${name}; that process has not written its id there.`,
      "Wait for the other Pawl process to finish, or end it; the lock is released when that process ends.",
    );
  const self = owner.pid === disk.pid ? " (this process)" : "";
  return new PawlError(
    "lock-timeout",
    `${what} waited ${seconds} for process ${owner.pid}${self}, which has held the lock since ${owner.since} for: ${owner.what}.`,
    `Wait for process ${owner.pid} to finish, or end it (it may be suspended); the lock is released when that process ends.`,
  );
}
