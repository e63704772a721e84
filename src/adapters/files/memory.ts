/**
 * Keeps values that were derived from the project's files.
 *
 * M1  A value counts while every file and folder that it was read from has the same size, times and inode.
 * M2  A value is not kept if a file changed shortly before it was read: two changes may have the same time,
 *     and the view may have read the first.
 * M3  No value is kept or recalled while a commit waits in the journal: the view then shows files as they
 *     will be.
 * M4  Reading thousands of files does not keep the event loop to itself: a server would drop the connections that
 *     wait meanwhile.
 */
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Memory } from "../../core/ports/memory.ts";
import type { View } from "../../core/ports/store.ts";
import { watched } from "../../core/watched-view.ts";
import { stampOf } from "./stamp.ts";

export interface MemoryOptions {
  readonly root: string;
  /** Whether a commit waits in the journal. */
  readonly isPending: () => boolean;
  /** Milliseconds since 1970, as the file system counts them. */
  readonly now: () => number;
}

interface Kept {
  readonly stamps: ReadonlyMap<string, string>;
  readonly value: unknown;
}

/** Longer than the coarsest time of a file system, and than the age of a view at its first use here. */
const MARGIN_MILLISECONDS = 3_000;
const TURN_MILLISECONDS = 50;

export function openMemory({ isPending, now, root }: MemoryOptions): Memory {
  const kept = new Map<string, Kept>();
  const times = new WeakMap<View, number>();
  let clock = now();
  const isCurrent = ({ stamps }: Kept) => [...stamps].every(([path, stamp]) => stampOf(root, path) === stamp);
  /** A missing file changed when its folder did. */
  const changedAt = (path: string): number => {
    const stats = statSync(join(root, path), { throwIfNoEntry: false });
    if (stats) return stats.ctimeMs;
    return path === "." ? Number.POSITIVE_INFINITY : changedAt(dirname(path));
  };
  return {
    async recall(key, view, make) {
      if (isPending()) return make(view);
      const since = times.get(view) ?? now();
      times.set(view, since);
      const cached = kept.get(key);
      if (cached && isCurrent(cached)) return cached.value as Awaited<ReturnType<typeof make>>;
      kept.delete(key);
      const stamps = new Map<string, string>();
      const note = (path: string) => {
        if (!stamps.has(path)) stamps.set(path, stampOf(root, path));
      };
      const value = await make(watched(view, { onList: note, onRead: note }));
      const isOld = (path: string) => changedAt(path) < since - MARGIN_MILLISECONDS;
      if ([...stamps.keys()].every(isOld)) kept.set(key, { stamps, value });
      if (now() - clock > TURN_MILLISECONDS) {
        await setImmediate();
        clock = now();
      }
      return value;
    },
  };
}
