/**
 * Turns a change set into the steps of a record, under the project's lock. Changes apply in order, each to
 * the result of the earlier ones. The result is one step per path (or a run of appends), so a replay never
 * depends on order. Everything that can be refused is refused here, before the commit.
 */
import { PawlError } from "../../../core/error.ts";
import { hashOf } from "../../../core/hash.ts";
import type { Change } from "../../../core/ports/store.ts";
import { isReserved } from "../control.ts";
import { type Disk, withFile } from "../disk.ts";
import { type FileOnDisk, folderOf, foldersOf, type KnownFolders, readAt, statFile } from "../read-at.ts";
import { type Append, type Content, contentOf, PERMISSIONS, type Put, type Step } from "./steps.ts";

/** What the change set has done so far to one path. */
type Entry =
  | { readonly type: "put"; readonly before: string | null; readonly bytes: Uint8Array; readonly put: Put }
  | { readonly type: "drop"; readonly before: string | null }
  | { readonly type: "appends"; readonly appends: readonly Append[]; readonly end: number };

export interface Plan {
  readonly disk: Disk;
  /** Files that were read under the lock while the view was verified. */
  readonly filesRead: Map<string, FileOnDisk | null>;
  readonly checkedFolders: KnownFolders;
}

/** `changed`: a move's target exists. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its inner functions share the entries; apart they would each take them
export function planSteps(
  { disk, filesRead, checkedFolders }: Plan,
  changes: readonly Change[],
): readonly Step[] | "changed" {
  const entries = new Map<string, Entry>();
  const readFile = (path: string): FileOnDisk | null => {
    let result = filesRead.get(path);
    if (result === undefined) {
      result = readAt(disk, path, checkedFolders);
      filesRead.set(path, result);
    }
    return result;
  };
  const before = (path: string) => {
    const entry = entries.get(path);
    return entry === undefined || entry.type === "appends" ? (readFile(path)?.hash ?? null) : entry.before;
  };
  const current = (path: string): Uint8Array | null => {
    const entry = entries.get(path);
    if (entry?.type === "put") return entry.bytes;
    if (entry?.type === "drop") return null;
    const bytes = readFile(path)?.bytes ?? null;
    if (entry === undefined) return bytes;
    return Buffer.concat([bytes ?? new Uint8Array(), ...entry.appends.map(({ text }) => Buffer.from(text))]);
  };
  const put = (path: string, bytes: Uint8Array, content: Content, more: Partial<Put> = {}) => {
    const hash = before(path);
    const step: Put = { type: "put", path, before: hash, after: hashOf(bytes), ...content, ...more };
    entries.set(path, { type: "put", before: hash, bytes, put: step });
  };

  const append = (change: Extract<Change, { type: "append" }>) => {
    const { path, id, text } = change;
    const entry = entries.get(path);
    if (entry !== undefined && entry.type !== "appends") {
      const start = current(path) ?? new Uint8Array();
      const bytes = Buffer.concat([start, Buffer.from(onFreshLine(text, endsLine(start)))]);
      put(path, bytes, contentOf(bytes));
      return;
    }
    const size = entry?.end ?? statFile(disk, path, checkedFolders)?.size ?? 0;
    const last = entry?.appends.at(-1)?.text;
    const fresh =
      last === undefined ? size === 0 || lastByte(disk, path, size) === 0x0a : last.endsWith("\n");
    const step: Append = { type: "append", path, id, offset: size, text: onFreshLine(text, fresh) };
    const end = size + Buffer.byteLength(step.text);
    entries.set(path, { type: "appends", appends: [...(entry?.appends ?? []), step], end });
  };

  for (const change of changes) {
    checkPaths(disk, change, checkedFolders);
    switch (change.type) {
      case "write":
        put(change.path, Buffer.from(change.text), { text: change.text });
        break;
      case "edit":
        put(
          change.path,
          Buffer.from(change.text),
          { text: change.text },
          redoOf(change, entries.get(change.path)),
        );
        break;
      case "append":
        append(change);
        break;
      case "remove":
        if (current(change.path) !== null)
          entries.set(change.path, { type: "drop", before: before(change.path) });
        break;
      case "move": {
        const { from, to } = change;
        if (current(to) !== null) return "changed";
        const bytes = current(from);
        if (bytes === null) throw missingSourceError(from, to);
        const mode = (entries.has(from) ? undefined : readFile(from)?.mode) ?? 0o644;
        put(to, bytes, contentOf(bytes), mode === 0o644 ? {} : { mode: mode & PERMISSIONS });
        entries.set(from, { type: "drop", before: before(from) });
        break;
      }
    }
  }
  checkNesting(entries);
  return [...entries].flatMap(([path, entry]) => stepsOf(path, entry));
}

function stepsOf(path: string, entry: Entry): readonly Step[] {
  if (entry.type === "put") return [entry.put];
  if (entry.type === "appends") return entry.appends;
  // Made and removed within the change set: the file was missing and stays so.
  return entry.before === null ? [] : [{ type: "drop", path, before: entry.before }];
}

/**
 * Edits that follow edits of the same editor are merged. After anything else, the result cannot be redone on
 * another text.
 */
