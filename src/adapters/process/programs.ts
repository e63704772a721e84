/**
 * Finds the programs that Pawl starts: `git`, `sh`, agents. Each is found once, and started by its absolute
 * path.
 *
 * P1  Only absolute entries of the PATH count. A relative or empty one means the folder in which a program is
 *     started, and that is often an agent's folder.
 * P2  Programs in a project or a workspace do not count: agents write there.
 * P3  A program that another user could replace does not count: each parent folder and each link is checked.
 *
 * A program that a project's files name by a path is started as named: a person consented to it.
 */
import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { Environment } from "./environment.ts";
import { isOnlyOf, listedUsers } from "./groups.ts";

export type FoundProgram =
  | { readonly path: string; readonly why: null }
  /** `no program git on the PATH`, and the place of one that Pawl does not start. */
  | { readonly path: null; readonly why: string };

/** An entry of the PATH in which Pawl does not search. */
export interface LeftOut {
  readonly entry: string;
  readonly why: string;
}

interface SearchPath {
  readonly folders: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** The system's own programs, NixOS' too. */
export const SYSTEM = "/usr/bin:/bin:/run/current-system/sw/bin";

const closed = new Set<string>();
const paths = new Map<string, SearchPath>();
const programs = new Map<string, FoundProgram>();

/** From now on no program of this folder is started by its name. */
export function keepProgramsFrom(folder: string): void {
  const real = attempt(() => realpathSync(folder), folder);
  if (closed.has(real)) return;
  closed.add(real);
  paths.clear();
  programs.clear();
}

/** Searches the PATH for a name; takes an absolute path unchanged. */
export function findProgram(name: string, { PATH = SYSTEM }: Environment): FoundProgram {
  if (isAbsolute(name))
    return isProgram(name)
      ? { path: name, why: null }
      : { path: null, why: `${name} is not an executable program` };
  const key = `${name}\0${PATH}`;
  const program = programs.get(key) ?? search(name, searchPath(PATH));
  // A missing one may be installed meanwhile.
  if (program.path === null) paths.delete(PATH);
  else programs.set(key, program);
  return program;
}

/** The PATH for programs that Pawl's child processes start, such as git's helpers. */
export function safePath({ PATH = SYSTEM }: Environment): string {
  return searchPath(PATH).folders.join(delimiter);
}

/** The entries of the PATH that do not count, each with the reason. */
export function leftOutOf({ PATH = SYSTEM }: Environment): readonly LeftOut[] {
  return searchPath(PATH).leftOut;
}

/** Whether it is an executable file. */
function isProgram(path: string): boolean {
  return attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }, false);
}

function search(name: string, { folders, leftOut }: SearchPath): FoundProgram {
  const refused: LeftOut[] = [];
  for (const path of folders.map((folder) => join(folder, name)).filter(isProgram)) {
    const why = faultOf(path);
    if (why === null) return { path, why: null };
    refused.push({ entry: path, why });
  }
  const others = leftOut
    .map(({ entry, why }) => ({ entry: resolve(entry, name), why }))
    .filter(({ entry }) => isProgram(entry));
  const said = [...refused, ...others].map(({ entry, why }) => `; Pawl does not start ${entry}: ${why}`);
  return { path: null, why: `no program ${name} on the PATH${said.join("")}` };
}

function searchPath(PATH: string): SearchPath {
  const known = paths.get(PATH);
  if (known) return known;
  const folders: string[] = [];
  const leftOut: LeftOut[] = [];
  for (const entry of new Set(PATH === "" ? [] : PATH.split(delimiter))) {
    const why = isAbsolute(entry) ? faultOf(entry) : "it is relative to the working folder";
    if (why === null) folders.push(entry);
    else if (why !== MISSING) leftOut.push({ entry: entry === "" ? "an empty entry" : entry, why });
  }
  const made = { folders, leftOut };
  paths.set(PATH, made);
  return made;
}

const MISSING = "it is missing";
const MAX_LINKS = 40;

/** Why the program does not count: follows the path step by step, as the system does. */
function faultOf(path: string): string | null {
  let rest = partsOf(path);
  let at: string = sep;
  let links = 0;
  try {
    let above = lstatSync(at);
    while (rest.length > 0) {
      const next = join(at, rest[0] ?? "");
      const stats = lstatSync(next);
      const why = faultOfStep(at, above, stats);
      if (why !== null) return why;
      rest = rest.slice(1);
      if (stats.isSymbolicLink()) {
        if (++links > MAX_LINKS) return MISSING;
        rest = [...partsOf(resolve(at, readlinkSync(next))), ...rest];
        [at, above] = [sep, lstatSync(sep)];
      } else [at, above] = [next, stats];
    }
    const place = [...closed].find((each) => at === each || at.startsWith(`${each}${sep}`));
    if (place !== undefined) return `it lies in the project ${place}, where agents work`;
    return isOwned(above) ? (mayChange(above) ? `other users may write ${at}` : null) : foreign(at);
  } catch {
    return MISSING;
  }
}

/** Whether another user could replace the entry in the folder. */
function faultOfStep(folder: string, above: Stats, entry: Stats): string | null {
  if (!isOwned(above)) return foreign(folder);
  const isSticky = (above.mode & 0o1000) !== 0;
  return !mayChange(above) || (isSticky && isOwned(entry)) ? null : `other users may write ${folder}`;
}

function partsOf(path: string): readonly string[] {
  return resolve(path)
    .split(sep)
    .filter((part) => part !== "");
}

function foreign(path: string): string {
  return `${path} belongs to another user`;
}

/** Owned by this user or the owner of `/`, which in a user namespace need not be 0. */
function isOwned({ uid }: Stats): boolean {
  const userId = process.getuid?.();
  return userId === undefined || uid === userId || uid === 0 || uid === lstatSync(sep).uid;
}

/** macOS: its members administer the system. */
const ADMIN = 80;

/** Whether other users may write it. A group with the user's own number has no others. */
function mayChange({ gid, mode }: Stats): boolean {
  const uid = process.getuid?.();
  if (uid === undefined) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && isShared(uid, gid));
}

const shared = new Map<number, boolean>();

function isShared(uid: number, gid: number): boolean {
  if (gid === 0 || gid === uid || (process.platform === "darwin" && gid === ADMIN)) return false;
  const known = shared.get(gid);
  if (known !== undefined) return known;
  const listed = listedUsers();
  const isSo = listed === null || !isOnlyOf(uid, gid, listed);
  shared.set(gid, isSo);
  return isSo;
}
