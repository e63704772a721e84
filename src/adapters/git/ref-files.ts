/**
 * Reads branches and checkouts from the repository's files: a loop needs them dozens of times per task, and
 * starting git costs milliseconds each time. Null if the files are not in the plain format or have unexpected
 * content: callers then use git.
 */
import { closeSync, readSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { isObjectId } from "../../core/id.ts";
import { firstEntries, openPlain, readPlainText } from "../files/plain-file.ts";
import { type Discovered, realOr } from "./discover.ts";
import { type KnownConfig, lastOf, stampOf } from "./safe-config.ts";

/** The ref does not exist. This is an answer, unlike null. */
export const ABSENT = Symbol("absent");

const SYMBOLIC = /^ref: (refs\/\S+)$/;
const MAX_LINKS = 5;
/** A ref's file holds one line. */
const MAX_BYTES = 4096;

/** The repository's git folders, if its refs are plain files. */
export function plainRepository(config: KnownConfig): Discovered | null {
  const storage = lastOf(config, "extensions.refstorage");
  return storage === null || storage === "files" ? config.repository : null;
}

/** The commit that `HEAD`, `refs/heads/…` or `refs/remotes/…` points to. */
export function readRef(repository: Discovered, name: string): string | typeof ABSENT | null {
  let ref = name;
  for (let links = 0; links < MAX_LINKS; links++) {
    const text = readLine(join(ref === "HEAD" ? repository.own : repository.common, ref));
    if (text === null) return null;
    if (text === ABSENT) {
      const packed = packedRefs(repository.common);
      return packed && (packed.get(ref) ?? ABSENT);
    }
    if (isObjectId(text)) return text;
    const [, next] = SYMBOLIC.exec(text) ?? [];
    if (next === undefined || next.includes("..")) return null;
    ref = next;
  }
  return null;
}

function readLine(path: string): string | typeof ABSENT | null {
  let file: number | undefined;
  try {
    file = openPlain(path).file;
    const bytes = Buffer.alloc(MAX_BYTES);
    const read = readSync(file, bytes, 0, MAX_BYTES, 0);
    return read === MAX_BYTES ? null : bytes.toString("utf8", 0, read).trimEnd();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR" ? ABSENT : null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

interface Packed {
  readonly signature: string;
  readonly refs: ReadonlyMap<string, string>;
}

/** By common folder. Git replaces the file whole, so new content means another inode, size or time. */
const packed = new Map<string, Packed>();
const MAX_REPOSITORIES = 200;

/**
 * Reads the packed refs after the loose file was missing: git writes a packed ref before it removes the loose
 * one. Null: git must be used.
 */
function packedRefs(common: string): ReadonlyMap<string, string> | null {
  const path = join(common, "packed-refs");
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return new Map();
  const signature = stampOf(stat);
  const cached = packed.get(common);
  if (cached?.signature === signature) return cached.refs;
  const text = attempt(() => readPlainText(path), null);
  if (text === null) return null;
  const lines = text.split("\n");
  const refs = new Map(
    lines.flatMap((line) => {
      const [commit = "", name = ""] = line.split(" ");
      return isObjectId(commit) ? [[name, commit] as const] : [];
    }),
  );
  if (packed.size >= MAX_REPOSITORIES) packed.clear();
  packed.set(common, { signature, refs });
  return refs;
}

/**
 * The refs in these folders, each with its commit or tag; null: there are more folders, or git must be used.
 */
export function listRefs(
  repository: Discovered,
  prefixes: readonly string[],
  most: number,
): ReadonlyMap<string, string> | null {
  const loose = looseRefs(repository.common, prefixes);
  if (loose === null) return null;
  const names = new Set(loose);
  const known = packedRefs(repository.common);
  if (known === null) return null;
  for (const name of known.keys())
    if (prefixes.some((prefix) => name.startsWith(`${prefix}/`))) names.add(name);
  if (names.size > most) return null;
  const refs = new Map<string, string>();
  for (const name of names) {
    const commit = readRef(repository, name);
    if (typeof commit === "string") refs.set(name, commit);
  }
  return refs;
}

/** Entries of git's folders that are looked at: without a wall, an agent may have made a million. */
const MAX_ENTRIES = 10_000;

function looseRefs(common: string, prefixes: readonly string[]): readonly string[] | null {
  const found: string[] = [];
  const folders = [...prefixes];
  let left = MAX_ENTRIES;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = entriesOf(join(common, folder), left + 1);
    left -= entries.length;
    if (left < 0) return null;
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && !path.endsWith(".lock")) found.push(path);
    }
  }
  return found;
}

function entriesOf(folder: string, most: number) {
  return attempt(() => firstEntries(folder, most), []);
}

export interface Checkout {
  readonly folder: string;
  /** Null: HEAD is detached. */
  readonly branch: string | null;
  readonly bare: boolean;
}

/** The repository's own checkout first, then its worktrees. */
export function readCheckouts(repository: Discovered, config: KnownConfig): readonly Checkout[] | null {
  const common = realOr(repository.common);
  // A submodule's checkout is elsewhere, and a bare repository has none.
  if (basename(common) !== ".git" || lastOf(config, "core.bare") === "true") return null;
  if (lastOf(config, "core.worktree") !== null) return null;
  const mainBranch = branchIn(common);
  if (mainBranch === undefined) return null;
  const checkouts: Checkout[] = [{ folder: dirname(common), branch: mainBranch, bare: false }];
  const worktrees = entriesOf(join(common, "worktrees"), MAX_ENTRIES + 1);
  if (worktrees.length > MAX_ENTRIES) return null;
  for (const { name } of worktrees) {
    const state = join(common, "worktrees", name);
    const link = readLine(join(state, "gitdir"));
    const branch = branchIn(state);
    // Git is adding or removing it at this moment.
    if (typeof link !== "string" || branch === undefined || basename(link) !== ".git") return null;
    checkouts.push({ folder: dirname(resolve(state, link)), branch, bare: false });
  }
  return checkouts;
}

/** Null if HEAD is detached; undefined if unknown. */
function branchIn(state: string): string | null | undefined {
  const head = readLine(join(state, "HEAD"));
  if (typeof head !== "string") return undefined;
  const [, ref] = SYMBOLIC.exec(head) ?? [];
  if (ref !== undefined) return ref.replace(/^refs\/heads\//, "");
  return isObjectId(head) ? null : undefined;
}