function redoOf(change: Extract<Change, { type: "edit" }>, entry: Entry | undefined): Partial<Put> {
  const { editor, edits } = change;
  if (entry === undefined) return { redo: { editor, edits } };
  const earlier = entry.type === "put" ? entry.put.redo : undefined;
  return earlier?.editor === editor ? { redo: { editor, edits: [...earlier.edits, ...edits] } } : {};
}

/** A line never continues one that an editor or a torn write left unfinished. */
function onFreshLine(text: string, fresh: boolean): string {
  return fresh || !text.endsWith("\n") ? text : `\n${text}`;
}

function endsLine(bytes: Uint8Array): boolean {
  return bytes.length === 0 || bytes.at(-1) === 0x0a;
}

function lastByte(disk: Disk, path: string, size: number): number | undefined {
  return withFile(disk, path, "read", (fd) => disk.read(fd, size - 1, 1)[0]);
}

function checkPaths(disk: Disk, change: Change, checkedFolders: KnownFolders): void {
  for (const path of change.type === "move" ? [change.from, change.to] : [change.path]) {
    if (isReserved(path))
      throw new PawlError(
        "internal",
        `A change set names ${path}, which is reserved for the store.`,
        "Report this with the command that was run.",
      );
    const stat = statFile(disk, path, checkedFolders);
    const target =
      change.type === "append" && stat !== null ? path : nearestFolder(disk, path, checkedFolders);
    if (!disk.writable(target))
      throw new PawlError(
        "disk-failed",
        `${path} cannot be changed: permission to write ${target === "" ? "the project's folder" : target} is missing.`,
        "Give this user permission to write there, then run the command again.",
      );
  }
}

function nearestFolder(disk: Disk, path: string, checkedFolders: KnownFolders): string {
  const exists = (folder: string) => checkedFolders.has(folder) || disk.lstat(folder) !== null;
  return foldersOf(path).findLast(exists) ?? "";
}

/** A file cannot be where another change of the set needs a folder. */
function checkNesting(entries: ReadonlyMap<string, Entry>): void {
  for (const path of entries.keys()) {
    const above = foldersOf(path).find((folder) => entries.has(folder));
    if (above !== undefined)
      throw new PawlError(
        "internal",
        `A change set names ${above} as a file and ${folderOf(path)} as a folder.`,
        "Report this with the command that was run.",
      );
  }
}

function missingSourceError(from: string, to: string): PawlError {
  return new PawlError(
    "state-unreadable",
    `${from} cannot be moved to ${to}: expected a file, found none.`,
    `Restore ${from}, or run \`pawl status\` to see the state of the run.`,
  );
}
