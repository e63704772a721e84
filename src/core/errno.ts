/** Error codes of the operating system, in words. */

/** The meaning of an errno, and its fix for a person. */
const WORDS: Readonly<Record<string, readonly [meaning: string, fix: string]>> = {
  ENOSPC: ["the disk is full", "Free some space on the disk, then run the command again."],
  EDQUOT: ["the disk quota is used up", "Free some space or raise the quota, then run the command again."],
  EIO: [
    "the disk reported an input/output error",
    "Check the disk and its connection, then run the command again.",
  ],
  EACCES: [
    "permission is missing",
    "Give this user permission to read and write there, then run the command again.",
  ],
  EPERM: [
    "the operation is not permitted",
    "Give this user permission to read and write there, then run the command again.",
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

export function meaningOf(code: string): string {
  return WORDS[code]?.[0] ?? "the system refused it";
}

export function fixOf(code: string): string {
  return WORDS[code]?.[1] ?? "Look the code up, then run the command again.";
}

/** Lack of space, files or memory on the machine: not a fault of the program that meets it. */
const LACKS: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE"]);
/** Of a path, these are no fault of the program either. */
const FORBIDS: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

/** The errno if the machine lacks something, or keeps a path from this user; null: another error. */
export function lackIn(thrown: unknown): string | null {
  const { code, path } = (thrown ?? {}) as { readonly code?: unknown; readonly path?: unknown };
  if (!(thrown instanceof Error) || typeof code !== "string") return null;
  return LACKS.has(code) || (path !== undefined && FORBIDS.has(code)) ? code : null;
}
