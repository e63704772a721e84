import { PawlError } from "./error.ts";

/**
 * A path inside the project: relative to its root, with forward slashes, normal (no empty, `.` or `..`
 * segment). Only `projectPath` makes one, so that no unchecked path reaches the file system.
 */
export type ProjectPath = string & { readonly __projectPath: true };

/** The project's own folder. It can be listed, never written. */
export const PROJECT_FOLDER = "" as ProjectPath;

const MAX_SEGMENT_BYTES = 255;

/** Joins segments, which may contain slashes, to a path inside the project. Throws `path-outside-project`. */
export function projectPath(...segments: readonly string[]): ProjectPath {
  const path = segments.join("/");
  const fault = pathFault(path);
  if (fault === null) return path as ProjectPath;
  throw new PawlError(
    "path-outside-project",
    `The path ${JSON.stringify(path.slice(0, 300))} cannot be used: ${fault}.`,
    "Give a path relative to the project's root that stays inside it, with forward slashes.",
  );
}

/**
 * Removes `.` and `..` segments: `./src/../src/b.js` becomes `src/b.js`. A path that leaves the project, or
 * is the project itself, stays unchanged, so that `projectPath` rejects it.
 */
export function normalPath(path: string): string {
  if (path.startsWith("/")) return path;
  const normal: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === ".") continue;
    if (segment !== "..") normal.push(segment);
    else if (normal.pop() === undefined) return path;
  }
  return normal.length === 0 ? path : normal.join("/");
}

/** The last segment of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Why the text is not a path inside the project, or null. */
export function pathFault(path: string): string | null {
  if (path === "") return "it is empty";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(path)) return "it has control characters";
  if (path.includes("\\")) return "it has a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "it is absolute";
  for (const segment of path.split("/")) {
    if (segment === "") return "it has an empty segment";
    if (segment === "." || segment === "..") return `it has the segment "${segment}"`;
    if (new TextEncoder().encode(segment).length > MAX_SEGMENT_BYTES)
      return "a segment is longer than 255 bytes";
    if (isGitName(segment)) return "it leads into git's own folder";
  }
  return null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is looked for
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * The name as the most lenient file systems read it. They ignore letter case, invisible characters (HFS+,
 * casefolding ext4), dots and blanks at the end, and everything after a colon (NTFS). `.GIT`, `.g\u200cit`,
 * `.git.` and `.git::$INDEX_ALLOCATION` are all `.git` somewhere.
 */
export function foldedName(segment: string): string {
  const shown = ASCII.test(segment)
    ? segment
    : segment.normalize("NFC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const [name = ""] = shown.toLowerCase().split(":", 1);
  return name.replace(/[. ]+$/, "");
}

/** Whether some file system opens git's own folder, or the file in its place, by this name. */
export function isGitName(segment: string): boolean {
  // NTFS gives `.git` the short name `git~1`.
  return ["git~1", ".git"].includes(foldedName(segment));
}

/** The same for Pawl's own folder, `.pawl`. */
export function isPawlName(segment: string): boolean {
  return ["pawl~1", ".pawl"].includes(foldedName(segment));
}
