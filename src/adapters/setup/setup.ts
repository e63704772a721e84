/**
 * Prepares a checkout before work or checks begin in it: installed packages and the like.
 *
 * S1  A folder is prepared once for each state of what the commands depend on (`inputs`, the commands
 *     themselves). A note beside the folder records the state. Until the commands have succeeded, it says what
 *     was there before them, so that a setup that failed or was killed starts again from the same knowledge.
 * S2  Results are kept for other folders in `.pawl/setup/<key>/` only on request: those of a checkout without
 *     work yet. They are copied, never shared: an agent may change its own. A copy has all of them, or none,
 *     and follows no link. Files that existed before the commands ran are git's, and never copied: a copy
 *     would undo the work of the previous task.
 * S3  A package manager works on the whole repository, whichever package it is called in: the lock files
 *     above the folder count, and its results beside the folder are kept too. So are husky's hooks, which
 *     npm's `prepare` makes: without them git would run none, without a message.
 * S4  A virtual environment of Python is never kept: its programs, and a project that is installed for
 *     editing, name the folder in which it was made, so a copy would run another task's code.
 * S5  In a task's workspace, what the commands made and git does not ignore is no work of the task. Before work
 *     begins, tracked files that they changed are put back. Later they stay: a lock file may follow the task.
 */
import { createHash } from "node:crypto";
import { constants, existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync } from "node:fs";
import { cp, opendir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { projectPath } from "../../core/path.ts";
import type { Setups, SetupUse } from "../../core/ports/setup.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import type { SetupSettings } from "../../core/settings.ts";
import { bytesIn, kindIn, placeIn } from "../files/agent-folder.ts";
import { ownPath } from "../files/own-folder.ts";
import { firstNames, readPlainText } from "../files/plain-file.ts";
import { removeTree } from "../files/remove-tree.ts";
import { writeWhole } from "../files/write-whole.ts";
import { beside, prefixOf, topOf } from "../process/work-folder.ts";

/** Used if a repository names no inputs of its own. */
const LOCK_FILES = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "uv.lock",
  "poetry.lock",
  "Pipfile.lock",
  "requirements.txt",
  "Gemfile.lock",
  "composer.lock",
  "go.sum",
  "Cargo.lock",
];
/** Number of kept states; the least used is dropped first. */
const KEPT = 5;
/** The note beside a workspace that records its setup. */
export const SET_UP = "set-up";

