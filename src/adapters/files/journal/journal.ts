/**
 * The journal's file. All of this runs under the project's lock.
 *
 * J1  A record is synced before any part of it is applied; so are the folders that lead to a new journal.
 * J2  A bad tail is cut off before the next record is written. A failed write is cut off at once.
 * J3  Before an empty journal gets its first record, its marker is reset, in a new epoch. So a marker from
 *     before a trim never covers later records, and no earlier journal can take its place.
 */
import { PawlError } from "../../../core/error.ts";
import { CONTROL, JOURNAL } from "../control.ts";
import { closeQuietly, type Disk, withFile, withOpen, writeAll } from "../disk.ts";
import type { ProjectKey } from "../project-key.ts";
import { readToEnd, statFile } from "../read-at.ts";
import { type Applied, emptyStart, type Marker, readMarker, writeMarker } from "./marker.ts";
import { type JournalRecord, type Parsed, parseJournal, renderRecord } from "./record.ts";
import type { Step } from "./steps.ts";
import { openInside } from "./temporary.ts";

/** The project's disk, and the project's folder outside of it. */
export interface ProjectStorage {
  readonly disk: Disk;
  readonly projectKey: ProjectKey;
}

/** The size in bytes; 0 if there is no journal. */
export function journalSize(disk: Disk): number {
  return statFile(disk, JOURNAL)?.size ?? 0;
}

/** Whether every record is known to be applied. Takes no lock and costs almost nothing. */
export function isAllApplied({ disk, projectKey }: ProjectStorage): boolean {
  const size = journalSize(disk);
  if (size === 0) return true;
  const marker = readMarker(disk, projectKey);
  return marker?.isCurrent === true && marker.length === size;
}

/**
 * Writes and syncs a record after `at`. If this returns, the record is committed; if it throws, it is not.
 */
export function appendRecord(
  { disk, projectKey }: ProjectStorage,
  at: Applied,
  steps: readonly Step[],
): JournalRecord {
  const key = projectKey.makeKey();
  if (at.length === 0) writeMarker(disk, projectKey, at);
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

/** Syncs the folders that lead to the journal, so that it is found after a power cut. */
function syncFolders(disk: Disk): void {
  disk.fsyncFolder(CONTROL);
  disk.fsyncFolder("");
}

/** Cuts a failed write off: the next process could read the unsynced record and treat it as committed. */
function takeBack(disk: Disk, fd: number, length: number, cause: unknown): void {
  try {
    disk.truncate(fd, length);
    disk.fsync(fd);
  } catch {
    throw new PawlError(
      "disk-failed",
      "The disk failed while Pawl wrote the journal, and again while it undid the write. Whether the change was committed is unknown until the disk works again.",
      "Check the disk (space, connection, permissions), then run `pawl status` to see the state of the run.",
      cause,
    );
  }
}

/** Reads the journal. Throws `journal-damaged`. */
export function loadJournal(storage: ProjectStorage, marker: Marker | null): Parsed {
  const parsed = readJournal(storage, marker);
  if (parsed.stranded.length > 0) throw damagedJournalError(parsed);
  if (isCutShort(parsed, marker)) throw truncatedJournalError(marker?.length ?? 0, parsed.goodLength);
  return parsed;
}

export function readJournal({ disk, projectKey }: ProjectStorage, marker: Marker | null): Parsed {
  const size = journalSize(disk);
  const bytes =
    size === 0 ? new Uint8Array() : withFile(disk, JOURNAL, "read", (fd) => readToEnd(disk, fd, size));
  return parseJournal(bytes, { key: projectKey.key(), floor: marker?.epoch ?? 0 });
}

/**
 * Whether applied records are missing. If a foreign journal has replaced all of them, that is reported
 * instead; their changes are in the files.
 */
export function isCutShort({ records, goodLength, foreign }: Parsed, marker: Marker | null): boolean {
  if (marker === null || marker.length <= goodLength) return false;
  return records.length === 0 ? foreign === null : records[0]?.epoch === marker.epoch;
}

function withJournal(disk: Disk, work: (fd: number) => void): void {
  withOpen(disk, openInside(disk, JOURNAL, "update"), work);
}

/** Cuts off everything after the good records. */
export function cutTail(disk: Disk, goodLength: number): void {
  if (goodLength < journalSize(disk)) withJournal(disk, (fd) => disk.truncate(fd, goodLength));
}

/** Syncs the journal, whose writer may have died before it did. */
export function syncJournal(disk: Disk): void {
  withJournal(disk, (fd) => disk.fsync(fd));
  syncFolders(disk);
}

/** Empties the journal. Its records must be applied and synced. */
export function trimJournal({ disk, projectKey }: ProjectStorage, applied: Applied): void {
  withJournal(disk, (fd) => {
    disk.truncate(fd, 0);
    disk.fsync(fd);
  });
  writeMarker(disk, projectKey, emptyStart(disk, { ...applied, isCurrent: true }));
}

function damagedJournalError({ records, goodLength, stranded }: Parsed): PawlError {
  return new PawlError(
    "journal-damaged",
    `The journal ${JOURNAL} is damaged: after ${records.length} good records, at byte ${goodLength}, expected another record, found other bytes, and ${stranded.length} good records after them.`,
    "Run `pawl repair`: it sets the damaged journal aside, applies the good records, and reports what is lost.",
  );
}

function truncatedJournalError(expected: number, found: number): PawlError {
  return new PawlError(
    "journal-damaged",
    `The journal is damaged: expected at least ${expected} bytes of good records, found ${found}.`,
    "Run `pawl repair`: it sets the damaged journal aside, applies the good records, and reports what is lost.",
  );
}
