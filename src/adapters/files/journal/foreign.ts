/**
 * Records that this project did not write, or not in this place: from a clone, a merge, another checkout, an
 * earlier backup, or a process that keeps the project's key elsewhere. Pawl never applies them; it sets them
 * aside and reports them.
 */
import type { PawlEvent } from "../../../core/event.ts";
import { EVENTS } from "../../../core/event.ts";
import { JOURNAL, KEPT } from "../control.ts";
import { type Disk, withFile, writeNew } from "../disk.ts";
import { foldersOf, readAt, readToEnd, statFile, statFolder } from "../read-at.ts";
import { cutTail, type ProjectStorage } from "./journal.ts";
import { newKeptFolder } from "./keep.ts";
import { type Foreign, parseUntrusted } from "./record.ts";
import type { Append } from "./steps.ts";

/** Called with commits that were not applied, and with their new path; null: they stay where they are. */
export type OnForeign = (file: Foreign & { readonly kept: string | null }) => void;

/** A journal that was set aside for a person to inspect. */
export interface SetAside {
  /** Its path, relative to the root. */
  readonly kept: string;
  readonly commits: number;
  /** How many of its records contain something that Pawl never writes, or edit a text that is not there. */
  readonly unusable: number;
  /** The paths that it would write, each once. */
  readonly paths: readonly string[];
}

const NAME = "foreign-journal";

/** The journals that were set aside and are still there, oldest first. */
export function listForeign(disk: Disk): readonly SetAside[] {
  if (statFolder(disk, KEPT) === null) return [];
  const folders = disk.list(KEPT).filter(({ kind }) => kind === "folder");
  return folders
    .map(({ name }) => `${KEPT}/${name}/${NAME}`)
    .sort()
    .flatMap((kept) => {
      const file = readAt(disk, kept);
      if (file === null) return [];
      const commits = parseUntrusted(file.bytes);
      const usable = commits.filter((steps) => steps !== null);
      const paths = [...new Set(usable.flat().map(({ path }) => path))];
      return [{ kept, commits: commits.length, unusable: commits.length - usable.length, paths }];
    });
}

/**
 * Copies the bytes after the good records to `.pawl/kept/`, synced, and cuts them off the journal. Returns
 * the new path.
 */
export function setForeignAside({ disk, projectKey }: ProjectStorage, goodLength: number): string {
  // Comes first: without a key this process could not report the records in a commit, so they would have to
  // stay.
  projectKey.makeKey();
  const kept = copyJournal(disk, NAME, goodLength);
  cutTail(disk, goodLength);
  return kept;
}

/** Copies the journal from `start` on to a fresh folder of `.pawl/kept/`, synced. */
export function copyJournal(disk: Disk, name: string, start = 0): string {
  const kept = `${newKeptFolder(disk)}/${name}`;
  const size = statFile(disk, JOURNAL)?.size ?? 0;
  const bytes = withFile(disk, JOURNAL, "read", (fd) => readToEnd(disk, fd, size)).subarray(start);
  writeNew(disk, kept, bytes);
  for (const folder of foldersOf(kept).toReversed()) disk.fsyncFolder(folder);
  return kept;
}

/** The event that reports it. */
export function foreignEvent(disk: Disk, { records, reason }: Foreign, kept: string): Append {
  const id = disk.uniqueId();
  const time = disk.now().toISOString();
  const event: PawlEvent = { type: "journal:foreign", id, time, kept, commits: records, reason };
  const offset = statFile(disk, EVENTS)?.size ?? 0;
  return { type: "append", path: EVENTS, id, offset, text: `${JSON.stringify(event)}\n` };
}