/** What git knows of a task's workspace. */
export interface WorkspaceFiles {
  /** The files that git neither tracks nor ignores. */
  untracked(folder: AgentFolder): Promise<readonly string[]>;
  /** Git ignores the others from now on, until they are changed. */
  leaveOut(folder: AgentFolder, before: readonly string[]): Promise<void>;
  /** Undoes all changes to tracked files, and returns their paths. */
  putBack(folder: AgentFolder): Promise<readonly string[]>;
  /** Which of the paths hold tracked files, and whether they hold others, too. */
  mixed(folder: AgentFolder, paths: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
}

/** `files`: absent if no agent works in the folders. */
export function openSetups(projectRoot: string, files?: WorkspaceFiles): Setups {
  const store = () => ownPath(projectRoot, ".pawl/setup");
  return {
    async prepare(folder, setup, use) {
      const key = keyOf(folder, setup);
      const note = readNote(folder);
      const top = topOf(folder);
      if (note?.key === key && note.paths.every((path) => kindIn(top, path) !== null)) return "ready";
      const begun = use === "check" ? undefined : (note?.begun ?? (await begin(folder, use, files)));
      const restored = await restore(join(store(), key), top, setup);
      if (restored === null) {
        const isClean = use === "fresh";
        if (begun) writeNote(folder, { key: null, paths: [], begun: { ...begun, key, isClean } });
        return "needed";
      }
      if (begun) await files?.leaveOut(folder, begun.untracked);
      writeNote(folder, { key, paths: restored });
      return "restored";
    },
    async done(folder, setup) {
      const begun = readNote(folder)?.begun;
      const paths = await candidates(folder, setup.cache ?? []);
      if (begun?.fresh) await keep(store(), begun.key, topOf(folder), { files, paths });
      if (begun) await files?.leaveOut(folder, begun.untracked);
      const putBack = (begun?.isClean && (await files?.putBack(folder))) || [];
      // The commands may have made an input.
      writeNote(folder, { key: keyOf(folder, setup), paths });
      return putBack;
    },
  };
}

async function begin(folder: AgentFolder, use: SetupUse, files?: WorkspaceFiles): Promise<Begun> {
  const isFresh = use === "fresh";
  return { key: "", fresh: isFresh, isClean: isFresh, untracked: (await files?.untracked(folder)) ?? [] };
}

/** Copies a kept state, and returns its paths; null: there is none. */
async function restore(
  kept: string,
  top: AgentFolder,
  { cache = [] }: SetupSettings,
): Promise<readonly string[] | null> {
  if (cache.length === 0 || !existsSync(kept)) return null;
  // If a copy fails (full disk, another process pruned it), the commands run instead.
  try {
    const paths = (JSON.parse(readPlainText(join(kept, PATHS))) as string[]).map((path) => projectPath(path));
    const places = paths.map((path) => placeIn(top, path));
    for (const [index, place] of places.entries()) await copy(join(kept, String(index)), place);
    utimesSync(kept, new Date(), new Date());
    return paths;
  } catch {
    return null;
  }
}

/** In a kept state: the original paths of its folders, from the top of the repository. */
const PATHS = "paths.json";

async function keep(
  store: string,
  key: string,
  top: AgentFolder,
  { files, paths: all }: { readonly files: WorkspaceFiles | undefined; readonly paths: readonly string[] },
): Promise<void> {
  const kept = join(store, key);
  if (all.length === 0 || existsSync(kept)) return;
  const mixed = (await files?.mixed(top, all)) ?? new Map<string, boolean>();
  const paths = all.filter((path) => !mixed.has(path));
  const isWhole = [...mixed.values()].every((isMixed) => !isMixed);
  if (!isWhole || paths.length === 0 || paths.some((path) => isBound(placeIn(top, path)))) return;
  const draft = `${kept}.${process.pid}`;
  try {
    const places = paths.map((path) => placeIn(top, path));
    for (const [index, place] of places.entries()) await copy(place, join(draft, String(index)));
    writeWhole(join(draft, PATHS), JSON.stringify(paths));
    renameSync(draft, kept);
    await prune(store);
  } catch {
    // A failure only costs time: a full disk, or another process was first.
    await removeTree(draft);
  }
}

/** Whether it is a virtual environment, or contains one, as tox makes them. */
function isBound(path: string): boolean {
  const inside = attempt(() => firstNames(path, MAX_NAMES), []);
  return ["", ...inside].some((name) => existsSync(join(path, name, "pyvenv.cfg")));
}

/** The maximum number of names that are read from the folder. */
const MAX_NAMES = 500_000;
/** How deep a name without a slash is searched for. */
const DEPTH = 6;

/**
 * The paths that match the patterns, the outer ones only. A name without a slash matches at any depth, as in
 * `.gitignore`: package managers with workspaces put a `node_modules` into each package. `*` stands for any
 * characters of one name.
 */
async function candidates(folder: AgentFolder, patterns: readonly string[]): Promise<readonly string[]> {
  if (patterns.length === 0) return [];
  const top = topOf(folder);
  const prefix = prefixOf(folder).map(asName);
  const names = patterns.filter((pattern) => !pattern.includes("/")).map(asName);
  const paths = patterns
    .filter((pattern) => pattern.includes("/"))
    .map((each) => [...prefix, ...each.split("/").map(asName)]);
  const found: string[] = [];
  let age = 0;
  const search = async (path: readonly string[]) => {
    for await (const entry of await opendir(placeIn(top, path.join("/")), { bufferSize: 512 })) {
      age += 1;
      if (age > MAX_NAMES) return;
      const here = [...path, entry.name];
      const isForFolder =
        names.some((name) => name.test(entry.name)) ||
        (entry.name === "_" && path.at(-1) === ".husky") ||
        paths.some(
          (each) => each.length === here.length && each.every((name, at) => name.test(here[at] ?? "")),
        );
      if (isForFolder) found.push(projectPath(here.join("/")));
      else if (entry.isDirectory() && entry.name !== ".git" && here.length < DEPTH) await search(here);
    }
  };
  await search([]);
  // What is not known whole is not kept.
  return age > MAX_NAMES ? [] : found.sort();
}

function asName(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*")}$`);
}

/** Links stay links: packages link to one another. The copy shares blocks where the file system can. */
async function copy(from: string, to: string): Promise<void> {
  await removeTree(to);
  mkdirSync(dirname(to), { recursive: true });
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
  });
}

async function prune(store: string): Promise<void> {
  const byUse = readdirSync(store)
    .map((name) => ({ path: join(store, name), used: statSync(join(store, name)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  await removeTree(...byUse.slice(KEPT).map(({ path }) => path));
}

/** The key does not contain the workspace's name: equal inputs make equal folders. */
function keyOf(folder: AgentFolder, { run, inputs, cache = [] }: SetupSettings): string {
  const hash = createHash("sha256");
  const prefix = prefixOf(folder);
  hash.update(JSON.stringify([3, process.platform, process.arch, run, cache, prefix]));
  const paths = inputs === undefined ? lockFiles(prefix) : inputs.map((path) => [...prefix, path].join("/"));
  for (const path of paths) {
    const content = bytesIn(topOf(folder), projectPath(path));
    hash.update(JSON.stringify([path, content === null ? null : content.length]));
    if (content !== null) hash.update(content);
  }
  return hash.digest("hex");
}

/** The lock files of the folder, and of each folder above it in the repository. */
function lockFiles(prefixes: readonly string[]): readonly string[] {
  const folders = [...prefixes.keys(), prefixes.length].map((depth) => prefixes.slice(0, depth));
  return folders.flatMap((folder) => LOCK_FILES.map((name) => [...folder, name].join("/")));
}

interface Note {
  /** Null: the commands have not succeeded yet. */
  readonly key: string | null;
  readonly paths: readonly string[];
  readonly begun?: Begun;
}

/** What was known before the commands ran for the first time. */
interface Begun {
  readonly key: string;
  readonly fresh: boolean;
  /** No agent has worked there, not even after a failed setup. */
  readonly isClean: boolean;
  readonly untracked: readonly string[];
}

function readNote(folder: AgentFolder): Note | null {
  return attempt(() => JSON.parse(readPlainText(beside(folder, SET_UP))) as Note, null);
}

function writeNote(folder: AgentFolder, note: Note): void {
  writeWhole(beside(folder, SET_UP), JSON.stringify(note));
}
