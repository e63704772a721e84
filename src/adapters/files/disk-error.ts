import { PawlError } from "../../core/error.ts";
import { errnoOf } from "./disk.ts";

/** What an errno means, and what a person can do about it. */
const WORDS: Readonly<Record<string, readonly [meaning: string, fix: string]>> = {
  ENOSPC: ["the disk is full", "Free some space on the disk, then run the command again."],
  EDQUOT: ["the disk quota is used up", "Free some space or raise the quota, then run the command again."],
  EIO: [
    "the disk reported an input/output error",
    "Check the disk and its connection, then run the command again.",
  ],
  EACCES: [
    "permission is missing",
    "Give this user permission to read and write the project, then run the command again.",
  ],
  EPERM: [
    "the operation is not permitted",
    "Give this user permission to read and write the project, then run the command again.",
  ],
  EROFS: ["the file system is read-only", "Make it writable, or work on a writable copy of the project."],
  EMFILE: ["too many files are open", "Raise the limit (`ulimit -n`), then run the command again."],
  ENFILE: [
    "too many files are open on this machine",
    "End programs that you do not need, then run the command again.",
  ],
  ENAMETOOLONG: ["the path is too long for this file system", "Use a shorter name or a shorter path."],
  ENOTDIR: ["there is a file where a folder is needed", "Move that file away, then run the command again."],
  EISDIR: ["there is a folder where a file is needed", "Move that folder away, then run the command again."],
  ELOOP: [
    "there is a symbolic link where a file is needed",
    "Replace the link with a file, then run the command again.",
  ],
  ENOENT: [
    "the file or folder no longer exists",
    "Check that the project's folder still exists, then run the command again.",
  ],
};

/** What an errno means, in words. */
export function meaningOf(code: string): string {
  return WORDS[code]?.[0] ?? "the system refused it";
}

/** What a person can do about an errno. */
export function fixOf(code: string): string {
  return WORDS[code]?.[1] ?? "Look the code up, then run the command again.";
}

/** Turns a failed disk call into `disk-failed`, in words. Anything else is returned unchanged. */
export function toDiskError(thrown: unknown, doing: string): unknown {
  if (thrown instanceof PawlError) return thrown;
  const code = errnoOf(thrown);
  if (code === null || !/^E[A-Z0-9]+$/.test(code)) return thrown;
  const path = (thrown as NodeJS.ErrnoException).path;
  const where = path === undefined ? "" : ` at ${path}`;
  return new PawlError(
    "disk-failed",
    `${doing} failed${where}: ${meaningOf(code)} (${code}).`,
    fixOf(code),
    thrown,
  );
}

/** Runs the work and throws its disk failures as `disk-failed`. `doing` begins the sentence. */
export async function guarded<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toDiskError(thrown, doing);
  }
}
