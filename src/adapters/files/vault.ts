/**
 * What the store keeps of a project outside of it, where no clone, checkout or merge can bring a file along: the key by
 * which its records are known, and how far the journal is applied.
 *
 * V1  The key is made once: whole under another name and synced, then linked to its own. Of two makers one wins, and
 *     both use what is there.
 * V2  A key that cannot be read is an error. A new one in its place would make strangers of all pending commits.
 */
import { PawlError } from "../../core/error.ts";
import { closeQuietly, type Disk, errnoOf, withFile, writeAll } from "./disk.ts";
import { meaningOf } from "./disk-error.ts";

/** The project's folder outside of it. */
export interface StatePlace {
  /** Absolute, for messages. */
  readonly folder: string;
  readonly disk: Disk;
  /** Makes the folder where it is missing, for this user only. */
  make(): void;
}

export interface Vault {
  /** Null where the project has none yet. */
  key(): Uint8Array | null;
  /** The key, made where it is missing. */
  makeKey(): Uint8Array;
  /** The first bytes of one of its files, as text; null where there is none. */
  read(name: string, width: number): string | null;
  /** In place, and not synced. */
  write(name: string, text: string): void;
}

const KEY = "key";
const KEY_BYTES = 32;
const UNFINISHED = /^key\..*\.new$/;

export function openVault(place: StatePlace): Vault {
  let known: Uint8Array | null = null;
  const key = () => {
    known ??= readKey(place);
    return known;
  };
  return {
    key,
    makeKey() {
      if (key() === null) inStateHome(place, "be made", () => makeKey(place));
      const made = key();
      if (made === null) throw keyless(place);
      return made;
    },
    read: (name, width) =>
      inStateHome(place, "be read", () => {
        if (place.disk.lstat(name) === null) return null;
        return withFile(place.disk, name, "read", (fd) =>
          Buffer.from(place.disk.read(fd, 0, width)).toString("latin1"),
        );
      }),
    write: (name, text) =>
      inStateHome(place, "be written", () => {
        withFile(place.disk, name, "update", (fd) => writeAll(place.disk, fd, Buffer.from(text), 0), 0o600);
      }),
  };
}

function readKey(place: StatePlace): Uint8Array | null {
  return inStateHome(place, "be read", () => {
    const { disk } = place;
    if (disk.lstat(KEY) === null) return null;
    const bytes = withFile(disk, KEY, "read", (fd) => disk.read(fd, 0, KEY_BYTES + 1));
    if (bytes.length === KEY_BYTES) return bytes;
    throw new PawlError(
      "state-home-failed",
      `${place.folder}/${KEY} is damaged: expected the project's key of ${KEY_BYTES} bytes, found ${bytes.length === 0 ? "none" : `${bytes.length === KEY_BYTES + 1 ? "more" : bytes.length}`}.`,
      "Restore the file from a backup. If there is none, remove it: commits that were not applied yet are then set aside, and `pawl repair` shows them.",
    );
  });
}

function makeKey({ disk, make }: StatePlace): void {
  make();
  const fresh = `key.${disk.uniqueId()}.new`;
  const fd = disk.open(fresh, "new", 0o600);
  try {
    writeAll(disk, fd, disk.random(KEY_BYTES), 0);
    disk.fsync(fd);
  } catch (error) {
    closeQuietly(disk, fd);
    try {
      disk.unlink(fresh);
    } catch {}
    throw error;
  }
  disk.close(fd);
  try {
    disk.link(fresh, KEY);
  } catch (error) {
    // Another process was faster, and has perhaps swept this one's file: its key is the key.
    if (errnoOf(error) !== "EEXIST" && errnoOf(error) !== "ENOENT") throw error;
  }
  // Only now: there is a key, so that nobody needs what dead makers left, or live ones are about to link.
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

/** What fails there is not the project's disk: its own error, with its own fix. */
export function inStateHome<T>({ folder }: StatePlace, verb: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (thrown instanceof PawlError || code === null) throw thrown;
    throw new PawlError(
      "state-home-failed",
      `Pawl's state of this project, outside of it, cannot ${verb} in ${folder}: ${meaningOf(code)} (${code}).`,
      "Make that folder readable and writable for this user, or set XDG_STATE_HOME to one that is, then run the command again.",
      thrown,
    );
  }
}

function keyless({ folder }: StatePlace): PawlError {
  return new PawlError(
    "state-home-failed",
    `The project's key was made in ${folder}, and is not there: another process removes it.`,
    "Make sure that nothing removes files there, then run the command again.",
  );
}
