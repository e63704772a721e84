/**
 * What `pawl repair` does for a damaged journal: it is set aside, every record that is good stays to be applied, and the
 * report says what is missing.
 */

import { CONTROL, JOURNAL } from "./control.ts";
import type { Disk } from "./disk.ts";
import { fsyncFile, withFile, writeAll } from "./disk.ts";
import { guarded } from "./disk-error.ts";
import { journalSize, readJournal } from "./journal.ts";
import { newKeptFolder } from "./keep.ts";
import { openLocks, PROJECT_LOCK } from "./locks.ts";
import { foldersOf, readToEnd } from "./look.ts";
import { readMarker, writeMarker } from "./marker.ts";
import { nodeDisk } from "./node-disk.ts";
import { type JournalRecord, type Parsed, renderRecord } from "./record.ts";
import { type Project, recover } from "./recover.ts";
import { COMMIT_WAIT, type StoreOptions } from "./store.ts";

export interface RepairReport {
  /** Where the damaged journal lies now, relative to the root; null: it was not damaged. */
  readonly aside: string | null;
  /** Records that are good, and applied now. */
  readonly goodRecords: number;
  /** Bytes that belong to no good record. */
  readonly lostBytes: number;
  /** Commits that are missing between good ones: what they wrote is there only as far as it had been applied. */
  readonly lostCommits: number;
}

/** Throws `lock-timeout`, `disk-failed`. Nothing is changed where nothing is damaged, but that pending work is done. */
export async function repairJournal(options: StoreOptions): Promise<RepairReport> {
  const disk = options.disk ?? nodeDisk(options.root);
  const project: Project = { disk, editors: options.editors ?? {}, onKept: options.onKept ?? (() => {}) };
  if (journalSize(disk) === 0) return { aside: null, goodRecords: 0, lostBytes: 0, lostCommits: 0 };
  return guarded("Repairing the journal", async () => {
    const limit = options.commitWaitMilliseconds ?? COMMIT_WAIT;
    const lock = await openLocks(disk).acquire(PROJECT_LOCK, "Repairing the journal", limit);
    try {
      const report = setAside(disk);
      recover(project);
      return report;
    } finally {
      lock.release();
    }
  });
}

function setAside(disk: Disk): RepairReport {
  const parsed = readJournal(disk);
  const { records, stranded, goodLength } = parsed;
  const size = journalSize(disk);
  const marker = readMarker(disk);
  const isCutShort = marker !== null && marker.length > goodLength;
  if (stranded.length === 0 && !isCutShort)
    return { aside: null, goodRecords: records.length, lostBytes: 0, lostCommits: 0 };

  const aside = copyAside(disk, size);
  const good = renumbered(parsed);
  const bytes = good.map(({ sequence, steps }) => renderRecord(sequence, steps));
  replaceJournal(disk, Buffer.concat(bytes));
  if (marker !== null) {
    const applied = [...records, ...stranded].filter(({ end }) => end <= marker.length).length;
    const length = bytes.slice(0, applied).reduce((sum, one) => sum + one.length, 0);
    const last = good[applied - 1]?.sequence ?? marker.sequence;
    writeMarker(disk, { length, sequence: last });
  }
  const first = stranded[0]?.sequence;
  const lastGood = records.at(-1)?.sequence;
  return {
    aside,
    goodRecords: good.length,
    lostBytes: size - bytes.reduce((sum, one) => sum + one.length, 0),
    lostCommits: first === undefined || lastGood === undefined ? 1 : first - lastGood - 1,
  };
}

function renumbered({ records, stranded }: Parsed): readonly Omit<JournalRecord, "end">[] {
  const start = records[0]?.sequence ?? stranded[0]?.sequence ?? 1;
  return [...records, ...stranded].map(({ steps }, index) => ({ sequence: start + index, steps }));
}

function copyAside(disk: Disk, size: number): string {
  const aside = `${newKeptFolder(disk)}/journal`;
  const bytes = withFile(disk, JOURNAL, "read", (fd) => readToEnd(disk, fd, size));
  withFile(disk, aside, "new", (fd) => writeAll(disk, fd, bytes, 0));
  fsyncFile(disk, aside);
  for (const folder of foldersOf(aside).toReversed()) disk.fsyncFolder(folder);
  return aside;
}

function replaceJournal(disk: Disk, bytes: Uint8Array): void {
  const fresh = `${JOURNAL}.repaired`;
  if (disk.lstat(fresh) !== null) disk.unlink(fresh);
  withFile(disk, fresh, "new", (fd) => {
    writeAll(disk, fd, bytes, 0);
    disk.fsync(fd);
  });
  disk.rename(fresh, JOURNAL);
  disk.fsyncFolder(CONTROL);
}
