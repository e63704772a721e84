/**
 * How a wall mounts a protected place. Checks every component before bubblewrap is called: bubblewrap 0.8
 * follows a planted link while it makes missing folders, and so makes them outside.
 */
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { CLIENT_FILES, type ProtectedPlace, protectedPlacesBy } from "../../guard/protected-places.ts";
import { firstEntries, HARMLESS, readPlainText } from "../files/plain-file.ts";
import { realPathOf } from "../files/real-path.ts";
import { isInside, type Mount, outerFirst } from "./arguments.ts";

/**
 * The mounts that protect the place below a folder without links. An existing place becomes read-only, behind a link
 * where it points, and so does the link's own folder (a repository's stays open); of a missing one, the first missing
 * component is covered, so that nothing can be made there. Each folder on the way is mounted on itself: a mount point
 * can neither be renamed nor be replaced. Except among the dependencies, which package managers replace as they like,
 * unless Pawl is among them.
 */
export function masksOf(folder: string, { isFolder, path }: ProtectedPlace): readonly Mount[] {
  const names = path.split("/");
  const installed = PAWLS.test(path) ? -1 : names.indexOf(DEPENDENCIES);
  const way: Mount[] = [];
  let at = folder;
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const isLoose = installed >= 0 && index >= installed;
    const above = at;
    at = join(at, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return [...way, { type: "cover", at, isFolder: isFolder || !isLast }];
    if (stats.isSymbolicLink()) {
      const real = realPathOf(at);
      const isMasked = !isInside(folder, real) && existsSync(real);
      const isOpen = above === folder || name === ".git" || isLoose;
      return [...(isOpen ? [] : [above]), ...(isMasked ? [real] : [])].map(closed);
    }
    // Nothing can be made below a file.
    if (!stats.isDirectory()) break;
    if (!isLast && !isLoose) way.push({ type: "write", at });
  }
  return [...way, closed(at)];
}

/** A package manager's folder, full of links of its own. */
export const DEPENDENCIES = "node_modules";

/** What is Pawl's among the dependencies of a folder, and that folder. */
const PAWLS = /^(?:(.*?)\/)?node_modules\/(?:pawl|\.bin)(?:\/|$)/;

/** The masks of all the places: of Pawl's among dependencies, only where programs start it from them. */
export function masksIn(root: string, places: readonly ProtectedPlace[]): readonly Mount[] {
  const started = new Map<string, boolean>();
  return places.flatMap((place) => {
    const match = PAWLS.exec(place.path);
    if (match === null) return masksOf(root, place);
    const folder = match[1] ?? "";
    const isStarted = started.get(folder) ?? startsPawl(join(root, folder));
    started.set(folder, isStarted);
    return isStarted ? masksOf(root, place) : [];
  });
}

/** Whether programs start Pawl from this folder's dependencies, installed or not. */
function startsPawl(folder: string): boolean {
  const isThere = (name: string) => lstatSync(join(folder, DEPENDENCIES, name), { throwIfNoEntry: false });
  if (isThere("pawl") || isThere(".bin/pawl") || isThere(".bin/bloom")) return true;
  return [...CLIENT_FILES.filter((name) => !name.endsWith("/**")), ".husky/pre-commit"].some((name) =>
    attempt(() => readPlainText(join(folder, name)).includes("--package=pawl"), false),
  );
}

const closed = (at: string): Mount => ({ type: "read", at });

/** Among the dependencies, the folders in which tools keep what they made. */
const CACHES = [".cache", ".vite", ".vite-temp"];

/** Opens these where all other dependencies are closed, and makes those that are missing. */
export function withCaches(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.map((mount) => {
    if (mount.type !== "read" || basename(mount.at) !== DEPENDENCIES) return mount;
    const caches = CACHES.map((name) => join(mount.at, name));
    return { ...mount, open: caches.filter((path) => attempt(() => madeFolder(path), false)) };
  });
}

function madeFolder(path: string): boolean {
  makeCovered({ type: "cover", at: path, isFolder: true });
  return lstatSync(path).isDirectory();
}

/** Each mount once, in an order in which none opens or hides what another closes. */
export function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const read = new Set(mounts.filter(({ type }) => type === "read").map(({ at }) => at));
  const isBelow = (at: string, places: ReadonlySet<string>): boolean =>
    dirname(at) !== at && (places.has(dirname(at)) || isBelow(dirname(at), places));
  // Nothing can be made below a closed folder, so nothing need be covered there.
  const shut = mounts.filter(({ at, type }) => type !== "write" && !(type === "cover" && isBelow(at, read)));
  const places = new Set(shut.map(({ at }) => at));
  const way = mounts.filter(({ at, type }) => type === "write" && !places.has(at) && !isBelow(at, places));
  return [...new Map(outerFirst([...way, ...shut]).map((mount) => [mount.at, mount])).values()];
}

/** Makes the target of a cover if nothing is there, and returns whether it did. Never follows a link. */
export function makeCovered({ at, isFolder }: Extract<Mount, { type: "cover" }>): boolean {
  return attempt(() => {
    const folder = openSync(dirname(at), constants.O_DIRECTORY | HARMLESS);
    try {
      // By the open folder's own name: a program may put a link in its place meanwhile.
      const held = `/proc/self/fd/${folder}`;
      if (readlinkSync(held) !== dirname(at)) return false;
      if (isFolder) mkdirSync(join(held, basename(at)));
      else writeFileSync(join(held, basename(at)), "", { flag: "wx" });
      return true;
    } finally {
      closeSync(folder);
    }
  }, false);
}

const MAX_FOLDERS = 20_000;
const MAX_NAMES = 100_000;

export interface Below {
  /** Each `.git`, relative to the folder. */
  readonly gits: readonly string[];
  /** The protected places of deeper folders, as far as they begin there; among dependencies, only Pawl's. */
  readonly places: readonly ProtectedPlace[];
}

/** Follows no link. `most`: the maximum number of folders searched. */
export function searchBelow(folder: string, skipped: readonly string[], most = MAX_FOLDERS): Below {
  const gits: string[] = [];
  const places: ProtectedPlace[] = [];
  const open = [""];
  for (let count = 0; open.length > 0 && count < most; count++) {
    const at = open.shift() ?? "";
    let entries: readonly Dirent[] = [];
    const below = (name: string) => (at === "" ? name : `${at}/${name}`);
    try {
      // By its name: it may not be among the first.
      if (lstatSync(join(folder, at, ".git"), { throwIfNoEntry: false })) gits.push(below(".git"));
      entries = firstEntries(join(folder, at), MAX_NAMES);
    } catch {}
    const isDeeper = at !== "" && !at.split("/").includes(DEPENDENCIES);
    for (const entry of entries) {
      const begun = isDeeper ? protectedPlacesBy(entry.name) : [];
      if (begun.length > 0 && isStart(join(folder, at), entry))
        places.push(...begun.map((each) => ({ ...each, path: below(each.path) })));
      if (entry.name !== ".git" && entry.isDirectory() && !skipped.includes(entry.name))
        open.push(below(entry.name));
    }
  }
  return { gits, places };
}

/** A link stays as it is: closing it would close the folder around it. */
function isStart(folder: string, entry: Dirent): boolean {
  if (entry.name === DEPENDENCIES) return existsSync(join(folder, DEPENDENCIES, "pawl"));
  return entry.isDirectory() || entry.isFile();
}
