/**
 * The journal's file. All of it runs under the project's lock.
 *
 * J1  A record is synced before anything of it is applied; so are the folders that lead to a new journal.
 * J2  A bad tail is cut off before the next record is written; a failed write is cut off again at once.
 * J3  An empty journal's marker is set to nothing before the first record: a marker of before a trim can never cover
 *     what comes after it.
 */
import { PawlError } from "../../base/error.ts";
import { CONTROL, JOURNAL } from "./control.ts";
import { closeQuietly, type Disk, withFile, writeAll } from "./disk.ts";
import { readToEnd } from "./look.ts";
import { type Applied, readMarker, writeMarker } from "./marker.ts";
import { type JournalRecord, type Parsed, parseJournal, renderRecord, type Step } from "./record.ts";

/** The size in bytes; 0 where there is no journal. */
export function journalSize(disk: Disk): number {
  return disk.lstat(JOURNAL)?.size ?? 0;
}

/** Whether every record is known to be applied. Needs no lock, and costs next to nothing. */
export function isAllApplied(disk: Disk): boolean {
  const size = journalSize(disk);
  return size === 0 || readMarker(disk)?.length === size;
}

/** Writes and syncs a record behind `at`: when this returns, it is committed. When it throws, it is not. */
export function appendRecord(disk: Disk, at: Applied, steps: readonly Step[]): JournalRecord {
  if (at.length === 0) writeMarker(disk, at);
  const sequence = at.sequence + 1;
  const bytes = renderRecord(sequence, steps);
  const fd = disk.open(JOURNAL, "update");
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
  return { sequence, steps, end: at.length + bytes.length };
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
      "The disk failed while the journal was written, and again while that was taken back: whether the change counts will show when the disk works again.",
      "Check the disk (space, connection, permissions), then run `pawl status` to see where the run stands.",
      cause,
    );
  }
}

/** What is in the journal, with a bad tail cut off; throws `journal-damaged`. */
export function loadJournal(disk: Disk): Parsed {
  const parsed = readJournal(disk);
  if (parsed.stranded.length > 0) throw damaged(parsed);
  if (parsed.goodLength < journalSize(disk))
    withFile(disk, JOURNAL, "update", (fd) => disk.truncate(fd, parsed.goodLength));
  return parsed;
}

export function readJournal(disk: Disk): Parsed {
  const size = journalSize(disk);
  if (size === 0) return parseJournal(new Uint8Array());
  return parseJournal(withFile(disk, JOURNAL, "read", (fd) => readToEnd(disk, fd, size)));
}

/** Records found in the journal may have come from a writer that died before it synced them. */
export function syncJournal(disk: Disk): void {
  withFile(disk, JOURNAL, "update", (fd) => disk.fsync(fd));
  syncFolders(disk);
}

/** Empties the journal; what was in it must be applied and synced. */
export function trimJournal(disk: Disk, sequence: number): void {
  withFile(disk, JOURNAL, "update", (fd) => {
    disk.truncate(fd, 0);
    disk.fsync(fd);
  });
  writeMarker(disk, { length: 0, sequence });
}

function damaged({ records, goodLength, stranded }: Parsed): PawlError {
  return new PawlError(
    "journal-damaged",
    `The journal ${JOURNAL} is damaged: after ${records.length} good records, at byte ${goodLength}, expected another record, found bytes that are none, and ${stranded.length} good records behind them.`,
    "Run `pawl repair`: it sets the damaged journal aside, applies the records that are good, and says what is lost.",
  );
}
