import type { ProjectPath } from "../../core/path.ts";
import type { Entry, View } from "../../core/ports/store.ts";
import { TEMPORARY } from "./control.ts";
import type { Disk } from "./disk.ts";
import { type Found, type KnownFolders, lookAt, statFolder, textOf } from "./look.ts";

/** What was read through a view, as first found. */
export interface Reads {
  /** Path → bytes, or null where there was no file. */
  readonly files: Map<string, Uint8Array | null>;
  /** Folder → its listing, as one text. */
  readonly folders: Map<string, string>;
}

export interface ViewOptions {
  readonly disk: Disk;
  readonly packaged: (path: string) => Promise<string | null>;
  /** Replays what is pending; awaited before the first read. */
  readonly ready: () => Promise<void>;
  readonly guarded: <T>(work: () => Promise<T>) => Promise<T>;
}

export function openView({ disk, packaged, ready, guarded }: ViewOptions): { view: View; reads: Reads } {
  const reads: Reads = { files: new Map(), folders: new Map() };
  let readied: Promise<void> | null = null;
  const first = () => {
    readied ??= ready();
    return readied;
  };
  const view: View = {
    read: (path: ProjectPath) =>
      guarded(async () => {
        await first();
        const found = lookAt(disk, path);
        // The first look counts: a file that changes between two reads of one view makes the view fail to hold.
        if (!reads.files.has(path)) reads.files.set(path, found?.bytes ?? null);
        return found === null ? null : textOf(found.bytes, path);
      }),
    list: (folder: ProjectPath) =>
      guarded(async () => {
        await first();
        const entries = listFolder(disk, folder);
        if (!reads.folders.has(folder)) reads.folders.set(folder, oneText(entries));
        return entries;
      }),
    packaged,
  };
  return { view, reads };
}

/** Whether everything is as it was read; fills `looked` with what was found. */
export function stillHolds(
  disk: Disk,
  reads: Reads,
  looked?: Map<string, Found | null>,
  known: KnownFolders = new Set(),
): boolean {
  for (const [path, before] of reads.files) {
    const found = lookAt(disk, path, known);
    if (!isSame(found?.bytes ?? null, before)) return false;
    looked?.set(path, found);
  }
  for (const [folder, before] of reads.folders) {
    if (oneText(listFolder(disk, folder, known)) !== before) return false;
  }
  return true;
}

function isSame(now: Uint8Array | null, before: Uint8Array | null): boolean {
  return now === null || before === null ? now === before : Buffer.compare(now, before) === 0;
}

function listFolder(disk: Disk, folder: string, known?: KnownFolders): readonly Entry[] {
  if (statFolder(disk, folder, known) === null) return [];
  return disk
    .list(folder)
    .filter(({ name }) => !TEMPORARY.test(name))
    .map(({ name, kind }) => ({ name, kind: kind === "link" ? ("other" as const) : kind }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function oneText(entries: readonly Entry[]): string {
  return JSON.stringify(entries);
}
