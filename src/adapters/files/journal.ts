/**
 * The journal's file. All of it runs under the project's lock.
 *
 * J1  A record is synced before anything of it is applied; so are the folders that lead to a new journal.
 * J2  A bad tail is cut off before the next record is written; a failed write is cut off again at once.
 * J3  An empty journal's marker is set to nothing, in an epoch of its own, before the first record: a marker of before a
 *     trim can never cover what comes after it, and no journal of before can take its place.
 */
import { PawlError } from "../../core/error.ts";
import { CONTROL, JOURNAL } from "./control.ts";
import { closeQuietly, type Disk, withFile, withOpen, writeAll } from "./disk.ts";
import { readToEnd, statFile } from "./look.ts";
import { type Applied, beginning, type Marker, readMarker, writeMarker } from "./marker.ts";
import { type JournalRecord, type Parsed, parseJournal, renderRecord } from "./record.ts";
import type { Step } from "./steps.ts";
import { openInside } from "./temporary.ts";
import type { Vault } from "./vault.ts";

/** The project's disk, and what is kept of the project outside of it. */
export interface Place {
  readonly disk: Disk;
  readonly vault: Vault;
}

/** The size in bytes; 0 where there is no journal. */
export function journalSize(disk: Disk): number {
  return statFile(disk, JOURNAL)?.size ?? 0;
}

/** Whether every record is known to be applied. Needs no lock, and costs next to nothing. */
export function isAllApplied({ disk, vault }: Place): boolean {
  const size = journalSize(disk);
  if (size === 0) return true;
  const marker = readMarker(disk, vault);
  return marker?.isCurrent === true && marker.length === size;
}

/** Writes and syncs a record behind `at`: when this returns, it is committed. When it throws, it is not. */
export function appendRecord({ disk, vault }: Place, at: Applied, steps: readonly Step[]): JournalRecord {
  const key = vault.makeKey();
  if (at.length === 0) writeMarker(disk, vault, at);
  const { bytes, head } = renderRecord(key, at, steps);
  const fd = openInside(disk, JOURNAL, "update");
  try {
    writeAll(disk, fd, bytes, at.length);
    disk.fsync(fd);
    if (at.length === 0) syncFolders(disk);
  } catch (error) {
    takeBack(disk, fd, at.length, error);
    throw error;
  } finally {
    closeQuietly(disk, fd);
  }
  return { ...head, steps, end: at.length + bytes.length };
}

/** The folders that lead to the journal, so that it is found after a power cut. */
function syncFolders(disk: Disk): void {
  disk.fsyncFolder(CONTROL);
  disk.fsyncFolder("");
}

/** What was written but not synced may be readable, and so be taken for committed by the next process. */
function takeBack(disk: Disk, fd: number, length: number, cause: unknown): void {
  try {
    disk.truncate(fd, length);
    disk.fsync(fd);
  } catch {
    throw new PawlError(
      "disk-failed",
      "The disk failed while Pawl wrote the journal, and again while it undid the write: whether the change counts is known once the disk works again.",
      "Check the disk (space, connection, permissions), then run `pawl status` to see the state of the run.",
      cause,
    );
  }
}

/** What is in the journal; throws `journal-damaged`. */
export function loadJournal(place: Place, marker: Marker | null): Parsed {
  const parsed = readJournal(place, marker);
  if (parsed.stranded.length > 0) throw damaged(parsed);
  if (isCutShort(parsed, marker)) throw cutShort(marker?.length ?? 0, parsed.goodLength);
  return parsed;
}

export function readJournal({ disk, vault }: Place, marker: Marker | null): Parsed {
  const size = journalSize(disk);
  const bytes =
    size === 0 ? new Uint8Array() : withFile(disk, JOURNAL, "read", (fd) => readToEnd(disk, fd, size));
  return parseJournal(bytes, { key: vault.key(), floor: marker?.epoch ?? 0 });
}

/**
 * Whether records are missing that were applied once. Where a foreign journal stands in the place of all of them, it is
 * that which is told; what they did is in the files.
 */
export function isCutShort({ records, goodLength, foreign }: Parsed, marker: Marker | null): boolean {
  if (marker === null || marker.length <= goodLength) return false;
  return records.length === 0 ? foreign === null : records[0]?.epoch === marker.epoch;
}

function withJournal(disk: Disk, work: (fd: number) => void): void {
  withOpen(disk, openInside(disk, JOURNAL, "update"), work);
}

/** Cuts off what lies behind the good records. */
export function cutTail(disk: Disk, goodLength: number): void {
  if (goodLength < journalSize(disk)) withJournal(disk, (fd) => disk.truncate(fd, goodLength));
}

/** Records found in the journal may have come from a writer that died before it synced them. */
export function syncJournal(disk: Disk): void {
  withJournal(disk, (fd) => disk.fsync(fd));
  syncFolders(disk);
}

/** Empties the journal; what was in it must be applied and synced. */
export function trimJournal({ disk, vault }: Place, applied: Applied): void {
  withJournal(disk, (fd) => {
    disk.truncate(fd, 0);
    disk.fsync(fd);
  });
  writeMarker(disk, vault, beginning(disk, { ...applied, isCurrent: true }));
}

function damaged({ records, goodLength, stranded }: Parsed): PawlError {
  return new PawlError(
    "journal-damaged",
    `The journal ${JOURNAL} is damaged: after ${records.length} good records, at byte ${goodLength}, expected another record, found other bytes, and ${stranded.length} good records after them.`,
    "Run `pawl repair`: it sets the damaged journal aside, applies the good records, and reports what is lost.",
  );
}

function cutShort(expected: number, found: number): PawlError {
  return new PawlError(
    "journal-damaged",
    `The journal is damaged: expected at least ${expected} bytes of good records, found ${found}.`,
    "Run `pawl repair`: it sets the damaged journal aside, applies the good records, and reports what is lost.",
  );
}
