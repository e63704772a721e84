/**
 * Every call of the store to the outside, so that the crash proof can count the calls, fail them, and cut the
 * power between any two. All paths are relative to the project's root, with forward slashes; "" is the root
 * itself. Failures are thrown as Node throws them: an Error with `code` (ENOSPC, EIO, …).
 */
export interface Disk {
  /** Opens a file. `mode` counts only if the call creates the file. */
  open(path: string, how: OpenMode, mode?: number): number;
  close(fd: number): void;
  /** Closes the file later, on another thread. Ignores failures. */
  closeLater(fd: number): void;
  /** Reads at most `length` bytes from `offset`; fewer only at the end of the file. */
  read(fd: number, offset: number, length: number): Uint8Array;
  /** Writes at `offset` (ignored if the file was opened for append). May write fewer bytes than given. */
  write(fd: number, bytes: Uint8Array, offset: number): number;
  truncate(fd: number, length: number): void;
  chmod(fd: number, mode: number): void;
  fsync(fd: number): void;
  fsyncFolder(path: string): void;
  stat(fd: number): FileStat;
  /** Null if there is nothing at the path. */
  lstat(path: string): FileStat | null;
  list(folder: string): readonly FolderEntry[];
  mkdir(path: string): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  /** Gives the file another name. Fails with EEXIST if `to` exists. */
  link(from: string, to: string): void;
  /** Whether this process may write the file, or create and replace files in the folder. */
  writable(path: string): boolean;

  /** Must be awaited before the first `tryLock`. */
  prepareLocks(): Promise<void>;
  /**
   * Takes an exclusive lock on the open file, across processes. Closing the file releases it; so does the
   * process's death.
   */
  tryLock(fd: number): boolean;
  /** Different after each start of the machine; null if unknown. */
  bootId(): string | null;
  readonly pid: number;
  now(): Date;
  /** A unique text of hexadecimal digits and hyphens. */
  uniqueId(): string;
  /** Unpredictable bytes. */
  random(length: number): Uint8Array;
  sleep(milliseconds: number): Promise<void>;
}

/**
 * read: must exist. append: created if needed; each write goes to the end. update: created if needed; reads
 * and writes at any offset. new: must not exist. Symbolic links are never followed.
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

/** Writes everything, in as many calls as needed. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += disk.write(fd, done === 0 ? bytes : bytes.subarray(done), offset + done);
  }
}

/** Opens, works, closes. An error of close does not hide an error of the work. */
export function withFile<T>(
  disk: Disk,
  path: string,
  how: OpenMode,
  work: (fd: number) => T,
  mode?: number,
): T {
  return withOpen(disk, disk.open(path, how, mode), work);
}

/** Makes the file, whole and synced; the folder is up to the caller. */
export function writeNew(disk: Disk, path: string, bytes: Uint8Array, mode?: number): void {
  const write = (fd: number) => {
    writeAll(disk, fd, bytes, 0);
    disk.fsync(fd);
  };
  withFile(disk, path, "new", write, mode);
}

/** The same as withFile for a file that is already open. */
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

/** For cases in which close's result no longer matters: the file is closed either way. */
export function closeQuietly(disk: Disk, fd: number): void {
  try {
    disk.close(fd);
  } catch {}
}

export function fsyncFile(disk: Disk, path: string): void {
  withFile(disk, path, "read", (fd) => disk.fsync(fd));
}

/** Whether the error means that nothing is at the path. Any other error leaves that open. */
export function isAbsence(thrown: unknown): boolean {
  const code = errnoOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}

export function errnoOf(thrown: unknown): string | null {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : null;
}
