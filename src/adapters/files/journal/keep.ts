import type { PawlEvent } from "../../../core/event.ts";
import { EVENTS } from "../../../core/event.ts";
import { KEPT } from "../control.ts";
import { type Disk, errnoOf, writeNew } from "../disk.ts";
import { type FileOnDisk, foldersOf, statFile } from "../read-at.ts";
import type { Append, Step } from "./steps.ts";
import { ensureFolders } from "./temporary.ts";

/** Called with each person's text that was kept aside, and its new path. */
export type OnKept = (kept: { readonly path: string; readonly kept: string }) => void;

export interface Keeping {
  readonly disk: Disk;
  readonly onKept: OnKept;
}

/**
 * Copies a person's text to `.pawl/kept/<date>-<n>/<path>`, synced. Returns what to journal: that the text
 * may now be replaced, and the event that reports it.
 */
export function keepAside(
  { disk, onKept }: Keeping,
  path: string,
  file: FileOnDisk,
  pending: readonly Step[],
): readonly Step[] {
  const kept = `${newKeptFolder(disk)}/${path}`;
  ensureFolders(disk, kept);
  writeNew(disk, kept, file.bytes);
  for (const folder of foldersOf(kept).toReversed()) disk.fsyncFolder(folder);
  disk.fsyncFolder("");
  onKept({ path, kept });
  return [{ type: "known", path, hash: file.hash }, keptEvent(disk, path, kept, pending)];
}

/** Makes a fresh folder `.pawl/kept/<date>-<n>`. */
export function newKeptFolder(disk: Disk): string {
  const date = disk.now().toISOString().slice(0, 10);
  ensureFolders(disk, `${KEPT}/${date}`);
  const earlier = disk.list(KEPT).filter(({ name }) => name.startsWith(`${date}-`)).length;
  for (let n = earlier + 1; ; n++) {
    try {
      disk.mkdir(`${KEPT}/${date}-${n}`);
      return `${KEPT}/${date}-${n}`;
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}

function keptEvent(disk: Disk, path: string, kept: string, pending: readonly Step[]): Append {
  const id = disk.uniqueId();
  const event: PawlEvent = { type: "edit:kept", id, time: disk.now().toISOString(), path, kept };
  const size = statFile(disk, EVENTS)?.size ?? 0;
  const offset = pending
    .filter((step): step is Append => step.type === "append" && step.path === EVENTS)
    .reduce((end, step) => Math.max(end, step.offset + Buffer.byteLength(step.text)), size);
  return { type: "append", path: EVENTS, id, offset, text: `${JSON.stringify(event)}\n` };
}
