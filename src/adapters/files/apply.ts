/**
 * Making the files what the journal says. The same code applies a commit and replays after a crash; it can stop
 * anywhere and be run again.
 *
 * P1  The target is looked at right before it is replaced. What the journal does not account for is a person's text: it
 *     is redone (edits) or kept aside first, and that is journalled before the file is touched, so that it happens once.
 * P2  Nothing is synced here: the journal is the durable copy until the files are synced and it is trimmed.
 */
import type { Editor } from "../../base/ports.ts";
import { applyAppends } from "./appends.ts";
import { type Aim, aimOf, chainsOf, isAccounted, redosOf } from "./chain.ts";
import type { Disk } from "./disk.ts";
import { hashOf } from "./hash.ts";
import { keepAside, type OnKept } from "./keep.ts";
import { type Found, lookAt, statFile, tryTextOf } from "./look.ts";
import type { Step } from "./record.ts";
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
  if (aim.content !== undefined && !hasMovedOn(applying, path, chain, aim)) {
    const resolution = replace(applying, path, chain, aim, all);
    if (resolution.length > 0) return resolution;
  }
  if (aim.appends.length > 0) applyAppends(applying, path, aim.appends);
  return [];
}

/** Appends that do not fit say that a person's text was accepted in between; if it is there, it stays. */
function hasMovedOn({ disk, torn }: Applying, path: string, chain: readonly Step[], aim: Aim): boolean {
  if (aim.appends.length === 0) return false;
  const found = lookAt(disk, path);
  return found !== null && !isAccounted(chain, found.bytes, torn);
}

/** Makes the file hold the aim's content, or be absent. */
function replace(
  applying: Applying,
  path: string,
  chain: readonly Step[],
  { content, mode }: Aim,
  all: readonly Step[],
): readonly Step[] {
  const { disk, fresh, torn } = applying;
  const goal = content === null || content === undefined ? null : hashOf(content);

  const look = (): { readonly done: boolean; readonly inTheWay: Found | null } => {
    const found = lookAt(disk, path);
    if ((found?.hash ?? null) === goal) return { done: true, inTheWay: null };
    const isOurs = found === null || isAccounted(chain, found.bytes, torn);
    return { done: false, inTheWay: isOurs ? null : found };
  };

  const act = (work: () => void): readonly Step[] =>
    holdingOpen(disk, path, () => {
      const { done, inTheWay } = look();
      if (!done && inTheWay === null) work();
      else removeTemporary(disk, path);
      return inTheWay === null ? [] : resolve(applying, path, chain, inTheWay, all);
    });

  if (!fresh) removeTemporary(disk, path);
  if (goal === null) return act(() => disk.unlink(path));
  if (!fresh) {
    const { done, inTheWay } = look();
    if (done) return [];
    if (inTheWay !== null) return resolve(applying, path, chain, inTheWay, all);
  }
  writeTemporary(disk, path, content ?? new Uint8Array(), mode);
  return act(() => disk.rename(temporaryOf(path), path));
}

/**
 * Works while the file is held open. The blocks of a file that is removed or replaced are freed when it is closed, which
 * on some disks (with online discard) takes a millisecond each: nobody need wait for that.
 */
function holdingOpen<T>(disk: Disk, path: string, work: () => T): T {
  const old = statFile(disk, path) === null ? null : disk.open(path, "read");
  try {
    return work();
  } finally {
    if (old !== null) disk.closeLater(old);
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
  const redone = redo(applying, chain, found);
  if (redone !== null) {
    const after = hashOf(Buffer.from(redone));
    return [{ type: "put", path, before: found.hash, after, text: redone, redone: true }];
  }
  return keepAside(applying, path, found, all);
}

function redo({ editors }: Applying, chain: readonly Step[], found: Found): string | null {
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
