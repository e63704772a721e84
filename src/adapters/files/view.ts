import type { ProjectPath } from "../../core/path.ts";
import type { Entry, View } from "../../core/ports/store.ts";
import { TEMPORARY } from "./control.ts";
import type { Disk, FolderEntry } from "./disk.ts";
import { type LastLine, lastLineAt } from "./last-line.ts";
import { type FileOnDisk, type KnownFolders, readAt, statFolder, textOf } from "./read-at.ts";

/** What was read through a view, as first read. */
export interface Reads {
  /** Path → bytes, or null where there was no file. */
  readonly files: Map<string, Uint8Array | null>;
  /** Path → the last line and where it ends, or null where there was no line. */
  readonly ends: Map<string, LastLine | null>;
  /** Folder → its listing, as one text. */
  readonly folders: Map<string, string>;
}

/** Reads the project's files: as they are, or as they will be once pending commits are applied. */
export interface Reader {
  read(path: string, checkedFolders?: KnownFolders): FileOnDisk | null;
  lastLine(path: string, checkedFolders?: KnownFolders): LastLine | null;
  list(folder: string, checkedFolders?: KnownFolders): readonly FolderEntry[];
}

export function plainReader(disk: Disk): Reader {
  return {
    read: (path, checkedFolders) => readAt(disk, path, checkedFolders),
    lastLine: (path, checkedFolders) => lastLineAt(disk, path, checkedFolders),
    list: (folder, checkedFolders) =>
      statFolder(disk, folder, checkedFolders) === null ? [] : disk.list(folder),
  };
}

export interface ViewOptions {
  readonly packaged: (path: string) => Promise<string | null>;
  /** Replays pending commits and returns how to read the files. Awaited before the first read. */
  readonly ready: () => Promise<Reader>;
  readonly guarded: <T>(work: () => Promise<T>) => Promise<T>;
}

export function openView({ packaged, ready, guarded }: ViewOptions): { view: View; reads: Reads } {
  const reads: Reads = { files: new Map(), ends: new Map(), folders: new Map() };
  const texts = new Map<string, string | null>();
  // The commit checks all folders again.
  const checkedFolders: KnownFolders = new Set();
  let readied: Promise<Reader> | null = null;
  const first = () => {
    readied ??= ready();
    return readied;
  };
  const view: View = {
    read: (path: ProjectPath) =>
      guarded(async () => {
        const reader = await first();
        // The first read counts. If the file changes after it, the view no longer holds.
        const before = texts.get(path);
        if (before !== undefined) return before;
        const file = reader.read(path, checkedFolders);
        reads.files.set(path, file?.bytes ?? null);
        const text = file === null ? null : textOf(file.bytes, path);
        texts.set(path, text);
        return text;
      }),
    lastLine: (path: ProjectPath) =>
      guarded(async () => {
        const reader = await first();
        if (!reads.ends.has(path)) reads.ends.set(path, reader.lastLine(path, checkedFolders));
        const found = reads.ends.get(path);
        return found ? textOf(found.bytes, path) : null;
      }),
    list: (folder: ProjectPath) =>
      guarded(async () => {
        const entries = listFolder(await first(), folder, checkedFolders);
        if (!reads.folders.has(folder)) reads.folders.set(folder, oneText(entries));
        return entries;
      }),
    isCurrent: (paths) =>
      guarded(async () => {
        const reader = await ready();
        const isAsRead = ([path, before]: readonly [string, Uint8Array | null]) =>
          isSame(reader.read(path)?.bytes ?? null, before);
        const isWanted = ([path]: readonly [string, unknown]) => (paths as readonly string[]).includes(path);
        return (
          [...reads.files].filter(isWanted).every(isAsRead) &&
          [...reads.ends].filter(isWanted).every(([path, before]) => isSameEnd(reader.lastLine(path), before))
        );
      }),
    packaged,
  };
  return { view, reads };
}

/** Whether everything is still as it was read. Adds the files that it reads to `filesRead`. */
export function stillHolds(
  reader: Reader,
  reads: Reads,
  filesRead?: Map<string, FileOnDisk | null>,
  checkedFolders: KnownFolders = new Set(),
): boolean {
  for (const [path, before] of reads.files) {
    const found = reader.read(path, checkedFolders);
    if (!isSame(found?.bytes ?? null, before)) return false;
    filesRead?.set(path, found);
  }
  for (const [path, before] of reads.ends)
    if (!isSameEnd(reader.lastLine(path, checkedFolders), before)) return false;
  for (const [folder, before] of reads.folders) {
    if (oneText(listFolder(reader, folder, checkedFolders)) !== before) return false;
  }
  return true;
}

function isSame(now: Uint8Array | null, before: Uint8Array | null): boolean {
  return now === null || before === null ? now === before : Buffer.compare(now, before) === 0;
}

function isSameEnd(now: LastLine | null, before: LastLine | null): boolean {
  return now?.end === before?.end && isSame(now?.bytes ?? null, before?.bytes ?? null);
}

function listFolder(reader: Reader, folder: string, checkedFolders?: KnownFolders): readonly Entry[] {
  return reader
    .list(folder, checkedFolders)
    .filter(({ name }) => !TEMPORARY.test(name))
    .map(({ name, kind }) => ({ name, kind: kind === "link" ? ("other" as const) : kind }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function oneText(entries: readonly Entry[]): string {
  return JSON.stringify(entries);
}
