/**
 * Brings the project to the state of the journal. Always under the project's lock, before anything else.
 *
 * R1  A record is synced before any part of it is applied, whatever process wrote it: its writer may have
 *     died first.
 * R2  The marker moves only when everything before it is applied.
 * R3  Without a trusted marker, every record in the journal is checked again.
 * R4  Only records of this project and this journal are applied, in order; others are set aside.
 * R5  It throws `EditorsNeeded` before it has changed anything.
 */
import { PawlError } from "../../../core/error.ts";
import type { Editors } from "../editors.ts";
import { type Applying, applySteps } from "./apply.ts";
import { foreignEvent, type OnForeign, setForeignAside } from "./foreign.ts";
import { fsyncAll } from "./fsync-all.ts";
import {
  appendRecord,
  cutTail,
  journalSize,
  loadJournal,
  type ProjectStorage,
  syncJournal,
  trimJournal,
} from "./journal.ts";
import type { OnKept } from "./keep.ts";
import { type Applied, emptyStart, type Marker, readMarker, writeMarker } from "./marker.ts";
import type { JournalRecord, Parsed } from "./record.ts";
import type { Step } from "./steps.ts";

export interface Project extends ProjectStorage {
  readonly editors: Editors;
  readonly onKept: OnKept;
  readonly onForeign: OnForeign;
}

/** A program that saves a file all the time must not keep the project locked for ever. */
const MAX_RESOLUTIONS = 50;

/** Replays pending records. Returns the end of the journal, all of it applied. */
export function recover(project: Project): Applied {
  const { disk, projectKey } = project;
  const marker = readMarker(disk, projectKey);
  const size = journalSize(disk);
  if (size === 0) return emptyStart(disk, marker);
  if (marker?.isCurrent && marker.length === size) return marker;
  return replay(project, marker).applied;
}

function replay(
  project: Project,
  marker: Marker | null,
): { applied: Applied; records: readonly JournalRecord[] } {
  const { disk } = project;
  const parsed = loadJournal(project, marker);
  const { records, foreign } = parsed;
  const pending = pendingOf(marker, records).flatMap(({ steps }) => steps);
  // R5: throws if the editors are not loaded.
  for (const step of pending) if (step.type === "put" && step.redo) project.editors.get(step.redo.editor);
  const kept = foreign === null ? null : setForeignAside(project, parsed.goodLength);
  if (kept === null) cutTail(disk, parsed.goodLength);
  const applied = applyPending(project, marker, parsed, pending);
  if (foreign === null || kept === null) return { applied, records };
  const event = appendRecord(project, applied, [foreignEvent(disk, foreign, kept)]);
  project.onForeign({ ...foreign, kept });
  const at = { ...event, length: event.end };
  return {
    applied: applyFrom(project, at, event.steps, { fresh: false, torn: false }),
    records: [...records, event],
  };
}

function applyPending(
  project: Project,
  marker: Marker | null,
  { records, goodLength }: Parsed,
  pending: readonly Step[],
): Applied {
  const last = records.at(-1);
  if (last === undefined) return emptyStart(project.disk, marker);
  const end = { epoch: last.epoch, sequence: last.sequence, mac: last.mac, length: goodLength };
  if (pending.length === 0) return end;
  syncJournal(project.disk);
  return applyFrom(project, end, pending, { fresh: false, torn: marker?.isCurrent !== true });
}

/** Applies steps that are journalled up to `end`, then moves the marker. */
export function applyFrom(
  project: Project,
  end: Applied,
  steps: readonly Step[],
  how: Pick<Applying, "fresh" | "torn">,
): Applied {
  let at = end;
  let all = steps;
  let applying: Applying = { ...project, ...how };
  for (let count = 0; ; count++) {
    const resolution = applySteps(applying, all);
    if (resolution.length === 0) break;
    if (count === MAX_RESOLUTIONS) throw changingFileError(resolution[0]?.path ?? "A file");
    const record = appendRecord(project, at, resolution);
    at = { ...record, length: record.end };
    all = [...all, ...resolution];
    applying = { ...applying, fresh: false };
  }
  writeMarker(project.disk, project.projectKey, at);
  return at;
}

/** Syncs every file that the journal has written, then empties the journal. */
export function settle(project: Project): void {
  const { disk, projectKey } = project;
  if (journalSize(disk) === 0) return;
  const { applied, records } = replay(project, readMarker(disk, projectKey));
  fsyncAll(disk, new Set(records.flatMap(({ steps }) => steps.map(({ path }) => path))));
  trimJournal(project, applied);
}

/** The records that may be unapplied. */
export function pendingOf(
  marker: Marker | null,
  records: readonly JournalRecord[],
): readonly JournalRecord[] {
  const applied = marker !== null && isTrusted(marker, records) ? marker.length : 0;
  return records.filter(({ end }) => end > applied);
}

/**
 * Whether the marker is from this start of the machine, belongs to this journal, and lies between two of its
 * records.
 */
function isTrusted(marker: Marker, records: readonly JournalRecord[]): boolean {
  const { isCurrent, epoch, length, sequence, mac } = marker;
  if (!isCurrent || epoch !== records[0]?.epoch) return false;
  return (
    length === 0 || records.some((one) => one.end === length && one.sequence === sequence && one.mac === mac)
  );
}

function changingFileError(path: string): PawlError {
  return new PawlError(
    "commit-restarted-too-often",
    `${path} cannot be written: Pawl tried ${MAX_RESOLUTIONS} times, and another program had changed it each time.`,
    `Find out which program keeps writing ${path}, end it, then run the command again.`,
  );
}
