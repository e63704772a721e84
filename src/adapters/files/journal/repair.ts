/**
 * Repairs a damaged journal for `pawl repair`: sets it aside, applies every good record, and reports what is
 * missing.
 */

import { CONTROL, JOURNAL } from "../control.ts";
import { type Disk, writeNew } from "../disk.ts";
import { guarded } from "../disk-error.ts";
import { openLocks, PROJECT_LOCK } from "../locks.ts";
import { COMMIT_WAIT, projectOf, type StoreOptions } from "../store.ts";
import { copyJournal, listForeign, type SetAside } from "./foreign.ts";
import { isCutShort, journalSize, readJournal } from "./journal.ts";
import { type Applied, emptyStart, readMarker, writeMarker } from "./marker.ts";
import { refusalOf } from "./pending.ts";
import { renderRecord } from "./record.ts";
import { type Project, recover } from "./recover.ts";

export interface RepairReport {
  /** The new path of the damaged journal, relative to the root; null if it was not damaged. */
  readonly aside: string | null;
  /** The number of good records; all are applied. */
  readonly goodRecords: number;
  /** The number of bytes that belong to no good record. */
  readonly lostBytes: number;
  /** The number of commits missing between good ones. Of their changes, only those applied earlier remain. */
  readonly lostCommits: number;
  /** Foreign commits found in the journal, now or earlier, and never applied. */
  readonly foreign: readonly SetAside[];
}

type Damage = Omit<RepairReport, "foreign">;

/** Throws `lock-timeout`, `disk-failed`. Without damage it only applies pending commits. */
export async function repairJournal(options: StoreOptions): Promise<RepairReport> {
  const project = projectOf(options);
  const { disk } = project;
  return guarded("Repairing the journal", async () => {
    if (journalSize(disk) === 0) return { ...UNDAMAGED, foreign: listForeign(disk) };
    // Loaded first: an `EditorsNeeded` later would set the journal aside a second time.
    await project.editors.load();
    const limit = options.commitWaitMilliseconds ?? COMMIT_WAIT;
    const lock = await openLocks(disk).acquire(PROJECT_LOCK, "Repairing the journal", limit);
    try {
      const report = setAside(project);
      recoverIfPossible(project);
      return { ...report, foreign: listForeign(disk) };
    } finally {
      lock.release();
    }
  });
}

/**
 * Applies the journal unless the disk refuses. A refusal is no damage: views read the journal, and report the
 * refusal.
 */
function recoverIfPossible(project: Project): void {
  try {
    recover(project);
  } catch (thrown) {
    if (refusalOf(thrown) === null) throw thrown;
  }
}

const UNDAMAGED: Damage = { aside: null, goodRecords: 0, lostBytes: 0, lostCommits: 0 };

function setAside(project: Project): Damage {
  const { disk, projectKey } = project;
  const marker = readMarker(disk, projectKey);
  const parsed = readJournal(project, marker);
  const { records, stranded } = parsed;
  const size = journalSize(disk);
  if (stranded.length === 0 && !isCutShort(parsed, marker))
    return { ...UNDAMAGED, goodRecords: records.length };

  const aside = copyJournal(disk, "journal");
  const good = [...records, ...stranded];
  // In a new epoch, so that the damaged journal cannot come back.
  const starts: Applied[] = [emptyStart(disk, marker)];
  const parts: Buffer[] = [];
  for (const { steps } of good) {
    const at = starts.at(-1) as Applied;
    const { bytes, head } = renderRecord(projectKey.makeKey(), at, steps);
    parts.push(bytes);
    starts.push({ ...head, length: at.length + bytes.length });
  }
  replaceJournal(disk, Buffer.concat(parts));
  const applied = good.filter(({ end }) => end <= (marker?.length ?? 0)).length;
  if (marker?.isCurrent) writeMarker(disk, projectKey, starts[applied] as Applied);
  const first = stranded[0]?.sequence;
  const lastGood = records.at(-1)?.sequence;
  return {
    aside,
    goodRecords: good.length,
    lostBytes: size - parts.reduce((sum, { length }) => sum + length, 0),
    lostCommits: first === undefined || lastGood === undefined ? 1 : first - lastGood - 1,
  };
}

function replaceJournal(disk: Disk, bytes: Uint8Array): void {
  const fresh = `${JOURNAL}.repaired`;
  if (disk.lstat(fresh) !== null) disk.unlink(fresh);
  writeNew(disk, fresh, bytes);
  disk.rename(fresh, JOURNAL);
  disk.fsyncFolder(CONTROL);
}
