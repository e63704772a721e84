/** Reads the files of other tools. Bounded in number, size and depth; below a folder, no link is followed. */
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import type { Sources } from "../../core/ports/sources.ts";
import { mayHoldTasks } from "../../import/readers.ts";
import { invalidSourceError, otherFormatError, type SourceFile } from "../../import/source.ts";
import { firstEntries, readPlain } from "../files/plain-file.ts";

const MAX_FILES = 5_000;
const MAX_BYTES = 64_000_000;
const MAX_DEPTH = 12;
const NEVER: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  ".pawl",
  ".alfred",
  "dist",
  "build",
  "target",
]);

export function openSources(root: string, cwd: string): Sources {
  return {
    async read(given) {
      const place = resolve(cwd, given);
      try {
        return readAt(place, given, root);
      } catch (thrown) {
        throw forbiddenSourceError(thrown, cwd) ?? thrown;
      }
    },
  };
}

function readAt(place: string, given: string, root: string): readonly SourceFile[] {
  const kind = kindOf(place, given);
  const real = realpathSync(place);
  const base = baseOf(real, root);
  const paths = kind === "file" ? [real] : filesBelow(real, base, given);
  let bytes = 0;
  return paths.map((path) => {
    bytes += statSync(path).size;
    if (bytes > MAX_BYTES) throw unreadableSourceError(given, "at most 64 MB", "more");
    return { path: nameFrom(base, path), text: textIn(path, given) };
  });
}

/** The system's refusal in Pawl's words; null: another failure. */
function forbiddenSourceError(thrown: unknown, cwd: string): PawlError | null {
  const { code = "", path } = thrown as NodeJS.ErrnoException;
  if (path === undefined || !["EACCES", "EPERM"].includes(code)) return null;
  return new PawlError(
    "import-invalid",
    `${relative(cwd, path) || path} cannot be imported: it may not be read (${code}).`,
    "Make it readable for you, then run the command again.",
    thrown,
  );
}

function kindOf(place: string, given: string): "file" | "folder" {
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats?.isFile()) return "file";
  if (stats?.isDirectory()) return "folder";
  throw unreadableSourceError(given, "a file or a folder", stats ? "neither" : "nothing there");
}

/** The project's root; otherwise the nearest repository above; otherwise the file's own folder. */
function baseOf(real: string, root: string): string {
  const realRoot = realpathSync(root);
  if (real === realRoot || real.startsWith(realRoot + sep)) return realRoot;
  for (let at = dirname(real); at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, ".git"))) return at;
  return dirname(real);
}

function nameFrom(base: string, path: string): string {
  return relative(base, path).split(sep).join("/") || basename(path);
}

const MAX_NAMES = 100_000;

function filesBelow(folder: string, base: string, given: string): readonly string[] {
  const files: string[] = [];
  const walk = (at: string, depth: number) => {
    for (const entry of firstEntries(at, MAX_NAMES).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH && !NEVER.has(entry.name)) walk(path, depth + 1);
      else if (entry.isFile() && mayHoldTasks(nameFrom(base, path))) {
        files.push(path);
        if (files.length > MAX_FILES)
          throw unreadableSourceError(given, `at most ${MAX_FILES} files`, "more");
      }
    }
  };
  walk(folder, 1);
  return files;
}

/** Spreadsheets save UTF-16 with a byte order mark. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function textIn(path: string, given: string): string {
  if (!lstatSync(path).isFile()) throw unreadableSourceError(given, "a file", "something else");
  const bytes = readPlain(path);
  const isPacked = bytes.subarray(0, ZIP.length).equals(ZIP);
  const text = isPacked
    ? null
    : attempt(() => new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes), null);
  if (text !== null) return text;
  const name = nameFrom(dirname(path), path);
  throw (
    otherFormatError(name) ??
    (isPacked
      ? archiveError(given)
      : invalidSourceError(
          name,
          "text in UTF-8",
          "other bytes",
          "Save it as UTF-8 (in a spreadsheet: CSV UTF-8).",
        ))
  );
}

const ZIP = Buffer.from("PK\u0003\u0004");

function archiveError(given: string): PawlError {
  return invalidSourceError(
    given,
    "a folder or a file of text",
    "a ZIP archive",
    "Unpack it, and name the folder or the file that holds the tasks; save a spreadsheet as CSV.",
  );
}

function unreadableSourceError(path: string, expected: string, found: string): PawlError {
  return invalidSourceError(path, expected, found, "Name the file or folder that holds the tasks.");
}
