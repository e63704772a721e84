/**
 * What an agent sees of its worktree's repository. Everything is read-only except what a commit on the task's own
 * branch needs:
 *
 * V1  New objects go into a private folder, with the repository's own as an alternate. Existing objects cannot be
 *     changed or removed.
 * V2  The folder of its branch is a private copy, since git moves a branch by renaming a file in that folder; the other
 *     branches in it are read-only. The same holds for the logs.
 * V3  The state at the beginning of the run is recorded before anything can move: `bring-in.ts` compares with it.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { isAbsence } from "../files/disk.ts";
import { toDiskError } from "../files/disk-error.ts";
import { writeWhole } from "../files/write-whole.ts";
import { commonFolderOf, gitFolderIn } from "../git/discover.ts";
import { ABSENT, readRef } from "../git/ref-files.ts";
import type { Mount } from "./arguments.ts";
import type { Store } from "./store.ts";

/** What has not been brought in yet. */
export interface Pending {
  readonly run: string;
  readonly folder: string;
  readonly common: string;
  /** The worktree's own git folder. */
  readonly own: string;
  /** `refs/heads/…` */
  readonly ref: string | null;
  /** The branch's commit at the beginning; null if there was none. */
  readonly old: string | null;
}

/** Where the repository's own objects appear inside. */
const ALTERNATE = "/run/pawl/objects";
/** How many other branches are made read-only one by one. Beyond these it may move a copy, which counts nowhere. */
const MOST_CLOSED = 64;

/** The git folders of a linked worktree; null if it is not one. */
export function worktreeGit(folder: string): { readonly own: string; readonly common: string } | null {
  const own = gitFolderIn(folder);
  if (own === null) return null;
  const common = commonFolderOf(own);
  return own === common || dirname(own) !== join(common, "worktrees") ? null : { own, common };
}

/**
 * Throws `wall-failed` if the repository's branches are not files, or the worktree's own branch is unknown; `disk-failed` if
 * something of it cannot be read.
 */
export function gitMounts(store: Store, run: string, folder: string): readonly Mount[] {
  const git = worktreeGit(folder);
  if (git === null) return [];
  const { common, own } = git;
  if (existsSync(join(common, "reftable")))
    throw new PawlError(
      "wall-failed",
      `The repository ${common} keeps its branches as a reftable: expected files, so that the wall can open one branch's.`,
      "Convert it (`git refs migrate --ref-format=files`), or set `sandbox: none` in pawl.yaml.",
    );
  const ref = ownRef(folder, own);
  const found = ref === null ? ABSENT : readRef({ top: folder, own, common }, ref);
  const old = typeof found === "string" ? found : null;
  const pending: Pending = { run, folder, common, own, ref, old };
  const logs = privateLogs(store, common, ref);
  const heads = ref === null ? [] : privateHeads(store, common, ref, old);
  const objects = privateObjects(store, common);
  for (const name of ["config.worktree", "commondir", "gitdir"]) makeFile(join(own, name));
  writeWhole(join(store.folder, "pending.json"), JSON.stringify(pending));
  return [
    { type: "read", at: common },
    { type: "read", from: join(common, "objects"), at: ALTERNATE },
    { type: "write", from: objects, at: join(common, "objects") },
    { type: "write", at: own },
    ...["config.worktree", "commondir", "gitdir"].map(
      (name) => ({ type: "read", at: join(own, name) }) as const,
    ),
    ...heads,
    { type: "write", from: logs, at: join(common, "logs") },
  ];
}

/** According to the label beside the worktree, or else to what is checked out. */
function ownRef(folder: string, own: string): string | null {
  const label = join(dirname(folder), `@of-${basename(folder)}.json`);
  const text = textOf(label);
  if (text !== null) {
    const branch = attempt(() => (JSON.parse(text) as { readonly branch?: unknown }).branch, undefined);
    if (typeof branch === "string") return `refs/heads/${branch}`;
    // An agent may write its worktree's HEAD, which could name any branch.
    throw new PawlError(
      "wall-failed",
      `${label} does not say which branch the worktree is of: expected {"repo": …, "branch": …}.`,
      "Write the branch into it, or remove the worktree and the file.",
    );
  }
  const [, ref] = /^ref: (refs\/heads\/\S+)$/.exec(readFileSync(join(own, "HEAD"), "utf8").trim()) ?? [];
  return ref === undefined || ref.includes("..") ? null : ref;
}

function privateObjects(store: Store, common: string): string {
  const objects = join(store.folder, "objects");
  rmSync(join(objects, "info"), { recursive: true, force: true });
  mkdirSync(join(objects, "info"), { recursive: true });
  const own = join(common, "objects");
  writeFileSync(
    join(objects, "info/alternates"),
    [ALTERNATE, ...alternatesOf(own)].map((path) => `${path}\n`).join(""),
  );
  return objects;
}

/** The alternates of the repository itself: a relative path would not work from another place. */
function alternatesOf(objects: string): readonly string[] {
  const lines = (textOf(join(objects, "info/alternates")) ?? "").split("\n");
  return lines.filter((line) => line !== "" && !isAbsolute(line)).map((line) => resolve(objects, line));
}

/** Null if there is no such file. Throws `disk-failed` if it cannot be read. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (isAbsence(thrown)) return null;
    throw toDiskError(thrown, "Reading what the wall shows of git");
  }
}

function privateHeads(store: Store, common: string, ref: string, old: string | null): readonly Mount[] {
  const at = join(common, dirname(ref));
  const heads = join(store.folder, "heads");
  rmSync(heads, { recursive: true, force: true });
  mkdirSync(heads, { recursive: true });
  // Git removes a folder without files, but the mount needs one.
  mkdirSync(at, { recursive: true });
  const own = basename(ref);
  const closed: Mount[] = [];
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    if (entry.name === own || entry.name.endsWith(".lock")) continue;
    if (entry.isDirectory()) mkdirSync(join(heads, entry.name));
    else if (entry.isFile()) copyFileSync(join(at, entry.name), join(heads, entry.name));
    else continue;
    if (closed.length < MOST_CLOSED || entry.isDirectory())
      closed.push({ type: "read", at: join(at, entry.name) });
  }
  if (old !== null) writeFileSync(join(heads, own), `${old}\n`);
  return [{ type: "write", from: heads, at }, ...closed];
}

function privateLogs(store: Store, common: string, ref: string | null): string {
  const logs = join(store.folder, "logs");
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  mkdirSync(join(common, "logs"), { recursive: true });
  if (ref === null) return logs;
  const own = join(common, "logs", ref);
  mkdirSync(dirname(join(logs, ref)), { recursive: true });
  if (lstatSync(own, { throwIfNoEntry: false })?.isFile()) copyFileSync(own, join(logs, ref));
  return logs;
}

/** An existing plain file can be made read-only; a missing one, or a link that an agent made, cannot. */
function makeFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return;
  rmSync(path, { recursive: true, force: true });
  closeSync(openSync(path, "wx", 0o644));
}
