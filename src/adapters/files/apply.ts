/**
 * Making the files what the journal says. The same code applies a commit and replays after a crash; it can stop
 * anywhere and be run again.
 *
 * P1  The target is looked at right before it is replaced. What the journal does not account for is a person's text: it
 *     is redone (edits) or kept aside first, and that is journalled before the file is touched, so that it happens once.
 * P2  The folders on the way are looked at anew right before each call that opens, renames or removes by name, and after
 *     each that opens: what was looked at earlier may have become a link since.
 * P3  Nothing is synced here: the journal is the durable copy until the files are synced and it is trimmed.
 */
import type { Editor } from "../../core/ports/store.ts";
import { applyAppends, withAppends } from "./appends.ts";
import { type Aim, aimOf, chainsOf, isAccounted, redosOf } from "./chain.ts";
import type { Disk } from "./disk.ts";
import { hashOf } from "./hash.ts";
import { keepAside, type OnKept } from "./keep.ts";
import { checkFolders, type Found, lookAndHold, lookAt, tryTextOf } from "./look.ts";
import type { Step } from "./steps.ts";
import { removeTemporary, temporaryOf, writeTemporary } from "./temporary.ts";

export interface Applying {
  readonly disk: Disk;
  readonly editors: Readonly<Record<string, Editor>>;
  readonly onKept: OnKept;
  /** The files were verified a moment ago: the first look is saved, the last is not. */
  readonly fresh: boolean;
  /** The machine may have been started anew since: files may be torn. */
  readonly torn: boolean;
}

/** Steps that must be journalled before this can go on; empty: everything is applied. */
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
  const isMoved = aim.appends.length > 0 && hasMovedOn(chain, aim, lookAt(disk, path), torn);
  if (aim.content !== undefined && !isMoved) {
    const resolution = replace(applying, path, chain, aim, all);
    if (resolution.length > 0) return resolution;
  }
  if (aim.appends.length > 0) applyAppends(applying, path, aim.appends);
  return [];
}

/** What the file will hold once its steps are applied to what it holds; null: nothing is to be there. */
export function outcomeOf(
  { editors, torn }: Pick<Applying, "editors" | "torn">,
  chain: readonly Step[],
  found: Found | null,
): Uint8Array | null {
  const aim = aimOf(chain);
  let bytes = found?.bytes ?? null;
  if (aim.content !== undefined && !hasMovedOn(chain, aim, found, torn)) {
    const judgement = judge(chain, aim, found, torn);
    const redone = isFound(judgement) ? redo(editors, chain, judgement) : null;
    if (judgement !== "done") bytes = redone === null ? aim.content : Buffer.from(redone);
  }
  return aim.appends.length === 0 ? bytes : withAppends(bytes ?? new Uint8Array(), aim.appends, torn);
}

/** Appends that do not fit say that a person's text was accepted in between; if it is there, it stays. */
function hasMovedOn(chain: readonly Step[], { appends }: Aim, found: Found | null, torn: boolean): boolean {
  return appends.length > 0 && found !== null && !isAccounted(chain, found, torn);
}

/** Makes the file hold the aim's content, or be absent. */
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
    lookingLast(disk, path, (found) => {
      const judgement = judge(chain, aim, found, torn);
      if (judgement === "ours") {
        checkFolders(disk, path);
        work();
      } else removeTemporary(disk, path);
      return isFound(judgement) ? resolve(applying, path, chain, judgement, all) : [];
    });

  if (!fresh) removeTemporary(disk, path);
  if (content === null || content === undefined) return act(() => disk.unlink(path));
  if (!fresh) {
    const judgement = judge(chain, aim, lookAt(disk, path), torn);
    if (judgement === "done") return [];
    if (isFound(judgement)) return resolve(applying, path, chain, judgement, all);
  }
  writeTemporary(disk, path, content, mode);
  return act(() => disk.rename(temporary, path));
}

/** As it should be, or to be replaced, or a person's text in the way. */
type Judgement = "done" | "ours" | Found;

function judge(chain: readonly Step[], { hash }: Aim, found: Found | null, torn: boolean): Judgement {
  if ((found?.hash ?? null) === hash) return "done";
  return found === null || isAccounted(chain, found, torn) ? "ours" : found;
}

function isFound(judgement: Judgement): judgement is Found {
  return typeof judgement === "object";
}

/**
 * Looks, and works while the file that was looked at is held open. The blocks of a file that is removed or replaced are
 * freed when it is closed, which on some disks (with online discard) takes a millisecond each: nobody need wait for that.
 */
function lookingLast<T>(disk: Disk, path: string, work: (found: Found | null) => T): T {
  const { found, fd } = lookAndHold(disk, path);
  try {
    return work(found);
  } finally {
    if (fd !== null) disk.closeLater(fd);
  }
}

/** A person's text is in the way: what is to be journalled before it may be replaced. */
function resolve(
  applying: Applying,
  path: string,
  chain: readonly Step[],
  found: Found,
  all: readonly Step[],
): readonly Step[] {
  const redone = redo(applying.editors, chain, found);
  if (redone !== null) {
    const after = hashOf(Buffer.from(redone));
    return [{ type: "put", path, before: found.hash, after, text: redone, redone: true }];
  }
  return keepAside(applying, path, found, all);
}

function redo(editors: Applying["editors"], chain: readonly Step[], found: Found): string | null {
  const redos = redosOf(chain);
  const text = tryTextOf(found.bytes);
  if (redos === null || text === null) return null;
  try {
    return redos.reduce((result, { editor, edits }) => {
      const edit = editors[editor];
      if (edit === undefined) throw new Error(`no editor ${editor}`);
      return edit(result, edits);
    }, text);
  } catch {
    return null;
  }
}
