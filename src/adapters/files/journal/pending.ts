/**
 * Committed changes that the disk refuses to write to their files. Meanwhile Pawl reads them from the
 * journal, and writes nothing: views show the present files as applying the journal will make them.
 */
import { fixOf, meaningOf } from "../../../core/errno.ts";
import { PawlError } from "../../../core/error.ts";
import type { Pending } from "../../../core/ports/store.ts";
import { errnoOf, type FolderEntry } from "../disk.ts";
import { lastLineIn } from "../last-line.ts";
import { type FileOnDisk, fileOnDisk, readAt } from "../read-at.ts";
import { plainReader, type Reader } from "../view.ts";
import { outcomeOf } from "./apply.ts";
import { chainsOf } from "./chain.ts";
import { loadJournal } from "./journal.ts";
import { readMarker } from "./marker.ts";
import { type Project, pendingOf } from "./recover.ts";
import type { Step } from "./steps.ts";

export interface Unapplied {
  readonly pending: Pending;
  /** The view of the files once the changes are applied. */
  readonly reader: Reader;
}

/** Errors of a disk that may refuse a write for a while, but not a read. */
const REFUSALS: ReadonlySet<string> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "EIO",
  "EACCES",
  "EPERM",
  "EFBIG",
]);

/** The errno of the disk's refusal, or of the folder outside the project; null: another failure. */
export function refusalOf(thrown: unknown): string | null {
  const code = errnoOf(thrown instanceof PawlError ? thrown.cause : thrown);
  return code !== null && REFUSALS.has(code) ? code : null;
}

/** `code`: the errno of the refusal. Throws if the journal cannot be read. */
export function findUnapplied(project: Project, code: string): Unapplied {
  const { disk, editors, projectKey } = project;
  const marker = readMarker(disk, projectKey);
  const records = pendingOf(marker, loadJournal(project, marker).records);
  const chains = chainsOf(records.flatMap(({ steps }) => steps));
  const how = { editors, torn: marker?.isCurrent !== true };
  const plain = plainReader(disk);
  const afterJournal = (path: string, file: FileOnDisk | null): FileOnDisk | null => {
    const chain = chains.get(path);
    const bytes = chain === undefined ? null : outcomeOf(how, chain, file);
    if (chain === undefined || bytes === file?.bytes) return file;
    return bytes === null ? null : fileOnDisk(bytes, file?.mode ?? 0o644);
  };
  const reader: Reader = {
    read: (path, checkedFolders) => afterJournal(path, plain.read(path, checkedFolders)),
    lastLine: (path, checkedFolders) =>
      chains.has(path)
        ? lastLineIn(reader.read(path, checkedFolders)?.bytes ?? new Uint8Array())
        : plain.lastLine(path, checkedFolders),
    list: (folder, checkedFolders) => {
      const entries = new Map(plain.list(folder, checkedFolders).map((entry) => [entry.name, entry]));
      for (const path of chains.keys()) update(entries, folder, path, () => reader.read(path) !== null);
      return [...entries.values()];
    },
  };
  return { pending: describe(sizes(chains, project, afterJournal), code), reader };
}

function update(
  entries: Map<string, FolderEntry>,
  folder: string,
  path: string,
  isThere: () => boolean,
): void {
  const start = folder === "" ? "" : `${folder}/`;
  if (!path.startsWith(start)) return;
  const [name = "", ...deeper] = path.slice(start.length).split("/");
  if (isThere()) entries.set(name, { name, kind: deeper.length === 0 ? "file" : "folder" });
  else if (deeper.length === 0) entries.delete(name);
}

/** For each file without its final content, how many bytes must be written. */
function sizes(
  chains: ReadonlyMap<string, readonly Step[]>,
  { disk }: Project,
  afterJournal: (path: string, file: FileOnDisk | null) => FileOnDisk | null,
): readonly number[] {
  return [...chains].flatMap(([path, chain]) => {
    const file = readAt(disk, path);
    const wanted = afterJournal(path, file);
    if (wanted?.hash === file?.hash) return [];
    const isGrown = chain.every(({ type }) => type === "append");
    return [(wanted?.bytes.length ?? 0) - (isGrown ? (file?.bytes.length ?? 0) : 0)];
  });
}

/** Disks allocate space in blocks, and a new name may need a block of its folder. */
const BLOCK = 4096;

function describe(written: readonly number[], code: string): Pending {
  const changes = written.length;
  const bytes = written.reduce((sum, size) => sum + (Math.ceil(size / BLOCK) + 1) * BLOCK, 0);
  const what = changes === 1 ? "1 committed change is" : `${changes} committed changes are`;
  const count = changes === 1 ? "It counts" : "They count";
  const kilobytes = `${Math.ceil(bytes / 1024)} KB`;
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return {
    changes,
    bytes,
    reason: `${meaningOf(code)} (${code})`,
    message: `${what} in the journal but not in the files yet: ${meaningOf(code)} (${code}). ${count}: meanwhile Pawl reads the journal.`,
    fix: isFull
      ? `Free at least ${kilobytes} on the project's disk; the next command then writes them.`
      : `${fixOf(code)} It needs ${kilobytes}.`,
  };
}
