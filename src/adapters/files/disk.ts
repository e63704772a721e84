/**
 * Every call that the store makes on the outside, so that the crash proof can count them, fail them and cut the power
 * between any two. All paths are relative to the project's root, with forward slashes; "" is the root itself.
 * Failures are thrown as Node throws them: an Error with `code` (ENOSPC, EIO, …).
 */
export interface Disk {
  /** Opens a file. `mode` counts only where it creates one. */
  open(path: string, how: OpenMode, mode?: number): number;
  close(fd: number): void;
  /** Closes the file when there is time; a failure is silent. */
  closeLater(fd: number): void;
  /** At most `length` bytes from `offset`; fewer only at the end of the file. */
  read(fd: number, offset: number, length: number): Uint8Array;
  /** Writes at `offset` (ignored where the file was opened for append); may write fewer bytes than given. */
  write(fd: number, bytes: Uint8Array, offset: number): number;
  truncate(fd: number, length: number): void;
  chmod(fd: number, mode: number): void;
  fsync(fd: number): void;
  fsyncFolder(path: string): void;
  stat(fd: number): FileStat;
  /** Null where there is nothing. */
  lstat(path: string): FileStat | null;
  list(folder: string): readonly FolderEntry[];
  mkdir(path: string): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  /** Another name for the file; fails with EEXIST where `to` is taken. */
  link(from: string, to: string): void;
  /** Whether this process may write the file, or create and replace files in the folder. */
  writable(path: string): boolean;

  /** Must be awaited before the first `tryLock`. */
  prepareLocks(): Promise<void>;
  /** An exclusive lock on the open file, over processes; closing the file, or dying, frees it. */
  tryLock(fd: number): boolean;
  /** Different after each start of the machine; null where that cannot be known. */
  bootId(): string | null;
  readonly pid: number;
  now(): Date;
  /** Unique, of hexadecimal digits and hyphens. */
  uniqueId(): string;
  /** Bytes that nobody can guess. */
  random(length: number): Uint8Array;
  sleep(milliseconds: number): Promise<void>;
}

/**
 * read: must exist. append: created where needed, each write lands at the end. update: created where needed, read and
 * write at any offset. new: must not exist. Symbolic links are never followed.
 */
export type OpenMode = "read" | "append" | "update" | "new";

export interface FileStat {
  readonly kind: EntryKind;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  /** Identifies the file on this disk. */
  readonly inode: string;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

export type EntryKind = "file" | "folder" | "link" | "other";

/** Writes everything, in as many calls as it takes. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += disk.write(fd, done === 0 ? bytes : bytes.subarray(done), offset + done);
  }
}

/** Opens, works, closes; an error of the work is not hidden by one of the close. */
export function withFile<T>(
  disk: Disk,
  path: string,
  how: OpenMode,
  work: (fd: number) => T,
  mode?: number,
): T {
  return withOpen(disk, disk.open(path, how, mode), work);
}

/** The same with a file that is open. */
export function withOpen<T>(disk: Disk, fd: number, work: (fd: number) => T): T {
  let result: T;
  try {
    result = work(fd);
  } catch (error) {
    closeQuietly(disk, fd);
    throw error;
  }
  disk.close(fd);
  return result;
}

/** Where what close says no longer counts: the file is closed in any case. */
export function closeQuietly(disk: Disk, fd: number): void {
  try {
    disk.close(fd);
  } catch {}
}

export function fsyncFile(disk: Disk, path: string): void {
  withFile(disk, path, "read", (fd) => disk.fsync(fd));
}

/** Whether there is nothing at the path. Any other failure says nothing of what is there, and is never taken for that. */
export function isAbsence(thrown: unknown): boolean {
  const code = errnoOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}

export function errnoOf(thrown: unknown): string | null {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : null;
}
