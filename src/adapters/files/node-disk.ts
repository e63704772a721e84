/**
 * The real disk. Calls are synchronous: each takes microseconds, a whole commit a millisecond, and no other
 * code may run between the calls of a commit.
 */
import { randomBytes, randomUUID } from "node:crypto";
import {
  accessSync,
  close,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { execFileSync } from "../process/start-program.ts";
import { type Disk, type EntryKind, errnoOf, type FileStat, type OpenMode } from "./disk.ts";
import { firstEntries, HARMLESS } from "./plain-file.ts";

/** Pawl's own folders have a file for each run, task or message. */
const MAX_NAMES = 100_000;

function tooManyEntriesError(folder: string): PawlError {
  return new PawlError(
    "state-unreadable",
    `${folder} has more than ${MAX_NAMES} entries: expected Pawl's own files alone.`,
    "Move what does not belong there away, then run the command again.",
  );
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND } = constants;
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;

const FLAGS: Record<OpenMode, number> = {
  read: O_RDONLY | HARMLESS,
  append: O_WRONLY | O_CREAT | O_APPEND | HARMLESS,
  update: O_RDWR | O_CREAT | HARMLESS,
  new: O_WRONLY | O_CREAT | O_EXCL | HARMLESS,
};

type TryLock = (fd: number) => boolean;
let nativeTryLock: TryLock | null = null;
let knownBootId: string | null | undefined;

/** `root` is absolute. */
export function nodeDisk(root: string): Disk {
  const at = (path: string) => (path === "" ? root : `${root}/${path}`);
  return {
    open: (path, how, mode = 0o644) => openSync(at(path), FLAGS[how], mode),
    close: closeSync,
    closeLater,
    read: readUpTo,
    write: (fd, bytes, offset) => writeSync(fd, bytes, 0, bytes.length, offset),
    truncate: ftruncateSync,
    chmod: fchmodSync,
    fsync: fsyncSync,
    fsyncFolder(path) {
      // The root itself may be a link.
      const fd = openSync(at(path), O_RDONLY | (path === "" ? 0 : O_NOFOLLOW | O_DIRECTORY));
      try {
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    },
    stat: (fd) => fileStat(fstatSync(fd)),
    lstat(path) {
      const stats = lstatSync(at(path), { throwIfNoEntry: false });
      return stats === undefined ? null : fileStat(stats);
    },
    list: (folder) => {
      const entries = firstEntries(at(folder), MAX_NAMES + 1);
      if (entries.length > MAX_NAMES) throw tooManyEntriesError(at(folder));
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    },
    mkdir: (path) => mkdirSync(at(path), 0o755),
    rename: (from, to) => renameSync(at(from), at(to)),
    unlink: (path) => unlinkSync(at(path)),
    link: (from, to) => linkSync(at(from), at(to)),
    writable(path) {
      try {
        accessSync(at(path), constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    prepareLocks,
    tryLock(fd) {
      if (nativeTryLock === null) throw new Error("prepareLocks comes first");
      return nativeTryLock(fd);
    },
    bootId() {
      if (knownBootId === undefined) knownBootId = readBootId();
      return knownBootId;
    },
    pid: process.pid,
    now: () => new Date(),
    uniqueId: () => randomUUID(),
    random: randomBytes,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  };
}

const toClose: number[] = [];

/** Closes on another thread, after the caller of the commit has continued. */
function closeLater(fd: number): void {
  if (toClose.push(fd) > 1) return;
  setImmediate(() => {
    for (const one of toClose.splice(0)) close(one, () => {});
  });
}

function readUpTo(fd: number, offset: number, length: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(fd, buffer, done, length - done, offset + done);
    done += count;
    // Readers request one byte more than they expect: if just that byte is missing, the file has ended.
    if (count === 0 || done === length - 1) break;
  }
  return buffer.subarray(0, done);
}

function fileStat(stats: Stats): FileStat {
  const { dev, ino, mode, size } = stats;
  return { kind: kindOf(stats), size, mode: mode & 0o7777, inode: `${dev}:${ino}` };
}

function kindOf(entry: Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink">): EntryKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Only a process that locks loads the native part. */
async function prepareLocks(): Promise<void> {
  if (nativeTryLock !== null) return;
  try {
    nativeTryLock = lockBy(loadNative(findBuild()));
  } catch (cause) {
    throw new PawlError(
      "disk-failed",
      `The kernel's file locks cannot be used: their native part does not load on ${MACHINE}.`,
      "Reinstall Pawl on this machine (`npm install`; a program that is bundled with Pawl needs Pawl installed beside it), or run Pawl on Linux (glibc), macOS or Windows on x64 or arm64.",
      cause,
    );
  }
}

const MACHINE = `${process.platform}-${process.arch}`;

/**
 * The native part for this machine. It lies in `dist/locks` of Pawl's package: beside the module that asks, or where
 * Pawl is installed, if a program is bundled with it. Sources take it from the package that they come from.
 */
function findBuild(): string {
  const built = ["../locks", "locks"].map((folder) => join(import.meta.dirname, folder, `${MACHINE}.node`));
  const prebuilt = `prebuilds/${MACHINE}/fs-native-extensions.node`;
  const path =
    built.find((each) => existsSync(each)) ??
    inPackage("pawl", `dist/locks/${MACHINE}.node`) ??
    (import.meta.filename.endsWith(".ts") ? inPackage("fs-native-extensions", prebuilt) : null);
  if (path === null) throw new Error(`Pawl has no native part for ${MACHINE}.`);
  return path;
}

/** Null: Node finds no such package from here, or it has no such file. */
function inPackage(name: string, file: string): string | null {
  const { resolve } = createRequire(import.meta.url);
  const path = attempt(() => join(dirname(resolve(`${name}/package.json`)), file), null);
  return path !== null && existsSync(path) ? path : null;
}

interface Native {
  tryLock(fd: number, offset: number, length: number, isExclusive: boolean): void;
}

function loadNative(path: string): Native {
  const loaded = { exports: {} };
  process.dlopen(loaded, path);
  return loaded.exports as Native;
}

function lockBy(native: Native): TryLock {
  return (fd) => {
    try {
      native.tryLock(fd, 0, 0, true);
      return true;
    } catch (error) {
      if (errnoOf(error) === "EAGAIN") return false;
      throw error;
    }
  };
}

function readBootId(): string | null {
  try {
    if (process.platform === "linux")
      return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() || null;
    if (process.platform === "darwin")
      return (
        execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        }).trim() || null
      );
  } catch {}
  return null;
}
