/**
 * The store's data about a project outside of it, where no clone, checkout or merge can put a file: the key
 * that identifies its records, and how far the journal is applied.
 *
 * V1  The key is made once: written whole under another name, synced, then linked to its own name. If two
 *     processes make one, one wins and both use the result.
 * V2  An unreadable key is an error. A new key in its place would make all pending commits foreign.
 */

import { fixOf, meaningOf } from "../../core/errno.ts";
import { PawlError } from "../../core/error.ts";
import { type Disk, errnoOf, withFile, writeAll, writeNew } from "./disk.ts";
import { tryUnlink } from "./journal/temporary.ts";

/** The folder that holds a project's data outside of it. */
export interface StateFolder {
  /** Absolute, for messages. */
  readonly folder: string;
  readonly disk: Disk;
  /** Makes the folder if it is missing, for this user only. */
  make(): void;
}

export interface ProjectKey {
  /** Null if the project has none yet. */
  key(): Uint8Array | null;
  /** The key, made if it is missing. */
  makeKey(): Uint8Array;
  /** The first bytes of one of its files, as text; null if the file does not exist. */
  read(name: string, width: number): string | null;
  /** Writes in place, without a sync. */
  write(name: string, text: string): void;
}

const KEY = "key";
const KEY_BYTES = 32;
const UNFINISHED = /^key\..*\.new$/;

export function openProjectKey(stateHome: StateFolder): ProjectKey {
  let loaded: Uint8Array | null = null;
  const key = () => {
    loaded ??= readKey(stateHome);
    return loaded;
  };
  return {
    key,
    makeKey() {
      if (key() === null) inStateHome(stateHome, "be made", () => makeKey(stateHome));
      const made = key();
      if (made === null) throw lostKeyError(stateHome);
      return made;
    },
    read: (name, width) =>
      inStateHome(stateHome, "be read", () => {
        if (stateHome.disk.lstat(name) === null) return null;
        return withFile(stateHome.disk, name, "read", (fd) =>
          Buffer.from(stateHome.disk.read(fd, 0, width)).toString("latin1"),
        );
      }),
    write: (name, text) =>
      inStateHome(stateHome, "be written", () => {
        withFile(
          stateHome.disk,
          name,
          "update",
          (fd) => writeAll(stateHome.disk, fd, Buffer.from(text), 0),
          0o600,
        );
      }),
  };
}

function readKey(stateHome: StateFolder): Uint8Array | null {
  return inStateHome(stateHome, "be read", () => {
    const { disk } = stateHome;
    if (disk.lstat(KEY) === null) return null;
    const bytes = withFile(disk, KEY, "read", (fd) => disk.read(fd, 0, KEY_BYTES + 1));
    if (bytes.length === KEY_BYTES) return bytes;
    throw new PawlError(
      "state-home-failed",
      `${stateHome.folder}/${KEY} is damaged: expected the project's key of ${KEY_BYTES} bytes, found ${bytes.length === 0 ? "none" : `${bytes.length === KEY_BYTES + 1 ? "more" : bytes.length}`}.`,
      "Restore the file from a backup. If there is none, remove it: commits that were not applied yet are then set aside, and `pawl repair` shows them.",
    );
  });
}

function makeKey({ disk, make }: StateFolder): void {
  make();
  const fresh = `key.${disk.uniqueId()}.new`;
  try {
    writeNew(disk, fresh, disk.random(KEY_BYTES), 0o600);
  } catch (error) {
    tryUnlink(disk, fresh);
    throw error;
  }
  try {
    disk.link(fresh, KEY);
  } catch (error) {
    // Another process was faster, and may have removed this one's file. Its key counts.
    if (errnoOf(error) !== "EEXIST" && errnoOf(error) !== "ENOENT") throw error;
  }
  // Not earlier: now that there is a key, no process needs the unfinished files, of dead makers or live ones.
  for (const { name } of disk.list("")) if (UNFINISHED.test(name)) unlinkIfThere(disk, name);
  disk.fsyncFolder("");
}

function unlinkIfThere(disk: Disk, name: string): void {
  try {
    disk.unlink(name);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

/** A failure there does not concern the project's disk: it has its own error and its own fix. */
export function inStateHome<T>({ folder }: StateFolder, verb: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (thrown instanceof PawlError || code === null) throw thrown;
    throw new PawlError(
      "state-home-failed",
      `Pawl's state of this project, outside of it, cannot ${verb} in ${folder}: ${meaningOf(code)} (${code}).`,
      code === "ENOSPC" || code === "EDQUOT"
        ? fixOf(code)
        : "Make that folder readable and writable for this user, or set XDG_STATE_HOME to one that is, then run the command again.",
      thrown,
    );
  }
}

function lostKeyError({ folder }: StateFolder): PawlError {
  return new PawlError(
    "state-home-failed",
    `Pawl made the project's key in ${folder}, but it is gone: another process removes it.`,
    "Make sure that nothing removes files there, then run the command again.",
  );
}
