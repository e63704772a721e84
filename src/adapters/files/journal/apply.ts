/**
 * Makes the files match the journal. The same code applies a commit and replays after a crash; it can stop
 * anywhere and run again.
 *
 * P1  The target is read right before it is replaced. Content that the journal does not explain is a person's
 *     text. Pawl redoes its edits on it, or keeps it aside first, and journals that before it touches the
 *     file, so that it happens once.
 * P2  The path's folders are checked again right before each call that opens, renames or removes by name, and
 *     after each open: a folder checked earlier may have become a link.
 * P3  Nothing is synced here: the journal is the durable copy until the files are synced and it is trimmed.
 */

import { hashOf } from "../../../core/hash.ts";
import type { Disk } from "../disk.ts";
import { type Editors, EditorsNeeded } from "../editors.ts";
import { checkFolders, type FileOnDisk, readAndHold, readAt, tryTextOf } from "../read-at.ts";
import { applyAppends, withAppends } from "./appends.ts";
import { type Aim, aimOf, chainsOf, isAccounted, redosOf } from "./chain.ts";
import { keepAside, type OnKept } from "./keep.ts";
import type { Step } from "./steps.ts";
import { removeTemporary, temporaryOf, writeTemporary } from "./temporary.ts";

export interface Applying {
  readonly disk: Disk;
  readonly editors: Editors;
  readonly onKept: OnKept;
  /** The files were verified a moment ago: the first check may be skipped, the last may not. */
  readonly fresh: boolean;
  /** The machine may have restarted since: files may be torn. */
  readonly torn: boolean;
}

/** Returns steps that must be journalled before it can continue; empty if everything is applied. */
export function applySteps(applying: Applying, steps: readonly Step[]): readonly Step[] {
  for (const [path, chain] of chainsOf(steps)) {
    const resolution = applyChain(applying, path, chain, steps);
    if (resolution.length > 0) return resolution;
  }
  return [];
}

function applyChain(
  applying: Applying,
  path: string,
  chain: readonly Step[],
  all: readonly Step[],
): readonly Step[] {
  const aim = aimOf(chain);
  const { disk, torn } = applying;
  // Does not read a file that only gets appends: a log is long, and each commit adds to it.
  const isReplaced =
    aim.content !== undefined &&
    (aim.appends.length === 0 || !hasMovedOn(chain, aim, readAt(disk, path), torn));
  if (isReplaced) {
    const resolution = replace(applying, path, chain, aim, all);
    if (resolution.length > 0) return resolution;
  }
  if (aim.appends.length > 0) applyAppends(applying, path, aim.appends);
  return [];
}

/** The file's content once its steps are applied; null: no file. */
export function outcomeOf(
  { editors, torn }: Pick<Applying, "editors" | "torn">,
  chain: readonly Step[],
  file: FileOnDisk | null,
): Uint8Array | null {
  const aim = aimOf(chain);
  let bytes = file?.bytes ?? null;
  if (aim.content !== undefined && !hasMovedOn(chain, aim, file, torn)) {
    const judgement = judge(chain, aim, file, torn);
    const redone = isFound(judgement) ? redo(editors, chain, judgement) : null;
    if (judgement !== "done") bytes = redone === null ? aim.content : Buffer.from(redone);
  }
  return aim.appends.length === 0 ? bytes : withAppends(bytes ?? new Uint8Array(), aim.appends, torn);
}

/**
 * Appends that do not fit mean that a person's text was accepted in between. If the file is there, it stays.
 */
function hasMovedOn(
  chain: readonly Step[],
  { appends }: Aim,
  file: FileOnDisk | null,
  torn: boolean,
): boolean {
  return appends.length > 0 && file !== null && !isAccounted(chain, file, torn);
}

/** Gives the file its aimed content, or removes it. Returns steps to journal first, if there are any. */
function replace(
  applying: Applying,
  path: string,
  chain: readonly Step[],
  aim: Aim,
  all: readonly Step[],
): readonly Step[] {
  const { disk, fresh, torn } = applying;
  const { content, mode } = aim;
  const temporary = temporaryOf(path);

  const act = (work: () => void): readonly Step[] =>
    withOpenFile(disk, path, (file) => {
      const judgement = judge(chain, aim, file, torn);
      if (judgement === "ours") {
        checkFolders(disk, path);
        work();
      } else removeTemporary(disk, path);
      return isFound(judgement) ? resolve(applying, path, chain, judgement, all) : [];
    });

  if (!fresh) removeTemporary(disk, path);
  if (content === null || content === undefined) return act(() => disk.unlink(path));
  if (!fresh) {
    const judgement = judge(chain, aim, readAt(disk, path), torn);
    if (judgement === "done") return [];
    if (isFound(judgement)) return resolve(applying, path, chain, judgement, all);
  }
  writeTemporary(disk, path, content, mode);
  return act(() => disk.rename(temporary, path));
}

/** `done`: already right. `ours`: may be replaced. A file: a person's text. */
type Judgement = "done" | "ours" | FileOnDisk;

function judge(chain: readonly Step[], { hash }: Aim, file: FileOnDisk | null, torn: boolean): Judgement {
  if ((file?.hash ?? null) === hash) return "done";
  return file === null || isAccounted(chain, file, torn) ? "ours" : file;
}

function isFound(judgement: Judgement): judgement is FileOnDisk {
  return typeof judgement === "object";
}

/**
 * Reads the file, and works while it is open. Closing a removed or replaced file frees its blocks, which
 * takes a millisecond each on some disks (with online discard), so it is closed later.
 */
function withOpenFile<T>(disk: Disk, path: string, work: (file: FileOnDisk | null) => T): T {
  const { file, fd } = readAndHold(disk, path);
  try {
    return work(file);
  } finally {
    if (fd !== null) disk.closeLater(fd);
  }
}

/** Handles a person's text in the way. Returns the steps to journal before it may be replaced. */
function resolve(
  applying: Applying,
  path: string,
  chain: readonly Step[],
  file: FileOnDisk,
  all: readonly Step[],
): readonly Step[] {
  const redone = redo(applying.editors, chain, file);
  if (redone !== null) {
    const after = hashOf(Buffer.from(redone));
    return [{ type: "put", path, before: file.hash, after, text: redone, redone: true }];
  }
  return keepAside(applying, path, file, all);
}

function redo(editors: Editors, chain: readonly Step[], file: FileOnDisk): string | null {
  const redos = redosOf(chain);
  const text = tryTextOf(file.bytes);
  if (redos === null || text === null) return null;
  try {
    return redos.reduce((result, { editor, edits }) => {
      const edit = editors.get(editor);
      if (edit === undefined) throw new Error(`no editor ${editor}`);
      return edit(result, edits);
    }, text);
  } catch (thrown) {
    if (thrown instanceof EditorsNeeded) throw thrown;
    return null;
  }
}
