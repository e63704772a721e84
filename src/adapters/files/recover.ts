/**
 * Bringing the project to where the journal is. Always under the project's lock, before anything else.
 *
 * R1  A record is synced before anything of it is applied, whoever wrote it: a writer may have died in between.
 * R2  The marker moves only when everything before it is applied.
 * R3  Without a marker that can be trusted, every record in the journal is looked at again.
 */
import { PawlError } from "../../base/error.ts";
import type { Editor } from "../../base/ports.ts";
import { type Applying, applySteps } from "./apply.ts";
import type { Disk } from "./disk.ts";
import { fsyncAll } from "./fsync-all.ts";
import { appendRecord, journalSize, loadJournal, syncJournal, trimJournal } from "./journal.ts";
import type { OnKept } from "./keep.ts";
import { type Applied, readMarker, writeMarker } from "./marker.ts";
import type { Step } from "./record.ts";

export interface Project {
  readonly disk: Disk;
  readonly editors: Readonly<Record<string, Editor>>;
  readonly onKept: OnKept;
}

/** A program that saves a file without pause must not keep the project's lock for ever. */
const MOST_RESOLUTIONS = 50;

/** Replays what is pending; returns where the journal stands, all of it applied. */
export function recover(project: Project): Applied {
  const { disk } = project;
  const marker = readMarker(disk);
  const size = journalSize(disk);
  if (size === 0) return { length: 0, sequence: marker?.sequence ?? 0 };
  if (marker?.length === size) return marker;

  const { records, goodLength } = loadJournal(disk);
  if (marker !== null && marker.length > goodLength) throw cutShort(marker.length, goodLength);
  const last = records.at(-1);
  if (last === undefined) return { length: 0, sequence: marker?.sequence ?? 0 };
  const applied = marker !== null && (marker.length === 0 || isBoundary(marker, records)) ? marker : null;
  const pending = applied === null ? records : records.filter(({ end }) => end > applied.length);
  const end = { length: goodLength, sequence: last.sequence };
  if (pending.length === 0) return end;
  syncJournal(disk);
  const steps = pending.flatMap((record) => record.steps);
  return applyFrom(project, end, steps, { fresh: false, torn: marker === null });
}

/** Applies steps that are journalled up to `end`, and moves the marker. */
export function applyFrom(
  project: Project,
  end: Applied,
  steps: readonly Step[],
  how: Pick<Applying, "fresh" | "torn">,
): Applied {
  let at = end;
  let all = steps;
  let applying: Applying = { ...project, ...how, known: new Set() };
  for (let count = 0; ; count++) {
    const resolution = applySteps(applying, all);
    if (resolution.length === 0) break;
    if (count === MOST_RESOLUTIONS) throw keepsChanging(resolution[0]?.path ?? "A file");
    const record = appendRecord(project.disk, at, resolution);
    at = { length: record.end, sequence: record.sequence };
    all = [...all, ...resolution];
    applying = { ...applying, fresh: false, known: new Set() };
  }
  writeMarker(project.disk, at);
  return at;
}

/** Syncs every file that the journal has written, then empties it. */
export function settle(project: Project): void {
  const { disk } = project;
  const applied = recover(project);
  if (applied.length === 0) return;
  const { records } = loadJournal(disk);
  fsyncAll(disk, new Set(records.flatMap(({ steps }) => steps.map(({ path }) => path))));
  trimJournal(disk, applied.sequence);
}

function isBoundary(marker: Applied, records: readonly { end: number; sequence: number }[]): boolean {
  return records.some(({ end, sequence }) => end === marker.length && sequence === marker.sequence);
}

function cutShort(expected: number, found: number): PawlError {
  return new PawlError(
    "journal-damaged",
    `The journal is damaged: expected at least ${expected} bytes of good records, found ${found}.`,
    "Run `pawl repair`: it sets the damaged journal aside, applies the records that are good, and says what is lost.",
  );
}

function keepsChanging(path: string): PawlError {
  return new PawlError(
    "commit-restarted-too-often",
    `${path} cannot be written: it was changed by another program each of ${MOST_RESOLUTIONS} times that Pawl looked.`,
    `Find out which program keeps writing ${path}, end it, then run the command again.`,
  );
}
